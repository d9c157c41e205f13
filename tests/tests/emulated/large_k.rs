//! The search for large k: how often it looks at all keys, and what it does where its guess is wrong or its lists are too short.

use crate::cluster::{Emulated, Family, PAIRS, Shape, agent};
use crate::times;
use cluster_topk_emulate::{Report, Schedule};
use cluster_topk_tests::generators::{Distribution, keys, pick, rng};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Order, Pair, Request, Requirement};
use rand::RngExt;
use rand::seq::SliceRandom;

fn shape(width: u32, slots: u32) -> Shape {
    Shape { width, slots, family: Family::LargeK, single_block_max_seg_size: 0, min_chunks_per_block: 1 }
}

/// What a launch over one segment did, whose answer is right.
fn report<K: TestKey>(name: &str, shape: Shape, keys: &[K], k: usize, pair: Pair, seed: u64) -> Report {
    let requirement = Requirement::of(pair, Order::Unsorted);
    // The buffer begins on a line, so that a segment of whole lines has no edges.
    let request =
        Request { requirement, direction: Direction::Largest, seed: 7 * seed, ..Request::single(k) };
    Emulated { agent: agent(name), shape, schedule: Schedule::nth(seed) }.report(&request, keys)
}

/// Keys spread over all values, each once, in any order.
fn spread(seed: u64, len: u32) -> Vec<u32> {
    let mut keys: Vec<u32> = (0..len).map(|key| key * (u32::MAX / len) + 1000).collect();
    keys.shuffle(&mut rng(seed));
    keys
}

/// Chunks copied by `visits` sweeps over all of them.
fn copies(chunks: u64, slots: u64, visits: u64) -> u64 {
    chunks + (visits - 1) * chunks.saturating_sub(slots)
}

/// Keys of a chunk of the agent `Wide`.
const CHUNK: u32 = 192 / 4;
/// Keys that its threads look at before the first pass, eight side by side.
const SAMPLES: u32 = 128;

/// Once by the first pass, whose range the sample suggests, and once to put what is better and to list the rest.
#[test]
fn all_keys_are_looked_at_twice() {
    for seed in 0..40 * times() {
        let chunks = 20 + seed as u32 % 40;
        let len = chunks * CHUNK;
        let k = [len / 16, len / 8, len / 3, len / 2, len - len / 9][seed as usize % 5] as usize;
        let report = report("Wide", shape(1, 4), &spread(seed, len), k, PAIRS[seed as usize % 5], seed);
        assert_eq!(report.bulk_copies, copies(chunks.into(), 4, 2), "seed {seed}: {len} keys, k = {k}");
    }
}

/// Where all that the sample sees is far better or far worse than the k-th, a pass more finds it.
#[test]
fn a_range_that_misses_the_kth_costs_a_pass() {
    let chunks = 40;
    let len = chunks * CHUNK;
    let apart = len / (SAMPLES / 8);
    for seed in 0..20 * times() {
        let (lowest, highest) = (seed % 2 == 0, seed % 2 == 1);
        let mut keys = spread(seed, len);
        for (at, key) in (0..).zip(&mut keys) {
            if at % apart < 8 {
                // In the order of the keys, yet all different.
                *key = if highest { u32::MAX - at } else { at };
            }
        }
        let k = (if lowest { len / 3 } else { 2 * len / 3 }) as usize;
        let report = report("Wide", shape(1, 4), &keys, k, PAIRS[seed as usize % 5], seed);
        assert_eq!(report.bulk_copies, copies(chunks.into(), 4, 3), "seed {seed}, k = {k}");
    }
}

/// In one block, all that is near the k-th finds no room in the list: the block then looks at its keys again, and leaves those alone that
/// have gone.
#[test]
fn lists_that_are_too_short() {
    let mut again = 0;
    for seed in 0..60 * times() {
        let (name, len) = [("OneLine", 500), ("TwoLines", 2400), ("Wide", 9000)][seed as usize % 3];
        let mut keys: Vec<u32> = (0..len).map(|key| key / 3).collect();
        if seed % 2 == 0 {
            keys.reverse();
        }
        let k = [len / 2, len / 3, len - 2, len / 16][seed as usize / 3 % 4] as usize;
        let width = [2, 4, 16][seed as usize % 3];
        let report = report(name, shape(width, 2), &keys, k, PAIRS[seed as usize % 5], seed);
        let chunks = u64::from((len * 4).div_ceil(agent(name).policy.chunk_bytes));
        again += u64::from(report.bulk_copies > copies(chunks, 2 * u64::from(width), 2));
    }
    assert!(again > 0, "every list was long enough");
}

/// A pass takes two barriers of the cluster, the placement one, and one more if some winners leave before it. There is none for the start.
#[test]
fn barriers_of_the_cluster() {
    for width in [2, 3, 16] {
        // One cost, which the range is known to hold, since nothing else is there.
        for (pair, barriers) in [(Pair::NotGuaranteed, 3), (Pair::Smaller, 4), (Pair::Larger, 4)] {
            let requirement = Requirement::of(pair, Order::Unsorted);
            let request = Request { requirement, ..Request::single(599) };
            let runner =
                Emulated { agent: agent("Wide"), shape: shape(width, 3), schedule: Schedule::nth(1) };
            let report = runner.report(&request, &[7u16; 600]);
            assert_eq!(report.cluster_barriers, barriers, "{pair:?}");
        }
    }
    let alone = report("Wide", shape(1, 3), &spread(3, 600), 200, Pair::Smaller, 3);
    assert_eq!(alone.cluster_barriers, 0);
}

/// Keys of which many are equal, in every distribution, with k from one to all but one.
#[test]
fn every_distribution() {
    for seed in 0..100 * times() {
        let name = ["OneLine", "TwoLines", "Wide"][seed as usize % 3];
        let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
        let keys: Vec<u32> = keys(&mut rng(seed), distribution, 700 + seed as usize);
        let k = [1, keys.len() / 8, keys.len() / 2, keys.len() - 1][seed as usize / 5 % 4];
        let shape = shape([1, 2, 5, 16][seed as usize % 4], 1 + seed as u32 % 4);
        report(name, shape, &keys, k, PAIRS[seed as usize % 5], seed);
    }
}

/// Chunks of two rows of vectors and of three, with few winners in every warp, many, and both; the last chunk ends anywhere.
#[test]
fn chunks_of_several_rows() {
    fn one<K: TestKey>(seed: u64) {
        let rng = &mut rng(seed);
        let name = pick(rng, &["Halves", "Thirds"]);
        let chunk = agent(name).policy.chunk_bytes as usize / size_of::<K>();
        let len =
            rng.random_range(1..=8) * chunk + pick(rng, &[0, 1, 7, chunk / 3, 5 * chunk / 6, chunk - 1]);
        let distribution = pick(rng, &Distribution::ALL);
        let keys: Vec<K> = keys(rng, distribution, len);
        let k = pick(rng, &[len / 16, len / 5, len / 2, len - 3]);
        let shape = shape(pick(rng, &[1, 1, 2, 3, 16]), pick(rng, &[1, 2, 3]));
        report(name, shape, &keys, k, pick(rng, &PAIRS), seed);
    }
    for seed in 0..60 * times() {
        one::<u8>(seed);
        one::<half::bf16>(seed);
        one::<f32>(seed);
        one::<i64>(seed);
    }
}
