//! What the benchmarks are made of: keys to select from, and the standard library's way of doing it.
//!
//! The benchmarks themselves are in `benches/`: `cargo bench --package cluster-topk-benches --bench cpu`.

pub mod bench_key;
pub mod distribution;
pub mod ratios;
pub mod std_peer;
