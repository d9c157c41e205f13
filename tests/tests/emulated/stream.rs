//! Chunks that pass through their slots: each corner of the schedule by itself, and how much is copied.

use crate::cluster::{AGENTS, Agent, Emulated, Family, PAIRS, Shape, agent, any_agent};
use crate::times;
use cluster_topk_emulate::{Report, Schedule};
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Bound, Direction, Form, Int, Number, Order, Pair, Request, Requirement};

/// Blocks of `slots` slots that chunks pass through.
fn shape(width: u32, slots: u32) -> Shape {
    Shape { width, slots, family: Family::Streaming, single_block_max_seg_size: 0, min_chunks_per_block: 1 }
}

/// The `k` largest of the keys from number `from` on.
fn behind(from: usize, len: usize, k: usize, pair: Pair, seed: u64) -> Request {
    let form =
        Form::Ragged { offsets: vec![from as i128, (from + len) as i128], int: Int::I32, max_length: None };
    let direction = [Direction::Largest, Direction::Smallest][seed as usize % 2];
    let requirement = Requirement::of(pair, Order::Unsorted);
    Request { form, requirement, direction, seed, ..Request::single(k) }
}

/// Keys of which `per_chunk` fill a chunk, `per_line` a line: as many chunks as asked for, the last of them `lines` lines long.
fn len_of(chunks: u32, lines: u32, agent: &Agent, key_bytes: u32) -> usize {
    let (chunk, line) = (agent.policy.chunk_bytes / key_bytes, agent.policy.load_align_bytes / key_bytes);
    ((chunks - 1) * chunk + lines * line) as usize
}

/// As many chunks as slots and some more or fewer, so that the last slot that is filled again is any of them and passes end
/// anywhere, with a last chunk of every length; the passes of few and of many items, every pair, forward and backward.
fn corners<K: TestKey>(name: &str) {
    let agent = agent(name);
    let key_bytes = size_of::<K>() as u32;
    let lines = agent.policy.chunk_bytes / agent.policy.load_align_bytes;
    let mut seed = 0;
    for slots in 1..=agent.policy.pipeline_stages.min(5) {
        for chunks in [slots, slots + 1, 2 * slots - 1, 2 * slots, 2 * slots + 1, 3 * slots + 2] {
            for width in [1, 2] {
                for last in [1, lines.div_ceil(2), lines] {
                    // Two blocks have twice as many.
                    let len = len_of(width * chunks, last, agent, key_bytes).max(2);
                    for k in [1, len / 10 + 1, len - 1] {
                        seed += 1;
                        let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
                        let some: Vec<K> = keys(&mut rng(seed), distribution, len);
                        let request = behind(0, len, k, PAIRS[seed as usize % PAIRS.len()], seed);
                        let schedule = Schedule::nth(seed);
                        Emulated { agent, shape: shape(width, slots), schedule }.report(&request, &some);
                    }
                }
            }
        }
    }
}

#[test]
fn a_stream_of_one_slot() {
    corners::<u8>("OneLine");
    corners::<f32>("OneLine");
    corners::<u64>("OneLine");
}

#[test]
fn every_number_of_chunks_beside_the_slots() {
    corners::<u8>("TwoLines");
    corners::<f32>("TwoLines");
    corners::<i64>("TwoLines");
    corners::<half::f16>("Wide");
    corners::<f32>("Wide");
}

/// A segment begins and ends anywhere in a line, and its edges are folded into every pass.
fn edges<K: TestKey>(name: &str) {
    let agent = agent(name);
    let line = agent.policy.load_align_bytes as usize / size_of::<K>();
    for seed in 0..(line * line) as u64 * times().min(3) {
        let (head, tail) = (seed as usize % line, seed as usize / line % line);
        let len = (line - head) + len_of(5, 1, agent, size_of::<K>() as u32) + tail;
        let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
        let some: Vec<K> = keys(&mut rng(seed), distribution, head + len + 3);
        let k = [3, len / 2, len - 1][seed as usize % 3];
        // The buffer begins on a line if the request's seed is a multiple of seven, so that every pair of edges comes up.
        let request = behind(head, len, k, PAIRS[seed as usize % PAIRS.len()], 7 * seed);
        let schedule = Schedule::nth(seed);
        Emulated { agent, shape: shape(1, 2), schedule }.report(&request, &some);
    }
}

#[test]
fn edges_of_every_length() {
    edges::<u8>("OneLine");
    edges::<f32>("TwoLines");
    edges::<u16>("TwoLines");
    edges::<f64>("Wide");
}

/// What a launch over `len` equal keys did, `k` of them being wanted.
fn equal(agent: &'static Agent, slots: u32, len: usize, k: usize) -> Report {
    let requirement = Requirement::of(Pair::NotGuaranteed, Order::Unsorted);
    let request = Request { requirement, ..Request::single(k) };
    let schedule = Schedule::nth(u64::from(slots) + len as u64);
    Emulated { agent, shape: shape(1, slots), schedule }.report(&request, &vec![7u16; len])
}

