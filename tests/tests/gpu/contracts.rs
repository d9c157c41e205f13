//! Every requirement where ties and orders matter, by a warp, a block and a wide block per segment; by clusters in `order`.

use super::device::Device;
use super::harness::Tests;
use super::special::DIRECTIONS;
use cluster_topk_abi::policy::BlockMemory;
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::oracle::winners;
use cluster_topk_tests::request::{
    Form, IndexType, Int, Number, Order, Pair, Request, Requirement, Tie, Written,
};
use cluster_topk_tests::runner::Outputs;
use cluster_topk_tests::runner::cpu::CpuRunner;
use cluster_topk_tests::worked_example as example;
use half::f16;

pub(crate) fn add(tests: &mut Tests) {
    tests.add("quick::the_worked_example", worked_example);
    tests.add("contracts::ties_at_every_tile", |device| {
        macro_rules! tied {
            ($name:ident, $t:ty) => {
                ties::<$t>(device)
            };
        }
        each_key_type!(tied);
    });
    tests.add("contracts::many_long_segments", many_long_segments);
    tests.add("contracts::as_many_winners_as_there_are_keys", many_winners);
    tests.add("contracts::the_same_a_hundred_times", repeated);
}

fn sorted(mut winners: Vec<usize>) -> Vec<usize> {
    winners.sort_unstable();
    winners
}

/// Keys 10 8 8 8 6 5, k = 3: the sets and the sequences of every row and column of the published table.
fn worked_example(device: &'static Device) {
    for requirement in Requirement::spellings() {
        for written in Written::ALL {
            let request = Request { requirement, written, ..Request::single(example::K) };
            let given = run(&device.runner, &request, &example::KEYS).winners.remove(0);
            example::check(requirement, &given, &format!("{written:?}"));
        }
    }
}

/// Rows of one length under each of some requirements: a set that must be the same every time is the one by index, and what is pinned
/// altogether is, bit by bit, what the CPU engine gives.
pub(crate) fn rows<K: TestKey>(
    device: &Device,
    seed: u64,
    len: usize,
    k: usize,
    count: usize,
    distribution: Distribution,
    requirements: Vec<Requirement>,
) {
    let keys: Vec<K> = keys(&mut rng(seed), distribution, len * count);
    let direction = DIRECTIONS[seed as usize % 2];
    let expected =
        |tie| keys.chunks(len).map(|row| sorted(winners(row, k, direction, tie))).collect::<Vec<_>>();
    let (smaller, larger) = (expected(Tie::Smaller), expected(Tie::Larger));
    for requirement in requirements {
        let form = Form::Rows { count, size: Number::plain(len), pitch: None };
        let written = Written::KeysAndIndices(IndexType::U32);
        let request = Request { seed, requirement, direction, written, form, ..Request::single(k) };
        let answer = run(&device.runner, &request, &keys);
        let expected = match requirement.membership() {
            Pair::NotGuaranteed => continue,
            Pair::Larger => &larger,
            Pair::RunToRun | Pair::GpuToGpu | Pair::Smaller => &smaller,
        };
        for (expected, given) in expected.iter().zip(&answer.winners) {
            assert_eq!(&sorted(given.clone()), expected, "{request:?}");
        }
        if requirement.ordering() == Order::StableSorted && requirement.tie().is_some() {
            // The same segments in the form that is compiled for every requirement.
            let offsets = (0..=count).map(|row| (row * len) as i128).collect();
            let form = Form::Ragged { offsets, int: Int::I64, max_length: Some(len as i64) };
            let cpu = run(&CpuRunner::default(), &Request { form, ..request.clone() }, &keys);
            let slots = |out: &Outputs<K>| (0..out.len).map(|slot| out.slot(slot)).collect::<Vec<_>>();
            assert!(slots(&answer.out) == slots(&cpu.out), "another output than the CPU's: {request:?}");
        }
    }
}

fn ties<K: TestKey>(device: &Device) {
    let lengths = [33, 64, 100, 250, 256, 500, 1000, 1024, 1025, 2048, 4000, 4096, 8192, 16_000, 16_384];
    for (seed, len) in (0..).zip(lengths) {
        for (nth, distribution) in (0..).zip(Distribution::TIES) {
            let ks = [1, 8, 40, len / 10 + 1, len / 2, len - 1, len];
            let k = ks[(seed + nth) as usize % ks.len()];
            // So few that the long ones go to wide blocks.
            rows::<K>(device, 10 * seed + nth, len, k, 3, distribution, all());
        }
    }
}

/// More long segments than any GPU has multiprocessors, so that wide blocks do not take them.
fn many_long_segments(device: &'static Device) {
    let pinned = |tie| Requirement::of(tie, Order::StableSorted);
    for (seed, len) in [8192, 16_384].into_iter().enumerate() {
        let count = 200;
        let requirements = || vec![pinned(Pair::Smaller), pinned(Pair::Larger)];
        rows::<u8>(device, seed as u64, len, len / 8, count, Distribution::Bits, requirements());
        rows::<f16>(device, seed as u64, len, len / 8, count, Distribution::Boundary, requirements());
        rows::<f32>(device, seed as u64, len, len / 8, count, Distribution::Boundary, requirements());
        rows::<u64>(device, seed as u64, len, len / 8, count, Distribution::FewDistinct, requirements());
    }
}

pub(crate) fn all() -> Vec<Requirement> {
    Requirement::meanings().collect()
}

/// Around the number up to which winners are sorted with their costs beside them, and beyond.
fn many_winners(device: &'static Device) {
    let most =
        [4, 8].into_iter().flat_map(|word| [256, 1024].map(|threads| BlockMemory::of(word, threads, 16)));
    let most =
        most.map(|memory| memory.sorted_capacity() as usize).flat_map(|most| [most - 1, most, most + 1]);
    let ks = [255, 256, 257, 2048, 4096, 5000, 8191, 8192, 16_384].into_iter().chain(most);
    for (seed, k) in (0..).zip(ks) {
        for len in [k.max(2000), 16_384] {
            rows::<f32>(device, seed, len, k, 2, Distribution::Boundary, all());
            rows::<u64>(device, seed + 1, len, k, 2, Distribution::LastBits, all());
            rows::<u8>(device, seed, len, k, 2, Distribution::Bits, all());
        }
    }
}

fn repeated(device: &'static Device) {
    for seed in 0..100 {
        rows::<f32>(device, 7, 1000, 100, 100, Distribution::FewDistinct, all());
        rows::<f32>(device, 8, 5000, 700, 20, Distribution::Boundary, all());
        if seed % 10 == 0 {
            rows::<i64>(device, 9, 16_384, 3000, 3, Distribution::Outliers, all());
        }
    }
}
