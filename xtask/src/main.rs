//! Chores of the workspace: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod device;
mod gather;
mod process;
mod soak;
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
    /// Build the GPU tests, the GPU benchmark and an example, and gather them in a folder that runs on a machine without Rust.
    Gather(gather::Gather),
    /// Run the agents on the CPU under the emulator, seed after seed, for as long as one likes.
    Soak(soak::Soak),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Device(command) => device::run(command),
        Command::Gather(arguments) => gather::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
    }
}
