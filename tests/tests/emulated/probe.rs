//! The probe kernels: radix passes by a block, and by a cluster that stages its keys by bulk copies.

use cluster_topk_device::agents::probe;
use cluster_topk_device::params::ProbeParams;
use cluster_topk_emulate::{Fault, Launch, Memory, Options, Report, Schedule, Use, launch};
use cluster_topk_tests::generators::rng;
use rand::RngExt;

const THREADS: u32 = 64;

/// The k-th least key of each of two segments, by blocks or by clusters of `width`; checked.
pub(crate) fn run(
    options: Options,
    cluster_width: Option<u32>,
    segment_len: u32,
    seed: u64,
) -> Result<Report, Box<Fault>> {
    let rng = &mut rng(seed);
    let shift = rng.random_range(0..32u32);
    let keys: Vec<u32> = (0..2 * segment_len).map(|_| rng.random::<u32>() >> shift).collect();
    let k = rng.random_range(1..=segment_len);
    let mut memory = Memory::new();
    let input = memory.add("keys", Use::Input, bytemuck::cast_slice(&keys));
    let out = memory.add("out", Use::Output, &[0xEE; 16]);
    let params =
        ProbeParams { keys: memory.address(input), out: memory.address(out), segment_len, segments: 2, k };
    let width = cluster_width.unwrap_or(1);
    let shape = Launch {
        blocks: 2 * width,
        threads: THREADS,
        cluster_width: width,
        // The histogram, scratch, a barrier, and a block's share with what the division leaves.
        shared_bytes: 1024 + 32 + 16 + 4 * (segment_len / width + 4 * width),
    };
    let report = if cluster_width.is_some() {
        // SAFETY: the launch is what the agent asks for, and the parameters describe live buffers.
        launch(&mut memory, shape, options, move || unsafe { probe::cluster::<u32, THREADS>(params) })?
    } else {
        // SAFETY: as above.
        launch(&mut memory, shape, options, move || unsafe { probe::block::<u32, THREADS>(params) })?
    };
    assert!(memory.written(out).iter().all(|written| *written), "an output is left unwritten");
    let found: &[u64] = bytemuck::cast_slice(memory.bytes(out));
    for (segment, found) in keys.chunks(segment_len as usize).zip(found) {
        let mut sorted = segment.to_vec();
        sorted.sort_unstable();
        assert_eq!(u64::from(sorted[k as usize - 1]), *found, "k = {k}, {}", options.schedule);
    }
    Ok(report)
}

#[test]
fn by_blocks() {
    for seed in 0..20 {
        if let Err(fault) = run(Schedule::nth(seed).into(), None, 100 + seed as u32, seed) {
            panic!("{fault}");
        }
    }
}

#[test]
fn by_clusters() {
    for seed in 0..40 {
        let width = [1, 2, 4][seed as usize % 3];
        if let Err(fault) = run(Schedule::nth(seed).into(), Some(width), 160 + 16 * seed as u32, seed) {
            panic!("{fault}");
        }
    }
}

/// What it costs: a cluster of four blocks of 64 threads over 10,000 keys, four radix passes.
#[test]
fn ten_thousand_keys_by_a_cluster() {
    let started = std::time::Instant::now();
    let report = run(Schedule::nth(0).into(), Some(4), 10_000, 1).unwrap_or_else(|fault| panic!("{fault}"));
    println!("{} operations for two segments in {:?}", report.operations, started.elapsed());
}
