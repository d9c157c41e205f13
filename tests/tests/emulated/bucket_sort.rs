//! The sort by buckets alone: costs in, places and items out.

use crate::times;
use cluster_topk_abi::policy::OrderPolicy;
use cluster_topk_device::agents::bucket_sort::{Scratch, bucket_sort};
use cluster_topk_device::agents::cost::Word;
use cluster_topk_device::agents::items::Items;
use cluster_topk_device::arch::global::Global;
use cluster_topk_device::arch::{Scalar, block, thread};
use cluster_topk_device::primitives::strided;
use cluster_topk_emulate::{Fault, Launch, Memory, Options, Report, Schedule, Use, launch};
use cluster_topk_tests::generators::rng;
use rand::RngExt;
use rand::rngs::StdRng;
use std::collections::BTreeSet;

/// Device addresses: `count` costs of 64 bits and indices of 32, and as many of each written in order.
#[derive(Clone, Copy)]
struct Params {
    costs: u64,
    indices: u64,
    sorted_costs: u64,
    sorted_indices: u64,
    count: u32,
    /// Bits of an index.
    index_bits: u32,
    /// Whether the items lie in shared memory already, where they are sorted.
    in_place: bool,
}

/// Where the items start, behind scratch for 1,024 threads.
const ITEMS: u32 = 1024;

/// One block sorts what lies in global memory. As the pieces it is made of ask.
unsafe fn kernel<W: Word, I: Scalar, const THREADS: u32, const PER_THREAD: usize>(params: Params) {
    let Params { count, .. } = params;
    let policy = OrderPolicy { threads: THREADS, items_per_thread: PER_THREAD as u32 };
    let capacity = policy.capacity();
    // SAFETY: `one` launches with room for all three parts.
    let items = unsafe { Items::<W, I>::carve(ITEMS, ITEMS + 8 * (capacity + 2), capacity) };
    let starts = ITEMS + (8 + I::BYTES) * (capacity + 2);
    // SAFETY: as above.
    let scratch = unsafe { Scratch::<W>::carve(THREADS, 0, 512, starts, policy.buckets(count)) };
    // SAFETY: `one` passes buffers of this length.
    let costs_at = |address| unsafe { Global::<u64>::new(address, count.into()) };
    // SAFETY: as above.
    let indices_at = |address| unsafe { Global::<u32>::new(address, count.into()) };
    let (costs, sorted_costs) = (costs_at(params.costs), costs_at(params.sorted_costs));
    let (indices, sorted_indices) = (indices_at(params.indices), indices_at(params.sorted_indices));
    let cost_at = |at: u32| W::truncate(costs.load(at.into()));
    let index_at = |at: u32| indices.load(at.into());
    let sorted = if params.in_place {
        for own in strided(thread::index(), count, THREADS) {
            // Another thread's than that which reads it.
            let at = count - 1 - own;
            items.set(at, cost_at(at), index_at(at));
        }
        // SAFETY: the whole block is here.
        unsafe { block::sync() };
        // SAFETY: as above; all items have been set.
        unsafe {
            bucket_sort::<W, I, THREADS, PER_THREAD>(
                items,
                scratch,
                count,
                params.index_bits,
                |at| items.index(at),
                |at, _| items.cost(at),
            )
        }
    } else {
        // SAFETY: as above.
        unsafe {
            bucket_sort::<W, I, THREADS, PER_THREAD>(
                items,
                scratch,
                count,
                params.index_bits,
                index_at,
                |at, _| cost_at(at),
            )
        }
    };
    for own in strided(thread::index(), count, THREADS) {
        let place = sorted.item(own).0.into();
        sorted_costs.store(place, items.cost(own).widen());
        sorted_indices.store(place, items.index(own));
    }
}

/// How costs are spread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spread {
    Even,
    /// Few different ones.
    Few,
    Equal,
    /// A handful far from all others.
    Skewed,
    Narrow,
}

pub(crate) const SPREADS: [Spread; 5] =
    [Spread::Even, Spread::Few, Spread::Equal, Spread::Skewed, Spread::Narrow];

fn costs(rng: &mut StdRng, spread: Spread, count: usize, most: u64) -> Vec<u64> {
    let base = rng.random_range(0..=most / 2);
    let one = |rng: &mut StdRng| match spread {
        Spread::Even => rng.random_range(0..=most),
        Spread::Few => base + rng.random_range(0..4),
        Spread::Equal => base,
        Spread::Skewed if rng.random_bool(0.05) => rng.random_range(0..=most),
        Spread::Skewed => base + rng.random_range(0..100),
        Spread::Narrow => base + rng.random_range(0..2 * count as u64),
    };
    (0..count).map(|_| one(rng)).collect()
}

