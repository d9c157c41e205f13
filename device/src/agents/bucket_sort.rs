//! Sorting as many items as a block's registers hold, in shared memory: by buckets, each of them by counting.
//!
//! 1. *Spread.* The costs between the least and the greatest are cut into about as many buckets as there are items; where there are
//!    fewer costs than buckets, as of narrow keys or ties alone, the items of one cost are spread by their indices. A histogram and
//!    one scan say where each bucket starts, and every item goes to its bucket.
//! 2. *Rank.* An item counts those of its bucket that come before it in the order of cost and index; the count and the start of
//!    the bucket are its place.
//!
//! That takes five barriers, where a network takes the square of the logarithm of the number of items. Where a bucket is
//! crowded, since their costs are far from evenly spread or many of them tie among many costs, counting would take its square, and the
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

/// How costs and indices are spread over buckets, in their order.
#[derive(Clone, Copy, Debug)]
struct Spread<W> {
    least: W,
    /// Of the costs, the bits that tell no buckets apart.
    cost_shift: u32,
    /// The bits of the indices that tell buckets apart, and those below them that do not.
    index_bits: u32,
    index_shift: u32,
}

impl<W: Word> Spread<W> {
    /// Costs from `least` to `most` and indices of `index_bits` bits over `buckets`, a power of two.
    #[inline(always)]
    fn of(least: W, most: W, index_bits: u32, buckets: u32) -> Self {
        let (bits, of_costs) = (buckets.trailing_zeros(), most.minus(least).significant());
        let of_indices = bits.saturating_sub(of_costs).min(index_bits);
        Self {
            least,
            cost_shift: of_costs.saturating_sub(bits),
            index_bits: of_indices,
            index_shift: index_bits - of_indices,
        }
    }

    #[inline(always)]
    fn bucket(self, cost: W, index: u32) -> u32 {
        let of_cost = cost.minus(self.least).shr(self.cost_shift).low();
        let of_index = if self.index_bits > 0 { index.wrapping_shr(self.index_shift) } else { 0 };
        of_cost.wrapping_shl(self.index_bits) | of_index
    }
}

/// Items that lie in order, or by buckets in order.
#[derive(Clone, Copy, Debug)]
pub struct Sorted<W, I> {
    items: Items<W, I>,
    starts: Shared<u32>,
    /// No buckets where `is_exact`.
    spread: Spread<W>,
    is_exact: bool,
}

impl<W: Word, I: Scalar> Sorted<W, I> {
    /// The item at `own`: its place in the order of cost and index, near `own`, its cost and its index. Any thread.
    #[inline(always)]
    pub fn item(self, own: u32) -> (u32, W, u32) {
        let (cost, index) = (self.items.cost(own), self.items.index(own));
        if self.is_exact {
            return (own, cost, index);
        }
        let bucket = self.spread.bucket(cost, index);
        let (from, to) = (self.starts.load(bucket), self.starts.load(bucket + 1));
        (from + self.items.before_within(own, from, to), cost, index)
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
/// and index. Indices have `index_bits` bits, at
/// most 31, and no two items have one index. Both may be read from `items` themselves, as the sort writes these after it has read all. `ITEMS` and `THREADS`
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
    index_bits: u32,
    index: impl Fn(u32) -> u32,
    cost: impl Fn(u32, u32) -> W,
) -> Sorted<W, I> {
    const { assert!(THREADS.is_power_of_two() && ITEMS.is_power_of_two()) };
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

    let spread = Spread::of(least, most, index_bits, buckets);
    for (item, own) in held.iter_mut().enumerate() {
        if item as u32 * THREADS + thread::index() < count {
            own.within = starts.fetch_add(spread.bucket(own.cost, own.index), 1, Scope::Block);
        }
    }
    // SAFETY: the caller's promise; the branches above have ended.
    unsafe { block::sync() };
    let (first, behind) = (thread::index() * buckets / THREADS, (thread::index() + 1) * buckets / THREADS);
    // There are at most as many buckets as items that a block holds.
    let mut sizes = [0u32; ITEMS];
    for (nth, size) in sizes.iter_mut().enumerate() {
        let bucket = first + nth as u32;
        if bucket < behind {
            *size = starts.load(bucket);
        }
    }
    let (mut sum, mut crowded) = (0u32, 0u32);
    for &size in &sizes {
        sum += size;
        crowded |= u32::from(size > CROWDED);
    }
    // Two sums in one word: of the items, and of the threads with a crowded bucket.
    const { assert!(THREADS * ITEMS as u32 <= 0xffff) };
    // SAFETY: as above.
    let (before, total) = unsafe { block_exclusive_sum::<THREADS>(sums, sum + (crowded << 16)) };
    let mut start = before & 0xffff;
    for (nth, &size) in sizes.iter().enumerate() {
        let bucket = first + nth as u32;
        if bucket < behind {
            starts.store(bucket, start);
        }
        start += size;
    }
    if thread::index() == 0 {
        starts.store(buckets, count);
    }
    // SAFETY: as above.
    unsafe { block::sync() };
    for (item, own) in held.iter().enumerate() {
        if item as u32 * THREADS + thread::index() < count {
            let start = starts.load(spread.bucket(own.cost, own.index));
            items.set(start + own.within, own.cost, own.index);
        }
    }
    // SAFETY: as above.
    unsafe { block::sync() };
    let is_exact = total > 0xffff;
    if is_exact {
        // SAFETY: as above; the sum, and so the branch, is the same in all threads.
        unsafe { sort::<THREADS>(count, |low, high| items.exchange(low, high)) };
    }
    Sorted { items, starts, spread, is_exact }
}
