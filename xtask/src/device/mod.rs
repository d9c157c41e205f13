//! The device code: from Rust to PTX, and from PTX to numbers.
//!
//! One cargo build per target gives one PTX file with every entry point; it is then split into modules, one per agent
//! family and key width, as the device crate's table says. Compiling each module by itself would repeat the link-time
//! optimisation of `core` for each, which costs more than the kernels do.

mod build;
mod check;
mod cuda_tools;
mod debian;
mod manifest;
mod ptx;
mod ptxas;
mod rust_src;
mod sites;
mod target;
mod toolchain;

use crate::{source_hash, workspace};
use anyhow::Result;
use clap::Subcommand;
use manifest::Manifest;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compile the device crate to PTX modules under `target/device/<target>`, with a manifest beside them.
    ///
    /// Does nothing when the modules there were built from these sources by this compiler.
    Build {
        /// Build even so.
        #[arg(long)]
        force: bool,
    },
    /// Build, then assemble every kernel with ptxas and print its registers, memory and barrier sites.
    ///
    /// Fails on a spill, local memory, a panic path or trap, or a count of barrier sites that
    /// `device/expected-barriers.toml` does not have.
    Check {
        /// Write the counts found to `device/expected-barriers.toml` instead of comparing.
        #[arg(long)]
        bless: bool,
    },
    /// Run clippy over the device code as it is compiled for GPUs.
    Lint,
    /// Build, then print one kernel's machine code.
    Sass {
        /// The entry point.
        entry: String,
        /// The architecture to assemble for.
        #[arg(long, default_value = "sm_90")]
        arch: String,
    },
}

pub(crate) fn run(command: Command) -> Result<()> {
    match command {
        Command::Build { force } => build::build(force).map(drop),
        Command::Check { bless } => check::check(bless),
        Command::Lint => build::lint(),
        Command::Sass { entry, arch } => check::sass(&entry, &arch),
    }
}

/// Whether the modules were built from the sources as they are now.
pub(crate) fn is_current() -> Result<bool> {
    let hash = source_hash::source_hash(workspace::root())?;
    Ok(Manifest::read().is_some_and(|manifest| manifest.source_hash == hash))
}