/// Sorts once; what the launch did, or what is wrong.
pub(crate) fn one<W: Word, I: Scalar, const THREADS: u32, const PER_THREAD: usize>(
    options: Options,
    count: u32,
    spread: Spread,
    seed: u64,
) -> Result<Report, Box<Fault>> {
    let rng = &mut rng(seed);
    let costs = costs(rng, spread, count as usize, W::WORST.widen());
    let step = if I::BYTES == 2 { 1 } else { 100_003 };
    let mut indices: Vec<u32> = (0..count).map(|i| i * step).collect();
    for i in (1..indices.len()).rev() {
        indices.swap(i, rng.random_range(0..=i));
    }
    let mut memory = Memory::new();
    let costs_in = memory.add("costs", Use::Input, bytemuck::cast_slice(&costs));
    let indices_in = memory.add("indices", Use::Input, bytemuck::cast_slice(&indices));
    let costs_out = memory.add("sorted costs", Use::Output, &vec![0xEE; 8 * count as usize]);
    let indices_out = memory.add("sorted indices", Use::Output, &vec![0xEE; 4 * count as usize]);
    let params = Params {
        costs: memory.address(costs_in),
        indices: memory.address(indices_in),
        sorted_costs: memory.address(costs_out),
        sorted_indices: memory.address(indices_out),
        count,
        index_bits: indices.iter().max().map_or(0, |last| u32::BITS - last.leading_zeros()),
        in_place: seed.is_multiple_of(2),
    };
    let capacity = THREADS * PER_THREAD as u32;
    let shared_bytes = ITEMS + (8 + I::BYTES) * (capacity + 2) + 4 * (capacity + 1);
    let shape = Launch { blocks: 1, threads: THREADS, cluster_width: 1, shared_bytes };
    // SAFETY: the launch has the kernel's threads and memory, and the parameters describe live buffers.
    let run = move || unsafe { kernel::<W, I, THREADS, PER_THREAD>(params) };
    let report = launch(&mut memory, shape, options, run)?;
    let mut expected: Vec<(u64, u32)> = costs.into_iter().zip(indices).collect();
    expected.sort_unstable();
    let found: &[u64] = bytemuck::cast_slice(memory.bytes(costs_out));
    let found_indices: &[u32] = bytemuck::cast_slice(memory.bytes(indices_out));
    for (place, (cost, index)) in expected.into_iter().enumerate() {
        let found = (found[place], found_indices[place]);
        assert_eq!(found, (cost, index), "place {place} of {count}, {spread:?}, seed {seed}");
    }
    Ok(report)
}

fn many<W: Word, I: Scalar, const THREADS: u32, const PER_THREAD: usize>(seeds: u64) {
    let capacity = THREADS * PER_THREAD as u32;
    for seed in 0..seeds * times() {
        for count in [1, 2, 31, capacity / 3 + 1, capacity / 2, capacity / 2 + 1, capacity - 1, capacity] {
            let count = count.clamp(1, capacity);
            let spread = SPREADS[seed as usize % 5];
            let done = one::<W, I, THREADS, PER_THREAD>(Schedule::nth(seed).into(), count, spread, seed);
            if let Err(fault) = done {
                panic!("{count} items, seed {seed}: {fault}");
            }
        }
    }
}

#[test]
fn every_spread() {
    many::<u32, u16, 32, 1>(40);
    many::<u32, u16, 64, 4>(40);
    many::<u64, u32, 64, 4>(40);
    many::<u64, u16, 128, 2>(40);
    many::<u32, u32, 256, 8>(10);
    many::<u64, u32, 512, 1>(10);
    many::<u32, u32, 1024, 4>(10);
    many::<u64, u32, 1024, 4>(10);
}

/// Evenly spread costs, and few different ones, take no network: its barriers are not passed.
#[test]
fn what_takes_a_network() {
    fn barriers<W: Word>(spread: Spread) -> BTreeSet<usize> {
        let one = |seed| one::<W, u32, 128, 8>(Schedule::nth(seed).into(), 1000, spread, 2 * seed + 1);
        let of = |seed| one(seed).unwrap_or_else(|fault| panic!("{fault}")).sites.len();
        (0..20).map(of).collect()
    }
    for spread in [Spread::Even, Spread::Narrow, Spread::Few, Spread::Equal] {
        assert_eq!(barriers::<u32>(spread), [5].into(), "{spread:?}");
        assert_eq!(barriers::<u64>(spread), [5].into(), "{spread:?}");
    }
    assert_eq!(barriers::<u32>(Spread::Skewed), [7].into());
}