/// The first pass copies every chunk, and each later one those that the pass before has not left in a slot. All keys but one are
/// wanted, so nothing bounds the k-th, and every pass decides its bits.
#[test]
fn chunks_are_copied_as_seldom_as_they_can() {
    for agent in AGENTS {
        let lines = agent.policy.chunk_bytes / agent.policy.load_align_bytes;
        // The passes, the attempt to list the candidates after the first of them, the placement.
        let all = u64::from(16u32.div_ceil(agent.policy.bits_per_pass)) + 2;
        for slots in 1..=agent.policy.pipeline_stages.min(4) {
            for chunks in 1..=3 * slots + 1 {
                let len = len_of(chunks, lines, agent, 2);
                // Once they are listed, no pass looks at the keys.
                let visits = if len <= agent.policy.list_capacity as usize { 2 } else { all };
                let copies = equal(agent, slots, len, len - 1).bulk_copies;
                let expected = u64::from(chunks) + (visits - 1) * u64::from(chunks.saturating_sub(slots));
                assert_eq!(copies, expected, "{}: {chunks} chunks, {slots} slots", agent.name);
            }
        }
    }
}

/// Where the bound says that more keys are within it than a list holds, none is listed: the keys are looked at for the bound, in the
/// passes that leave a single cost, and in the placement.
#[test]
fn a_crowd_is_not_listed() {
    for agent in AGENTS {
        let (slots, group) = (agent.policy.pipeline_stages.min(2), 8);
        let lines = agent.policy.chunk_bytes / agent.policy.load_align_bytes;
        let listed = agent.policy.list_capacity * group;
        let chunks = (listed * 2 / agent.policy.chunk_bytes + 2).max(6 * slots);
        let len = len_of(chunks, lines, agent, 2);
        // As many as a quarter of all groups: those in slots are no sample.
        let k = len / (4 * group as usize) - 1;
        let copies = equal(agent, slots, len, k).bulk_copies;
        // The least cost is known then, and the greatest within the bound is 7 more.
        let visits = 1 + 3u32.div_ceil(agent.policy.bits_per_pass) + 1;
        let expected = u64::from(chunks) + u64::from(visits - 1) * u64::from(chunks - slots);
        assert_eq!(copies, expected, "{}: {chunks} chunks", agent.name);
    }
}

/// Where a sample of the keys bounds the k-th, the others are copied a single time.
#[test]
fn a_sample_is_looked_at_before_the_stream() {
    let agent = agent("Wide");
    let slots = 8;
    for seed in 0..20 * times() {
        let chunks = 12 + seed as u32 % 30;
        let len = len_of(chunks, 1, agent, 4);
        let some: Vec<u32> = keys(&mut rng(seed), Distribution::Bits, len);
        let request = behind(0, len, 3, Pair::Smaller, seed);
        let schedule = Schedule::nth(seed);
        let report = Emulated { agent, shape: shape(1, slots), schedule }.report(&request, &some);
        // Where the segment begins within a line, its only line of the last chunk is an edge.
        let chunks = u64::from(chunks);
        assert!([chunks - 1, chunks].contains(&report.bulk_copies), "{chunks}: {}", report.bulk_copies);
    }
}

/// Lengths and k that only the device knows: some segments of a launch stream, others fit, others are empty.
#[test]
fn segments_of_all_lengths_beside_one_another() {
    for seed in 0..40 * times() {
        let agent = &AGENTS[any_agent(seed)];
        let chunk = agent.policy.chunk_bytes as usize / 4;
        let lengths = [9 * chunk + 1, 0, 2 * chunk, 1, 30 * chunk, chunk - 1, 3 * chunk];
        let mut offsets = vec![seed as i128 % 5];
        for len in lengths {
            offsets.push(offsets[offsets.len() - 1] + len as i128);
        }
        let total = offsets[offsets.len() - 1] as usize;
        let ks = (0..lengths.len()).map(|at| [2i128, 5, 40, 1000][(at + seed as usize) % 4]).collect();
        let request = Request {
            form: Form::Ragged { offsets, int: Int::U64, max_length: None },
            k: Number::Sequence(ks, Int::I32, Bound::Runtime(0, 1000)),
            requirement: Requirement::of(PAIRS[seed as usize % PAIRS.len()], Order::Unsorted),
            seed,
            ..Request::single(1)
        };
        let some: Vec<f32> = keys(&mut rng(seed), Distribution::FewDistinct, total);
        let schedule = Schedule::nth(seed);
        Emulated { agent, shape: shape(1 + seed as u32 % 3, 2), schedule }.report(&request, &some);
    }
}
