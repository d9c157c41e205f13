//! Chores of the workspace: `cargo xtask --help`.
#![forbid(unsafe_code)]

mod device;
mod gather;
mod package;
mod process;
mod soak;
#[path = "../../host/source_hash.rs"]
mod source_hash;
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
    /// Make the packages to publish, the library's with prebuilt device modules, and try them away from the workspace.
    Package(package::Package),
    /// Run the agents on the CPU under the emulator, seed after seed, for as long as one likes.
    Soak(soak::Soak),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Device(command) => device::run(command),
        Command::Gather(arguments) => gather::run(&arguments),
        Command::Package(arguments) => package::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
    }
}
