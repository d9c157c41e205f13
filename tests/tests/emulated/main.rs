//! The agents of the device crate, run on the CPU under the emulator's scheduler and judged by the oracle.
//!
//! A failure names the agent, the schedule and the request; all three replay it. `EMULATED_SEEDS` multiplies the seeds.

mod agents;
mod bucket_sort;
mod cluster;
mod contracts;
mod hostile;
mod large_k;
mod matrix;
mod mutation;
mod order;
mod ordered;
mod params;
mod planned;
mod probe;
mod runner;
mod soak;
mod stream;

/// How many times the usual number of seeds.
fn times() -> u64 {
    std::env::var("EMULATED_SEEDS").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}
