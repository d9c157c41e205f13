//! A thread block per segment, for segments that its registers hold: up to 16,384 keys.
//!
//! 1. *Bound.* The best of every few keys of a thread stands for them. A histogram over these delegates, spread over the
//!    range that they span, bounds the k-th cost from above, for a fraction of the atomic operations that all keys would
//!    need.
//! 2. *Narrow.* Histograms over the keys within the bound, each spread over the range that is still open, close in on the
//!    k-th cost until a bucket is wanted whole or holds a single cost. Spreading over the open range instead of fixed digits
//!    keeps keys that share their leading bits from crowding into one bucket. Where few delegates are within the bound, each
//!    thread lists its keys that are, and only these are looked at from there on.
//! 3. *Place.* One scan over the threads' counts gives every winner its slot.
//! 4. *Write.* The winners' indices are in shared memory by slot, and one loop writes the items.
//!
//! Where the set must be reproducible, the keys that tie at the k-th cost are counted by rows of 32, in the order of their
//! indices, and the first or the last of them win. Where the output is sorted, the winners are: few by counting for each how
//! many come before it, more by a network, in shared memory with their costs beside them as long as they fit, or, beyond a few
//! thousand, by indices whose keys are looked up.

use super::block_tile::{Placed, Tile};
use super::cost::{Costs, Key};
use super::items::Items;
use super::segment::Segment;
use super::set::Set;
use super::sort::sort;
use crate::arch::shared::Shared;
use crate::arch::thread;
use crate::arch::{Scalar, block};
use crate::primitives::strided;
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::BlockMemory;

/// Up to as many winners are sorted by counting.
const COUNTED: u32 = 256;

/// Selects segment `block index`.
///
/// # Safety
///
/// `GROUPS` divides `ITEMS`. Launched with one block of `THREADS` threads, a power of two, per segment and
/// [`BlockMemory::bytes`] of dynamic shared memory, or [`BlockMemory::sorted_bytes`] where the output is sorted;
/// `params` describes live device memory, and no segment is longer than `THREADS × ITEMS` ≤ 65,535 keys.
#[inline(always)]
pub unsafe fn run<K, const ITEMS: usize, const GROUPS: usize, const THREADS: u32>(params: &KernelParams)
where
    K: Key + core::ops::BitXor<Output = K>,
{
    let worker = thread::block_index();
    if worker >= params.num_segments {
        return;
    }
    // SAFETY: the caller's promise.
    let mut segment = unsafe { Segment::<K>::of(params, worker.into()) };
    let (len, mut k) = (segment.len(), segment.selected());
    segment.fill(thread::index(), THREADS);
    if k == 0 {
        return;
    }
    let memory = const { BlockMemory::of(<K::Word as Scalar>::BYTES, THREADS, ITEMS as u32) };
    let select = k < len;
    let mut sorted = params.flags.contains(Flags::SORTED);
    // SAFETY: behind the rest of what the launch provides.
    let winners = unsafe { Shared::<u16>::carve(memory.winners, k) };
    // SAFETY: at the front of the bytes that the launch provides.
    let kept = unsafe { Shared::<u64>::carve(0, Segment::<K>::WORDS) };
    // SAFETY: behind the segment.
    let map = unsafe { Shared::<K>::carve(const { Segment::<K>::WORDS * 8 }, Costs::<K>::WORDS) };
    let listed = select || sorted;
    if listed {
        let costs = Costs::of(params);
        // What was kept takes up no registers, which the keys need.
        if thread::index() == 0 {
            segment.store(kept);
            costs.store(map);
        }
        let held = segment.costs::<ITEMS, THREADS>(thread::index(), costs);
        let tile = Tile::<_, ITEMS, GROUPS, THREADS> { held, len, left: segment.left(thread::index()) };
        let mut placed = Placed { better: Set::EMPTY, within: tile.keys(), first_within: 0 };
        if select {
            // SAFETY: the whole block is here: what was branched on is the same for all its threads.
            let (open, whole, listed) = unsafe { tile.open(k) };
            placed = tile.placed(open, k, listed);
            if !whole && params.flags.intersects(Flags::SORTED.union(Flags::DETERMINISTIC)) {
                let larger = params.flags.contains(Flags::PREFER_LARGER_INDEX);
                // SAFETY: as above. Every thread has passed the barrier that ends the last search.
                placed.within = unsafe { tile.winning_ties(placed.within, open.k, larger) };
            }
        }
        // SAFETY: as above.
        unsafe { tile.place(placed, k, winners) };
        // SAFETY: as above.
        unsafe { block::sync() };
        let flags;
        (segment, flags) = segment.load(kept);
        sorted = flags.contains(Flags::SORTED);
        k = segment.selected();
    }
    let with_costs = sorted && k <= memory.sorted_capacity();
    // SAFETY: behind the list of winners, which has the indices, where the output is sorted and that many fit.
    let items = unsafe { Items::<K::Word>::carve(memory.costs(k), memory.winners, k) };
    let costs = || Costs::load(map);
    if with_costs {
        let costs = costs();
        for own in strided(thread::index(), k, THREADS) {
            let index = winners.load(own).into();
            items.set(own, segment.cost(index, costs), index);
        }
        items.close(k, thread::index());
        // SAFETY: as above.
        unsafe { block::sync() };
    }
    if sorted && (k > COUNTED || !with_costs) {
        let costs = costs();
        let exchange = |low, high| {
            if with_costs {
                return items.exchange(low, high);
            }
            let (at_low, at_high) = (winners.load(low), winners.load(high));
            let of = |index: u16| (segment.cost(index.into(), costs), index);
            if of(at_high) < of(at_low) {
                winners.store(low, at_high);
                winners.store(high, at_low);
            }
        };
        // SAFETY: as above; the winners have been written.
        unsafe { sort::<THREADS>(k, exchange) };
    }
    for own in strided(thread::index(), k, THREADS) {
        let (slot, index) = if with_costs {
            (if k <= COUNTED { items.slot(own, k, k, false) } else { own }, items.index(own))
        } else {
            (own, if listed { winners.load(own).into() } else { own })
        };
        segment.write_known(slot, index, || if with_costs { costs().key(items.cost(own)) } else { None });
    }
}
