//! Chores of the workspace: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod device;
mod process;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the workspace")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The device code: build it to PTX, check it with ptxas.
    #[command(subcommand)]
    Device(device::Command),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Device(command) => device::run(command),
    }
}
