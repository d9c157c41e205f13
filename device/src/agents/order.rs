//! A thread block per segment that brings the items in order which the cluster kernel has selected.
//!
//! The cluster kernel leaves the indices of a segment's items in its row of the workspace, in any order. Items that shared
//! memory holds are sorted there ([`bucket_sort()`]); more are sorted between the two halves of the row
//! ([`radix_sort()`]). Items of one cost come out in the order of their indices, but where there are many
//! and the call does not ask for it.

use super::bucket_sort::{self, bucket_sort};
use super::cost::{Costs, Key, Word};
use super::extremes::{block_extremes, extremes_words};
use super::items::Items;
use super::radix_sort::{self, Range, Records, radix_sort};
use super::segment::Segment;
use crate::arch::global::Global;
use crate::arch::shared::Shared;
use crate::arch::{Scalar, thread};
use crate::primitives::{strided, warps};
use cluster_topk_abi::params::{Flags, OrderParams};
use cluster_topk_abi::policy::{OrderMemory, OrderPolicy};

/// Orders the items of segment `block index`.
///
/// # Safety
///
/// `THREADS` and `ITEMS` are powers of two, at most 32,768 items together. Launched with one block of `THREADS` threads per
/// segment and [`OrderMemory::bytes`] of dynamic shared memory for `params.items` items; `params` describes live device memory,
/// and the cluster kernel has run on its [`selection`](OrderParams::selection) of the same memory.
#[inline(always)]
pub unsafe fn run<K, const THREADS: u32, const ITEMS: usize>(params: &OrderParams)
where
    K: Key + core::ops::BitXor<Output = K>,
{
    let worker = thread::block_index();
    if worker >= params.call.num_segments {
        return;
    }
    // SAFETY: the caller's promise.
    let segment = unsafe { Segment::<K>::of(&params.call, worker.into()) };
    segment.fill(thread::index(), THREADS);
    // No more than the row has room for, whatever the numbers in device memory say.
    let k = segment.selected().min(params.items);
    if k == 0 {
        return;
    }
    let policy = const { OrderPolicy { threads: THREADS, items_per_thread: ITEMS as u32 } };
    let memory = OrderMemory::of(policy, <K::Word as Scalar>::BYTES, k);
    let costs = Costs::of(&params.call);
    let row = params.workspace.wrapping_add(u64::from(worker).wrapping_mul(params.row_bytes));
    // SAFETY: the caller's promise; `k` items fit the row.
    let selected = unsafe { Global::<u32>::new(row, k.into()) };
    // An index that is none of the segment's would be somebody's write to the workspace, and reads nothing outside the keys.
    let last = segment.len() - 1;
    let index = |at: u32| selected.load(at.into()).min(last);

    if k <= const { THREADS * ITEMS as u32 } {
        // SAFETY: the launch provides the memory for `params.items` items, and `k` take no more.
        let items = unsafe { Items::<K::Word, u32>::carve(memory.items, memory.indices, k) };
        // SAFETY: as above; the parts lie apart.
        let scratch = unsafe {
            bucket_sort::Scratch::carve(
                THREADS,
                OrderMemory::EXTREMES,
                memory.scratch,
                memory.counters,
                policy.buckets(k),
            )
        };
        let cost = |_, index| segment.cost(index, costs);
        // SAFETY: the whole block is here: what was branched on is the same for all its threads. Nothing is written that the
        // closures read.
        let sorted = unsafe {
            bucket_sort::<K::Word, u32, THREADS, ITEMS>(items, scratch, k, last.significant(), index, cost)
        };
        for own in strided(thread::index(), k, THREADS) {
            let (place, cost, index) = sorted.item(own);
            segment.write_cost(place, index, cost, costs);
        }
        return;
    }

    // SAFETY: more items than shared memory holds have a row with two halves, which is this block's.
    let half = |half| unsafe { Records::half(row, params.items, half) };
    let halves = (half(1), half(0));
    let (mut least, mut most) = (K::Word::WORST, K::Word::BEST);
    for at in strided(thread::index(), k, THREADS) {
        // The indices lie in the other half.
        let index = index(at);
        let cost = segment.cost(index, costs);
        least = least.min(cost);
        most = most.max(cost);
        halves.0.set(at, cost, index);
    }
    // SAFETY: at the front of what the launch provides.
    let extremes = unsafe { Shared::carve(OrderMemory::EXTREMES, const { extremes_words(THREADS) }) };
    // SAFETY: the whole block is here. Its barrier ends the writes of the records and the reads of the indices.
    let (least, most) = unsafe { block_extremes::<K::Word, THREADS>(extremes, least, most) };
    // SAFETY: behind the extremes.
    let sums = unsafe { Shared::carve(memory.scratch, const { warps(THREADS) }) };
    // SAFETY: behind the sums.
    let idle = unsafe { Shared::carve(memory.idle, 1) };
    // SAFETY: behind that word.
    let counters = unsafe { Shared::carve(memory.counters, const { warps(THREADS) * OrderPolicy::DIGITS }) };
    let last_index = if params.call.flags.contains(Flags::STABLE) { last } else { 0 };
    let range = Range { least, most, last_index };
    let scratch = radix_sort::Scratch { sums, idle, counters };
    // SAFETY: the whole block is here, and nobody else has the row and the memory.
    let sorted = unsafe { radix_sort::<K::Word, THREADS>(halves, scratch, k, range) };
    for own in strided(thread::index(), k, THREADS) {
        let (cost, index) = sorted.get(own);
        segment.write_cost(own, index, cost, costs);
    }
}
