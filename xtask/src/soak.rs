//! `soak`.

use crate::{process, workspace};
use anyhow::Result;
use clap::Args;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Args)]
pub(crate) struct Soak {
    /// For how long.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// The first seed; by default one that depends on the time.
    #[arg(long)]
    from: Option<u64>,
}

/// Runs the soak test. A failure prints the seed to replay it from.
pub(crate) fn run(arguments: &Soak) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    // Apart from the first seeds, which every test run covers.
    let from = arguments.from.unwrap_or(now % 1_000_000 * 1_000_000);
    println!("{} minutes, from seed {from}", arguments.minutes);
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(workspace::root())
        .args(["test", "--package", "cluster-topk-tests", "--test", "emulated"])
        .args(["soak", "--", "--ignored", "--nocapture"])
        .env("EMULATED_MINUTES", arguments.minutes.to_string())
        .env("EMULATED_FROM", from.to_string());
    process::run(&mut cargo)
}
