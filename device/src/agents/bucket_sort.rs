//! Sorting as many items as a block's registers hold, in shared memory: by buckets, each of them by counting.
//!
//! 1. *Spread.* The costs between the least and the greatest are cut into about as many buckets as there are items. A histogram
//!    and one scan say where each bucket starts, and every item goes to its bucket.
//! 2. *Rank.* An item counts those of its bucket that come before it in the order of cost and index; the count and the start of
//!    the bucket are its place.
//!
//! That takes four barriers, where a network takes the square of the logarithm of the number of items. Where a bucket is
//! crowded, since many items tie or their costs are far from evenly spread, counting would take its square, and the
//! [network](super::sort) sorts all.

use super::cost::Word;
use super::extremes::{block_extremes, extremes_words};
use super::items::Items;
use super::sort::sort;
use crate::arch::shared::Shared;
use crate::arch::{Scalar, Scope, block, thread};
use crate::primitives::{block_exclusive_sum, block_scan_scratch, strided};
use cluster_topk_abi::policy::OrderPolicy;

/// Up to as many items of a bucket are ranked by counting.
const CROWDED: u32 = 32;

/// The shared memory of a sort beside the items.
#[derive(Clone, Copy, Debug)]
pub struct Scratch<W> {
    /// [`extremes_words`] words.
    pub extremes: Shared<W>,
    /// [`block_scan_scratch`] words.
    pub sums: Shared<u32>,
    /// A word for each of [`OrderPolicy::buckets`], and one more.
    pub starts: Shared<u32>,
}

impl<W: Word> Scratch<W> {
    /// Scratch for a block of `threads` threads and `buckets` buckets, whose parts start as many bytes into shared memory as
    /// the names say: multiples of the size of what they hold.
    ///
    /// # Safety
    ///
    /// The launch provides the bytes, and nobody else uses them while a sort does.
    #[inline(always)]
    pub unsafe fn carve(threads: u32, extremes: u32, sums: u32, starts: u32, buckets: u32) -> Self {
        // SAFETY: the caller's promise.
        let extremes = unsafe { Shared::carve(extremes, extremes_words(threads)) };
        // SAFETY: as above.
        let sums = unsafe { Shared::carve(sums, block_scan_scratch(threads)) };
        // SAFETY: as above.
        let starts = unsafe { Shared::carve(starts, buckets + 1) };
        Self { extremes, sums, starts }
    }
}

/// Items that lie in order, or by buckets in order.
#[derive(Clone, Copy, Debug)]
pub struct Sorted<W, I> {
    items: Items<W, I>,
    starts: Shared<u32>,
    /// The least cost, and the width of a bucket as a shift; no buckets where `is_exact`.
    least: W,
    shift: u32,
    is_exact: bool,
}

impl<W: Word, I: Scalar> Sorted<W, I> {
    /// The place of the item at `own`, near it, in the order of cost and index. Any thread.
    #[inline(always)]
    pub fn place(self, own: u32) -> u32 {
        if self.is_exact {
            return own;
        }
        let bucket = self.items.cost(own).minus(self.least).shr(self.shift).low();
        let (from, to) = (self.starts.load(bucket), self.starts.load(bucket + 1));
        from + self.items.before_within(own, from, to)
    }
}

/// An item in registers.
#[derive(Clone, Copy)]
struct Held<W> {
    cost: W,
    index: u32,
    /// Its place in its bucket, in the order in which items came there.
    within: u32,
}

/// Sorts `count` items, 1 to `THREADS × ITEMS`: for each place below `count` its `index`, and then its `cost`, from that place
/// and index. They may be read from `items` themselves, as the sort writes these after it has read all. `ITEMS` and `THREADS`
/// are powers of two.
///
/// Afterwards all threads may read the items, and nobody may write them or the scratch before the next block barrier.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together with the same `count`; nobody else uses the items and the scratch, whose
/// buckets are [`OrderPolicy::buckets`] of `count`, and a barrier has followed the last write to what the closures read.
#[inline(always)]
pub unsafe fn bucket_sort<W: Word, I: Scalar, const THREADS: u32, const ITEMS: usize>(
    items: Items<W, I>,
    scratch: Scratch<W>,
    count: u32,
    index: impl Fn(u32) -> u32,
    cost: impl Fn(u32, u32) -> W,
) -> Sorted<W, I> {
    let policy = OrderPolicy { threads: THREADS, items_per_thread: ITEMS as u32 };
    let buckets = policy.buckets(count);
    let Scratch { extremes, sums, starts } = scratch;
    // All indices are on their way before the first is asked for, and so are all costs.
    let mut held = [Held { cost: W::WORST, index: 0, within: 0 }; ITEMS];
    for (item, own) in held.iter_mut().enumerate() {
        let at = item as u32 * THREADS + thread::index();
        if at < count {
            own.index = index(at);
        }
    }
    let (mut least, mut most) = (W::WORST, W::BEST);
    for (item, own) in held.iter_mut().enumerate() {
        let at = item as u32 * THREADS + thread::index();
        if at < count {
            own.cost = cost(at, own.index);
            least = least.min(own.cost);
            most = most.max(own.cost);
        }
    }
    for bucket in strided(thread::index(), buckets, THREADS) {
        starts.store(bucket, 0);
    }
    // SAFETY: the caller's promise.
    let (least, most) = unsafe { block_extremes::<W, THREADS>(extremes, least, most) };

    let shift = most.minus(least).significant().saturating_sub(buckets.trailing_zeros());
    let bucket_of = |cost: W| cost.minus(least).shr(shift).low();
    for (item, own) in held.iter_mut().enumerate() {
        if item as u32 * THREADS + thread::index() < count {
            own.within = starts.fetch_add(bucket_of(own.cost), 1, Scope::Block);
        }
    }
    // SAFETY: the caller's promise; the branches above have ended.
    unsafe { block::sync() };
    let (first, behind) = (thread::index() * buckets / THREADS, (thread::index() + 1) * buckets / THREADS);
    let (mut sum, mut crowded) = (0u32, 0u32);
    for bucket in first..behind {
        let size = starts.load(bucket);
        sum += size;
        crowded |= u32::from(size > CROWDED);
    }
    // Two sums in one word: of the items, and of the threads with a crowded bucket.
    const { assert!(THREADS * ITEMS as u32 <= 0xffff) };
    // SAFETY: as above.
    let (before, total) = unsafe { block_exclusive_sum::<THREADS>(sums, sum + (crowded << 16)) };
    let mut start = before & 0xffff;
    for bucket in first..behind {
        let size = starts.load(bucket);
        starts.store(bucket, start);
        start += size;
    }
    if thread::index() == 0 {
        starts.store(buckets, count);
    }
    // SAFETY: as above.
    unsafe { block::sync() };
    for (item, own) in held.iter().enumerate() {
        if item as u32 * THREADS + thread::index() < count {
            items.set(starts.load(bucket_of(own.cost)) + own.within, own.cost, own.index);
        }
    }
    // SAFETY: as above.
    unsafe { block::sync() };
    let is_exact = total > 0xffff;
    if is_exact {
        // SAFETY: as above; the sum, and so the branch, is the same in all threads.
        unsafe { sort::<THREADS>(count, |low, high| items.exchange(low, high)) };
    }
    Sorted { items, starts, least, shift, is_exact }
}
