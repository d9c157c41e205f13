//! A thread block per segment, for segments that its registers hold: up to 16,384 keys.
//!
//! 1. *Bound.* The best of every few keys of a thread stands for them. A histogram over these delegates, spread over the
//!    range that they span, bounds the k-th cost from above, for a fraction of the atomic operations that all keys would
//!    need.
//! 2. *Narrow.* Histograms over the keys within the bound, each spread over the range that is still open, close in on the
//!    k-th cost until a bucket is wanted whole or holds a single cost. Spreading over the open range instead of fixed digits
//!    keeps keys that share their leading bits from crowding into one bucket.
//! 3. *Place.* One scan over the threads' counts gives every winner its slot.
//! 4. *Write.* The winners' indices are in shared memory by slot, and one loop writes the items.
//!
//! Where the set must be reproducible, the keys that tie at the k-th cost are counted by rows of 32, in the order of their
//! indices, and the first or the last of them win. Where the output is sorted, the winners are: few by counting for each how
//! many come before it, more by a network, in shared memory with their costs beside them as long as they fit, or, beyond a few
//! thousand, by indices whose keys are looked up.

use super::cost::{Costs, Key, Word};
use super::extremes::{block_extremes, extremes_words};
use super::items::Items;
use super::open::Open;
use super::segment::Segment;
use super::set::Set;
use super::sort::sort;
use crate::arch::shared::Shared;
use crate::arch::thread;
use crate::arch::{Scalar, Scope, block, warp};
use crate::primitives::{Bucket, block_exclusive_sum, find_bucket, find_bucket_scratch, strided, warps};
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::BlockMemory;

/// Buckets of a histogram.
const BUCKETS: u32 = BlockMemory::BUCKETS;
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
    let memory = const { BlockMemory::of(<K::Word as Scalar>::BYTES, THREADS) };
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
            let (open, whole) = unsafe { tile.open(k) };
            placed = tile.placed(open, k);
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

/// The costs of a segment, item `i` of thread `t` being that of key `THREADS × i + t`.
struct Tile<W, const ITEMS: usize, const GROUPS: usize, const THREADS: u32> {
    held: [W; ITEMS],
    len: u32,
    /// Keys from this thread's first on.
    left: u32,
}

/// Which of a thread's items may win, a bit each.
#[derive(Clone, Copy)]
struct Placed {
    /// Those that are better than the open range.
    better: Set,
    /// Those within it.
    within: Set,
    /// The first slot of a key within the range.
    first_within: u32,
}

impl<W: Word, const ITEMS: usize, const GROUPS: usize, const THREADS: u32> Tile<W, ITEMS, GROUPS, THREADS> {
    const fn memory() -> BlockMemory {
        assert!(BlockMemory::scratch_words(THREADS) >= find_bucket_scratch(THREADS));
        BlockMemory::of(W::BYTES, THREADS)
    }

    /// What [`block_exclusive_sum`] and [`find_bucket`] need.
    #[inline(always)]
    fn pass() -> Pass<THREADS> {
        let memory = const { Self::memory() };
        // SAFETY: the launch provides it, behind what else there is.
        let histogram = unsafe { Shared::<u32>::carve(memory.histogram, BUCKETS) };
        // SAFETY: as above.
        let scratch = unsafe { Shared::<u32>::carve(memory.scratch, find_bucket_scratch(THREADS)) };
        Pass { histogram, scratch }
    }

    /// The range of costs in which the `k`-th is, narrow enough to settle which keys are among the `k` best, and whether all keys
    /// in it are wanted; otherwise it is a single cost.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together with the same `k`, 0 < `k` < number of keys.
    #[inline(always)]
    unsafe fn open(&self, k: u32) -> (Open<W>, bool) {
        let pass = Self::pass();
        let mut delegates = [W::WORST; GROUPS];
        for (item, &cost) in self.held.iter().enumerate() {
            if let Some(delegate) = delegates.get_mut(item % GROUPS) {
                *delegate = cost.min(*delegate);
            }
        }
        // SAFETY: the caller's promise.
        let (least, most) = unsafe { self.extremes(&delegates) };
        let (mut open, mut whole) = (Open { least, most: W::WORST, k }, false);
        // Delegates bound the k-th cost well where there are at least twice as many as k. A short segment has no more of them
        // than keys.
        if k <= self.len.min(GROUPS as u32 * THREADS) / 2 {
            let delegates_open = Open { most, ..open };
            let shift = delegates_open.shift(BUCKETS);
            // SAFETY: the caller's promise; at least k delegates lie within the range, those of the k best groups.
            let bucket = unsafe { pass.find(&delegates, delegates_open, shift) };
            open.most = delegates_open.within(bucket.index, shift, k).most;
        }
        while !whole && open.least < open.most {
            let shift = open.shift(BUCKETS);
            // SAFETY: the caller's promise; the loop's condition and the branch above are the same in all threads.
            let bucket = unsafe { pass.find(&self.held, open, shift) };
            open = open.within(bucket.index, shift, open.k.wrapping_sub(bucket.before));
            whole = bucket.count == open.k;
        }
        (open, whole)
    }

    /// The least and the greatest delegate of the block, leaving out groups without keys.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together.
    #[inline(always)]
    unsafe fn extremes(&self, delegates: &[W; GROUPS]) -> (W, W) {
        let (mut least, mut most) = (W::WORST, W::BEST);
        for (group, &delegate) in delegates.iter().enumerate() {
            least = least.min(delegate);
            // The first key of group `g` is item `g`.
            if self.is_key(group) {
                most = most.max(delegate);
            }
        }
        // SAFETY: behind the scratch; nobody else uses these bytes.
        let of_warps =
            unsafe { Shared::<W>::carve(const { Self::memory().extremes }, extremes_words(THREADS)) };
        // SAFETY: the caller's promise.
        unsafe { block_extremes::<W, THREADS>(of_warps, least, most) }
    }

    /// This thread's keys.
    #[inline(always)]
    fn keys(&self) -> Set {
        Set::first::<ITEMS>(self.left.div_ceil(THREADS))
    }

    /// This thread's keys that are better than the open range or within it, of which `k` win.
    #[inline(always)]
    fn placed(&self, open: Open<W>, k: u32) -> Placed {
        let (mut better, mut within) = (Set::EMPTY, Set::EMPTY);
        for (item, &cost) in self.held.iter().enumerate() {
            if cost < open.least {
                better.insert(item);
            }
            if cost <= open.most {
                within.insert(item);
            }
        }
        Placed {
            better,
            within: within.without(better).and(self.keys()),
            first_within: k.wrapping_sub(open.k),
        }
    }

    /// This thread's items among the `k` with the smallest, or the `larger`, indices of the `ties` of all threads.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together, with their own ties; there are at least `k` in all.
    #[inline(always)]
    unsafe fn winning_ties(&self, ties: Set, k: u32, larger: bool) -> Set {
        const { assert!(ITEMS as u32 * warps(THREADS) <= BUCKETS) };
        // The keys of one item of a warp are a row of 32 in the order of their indices, and so are rows. The histogram takes
        // their counts, those that win first.
        let items = self.len.div_ceil(THREADS);
        let rows = items * const { warps(THREADS) };
        let turned = |row: u32| if larger { rows.wrapping_sub(row + 1) } else { row };
        let Pass { histogram, scratch } = Self::pass();
        for unused in strided(rows + thread::index(), BUCKETS, THREADS) {
            histogram.store(unused, 0);
        }
        let mut item = 0;
        while item < items {
            // SAFETY: the whole block is here, so the whole warp is; the trip count is the same in all threads.
            let row_ties = unsafe { warp::ballot(warp::ALL, ties.holds(item)) };
            if thread::lane() == 0 {
                let row = item * const { warps(THREADS) } + thread::warp_index();
                histogram.store(turned(row), row_ties.count_ones());
            }
            item += 1;
        }
        // SAFETY: as above.
        unsafe { block::sync() };
        // SAFETY: as above; the counts are complete.
        let bucket = unsafe { find_bucket::<THREADS, BUCKETS>(histogram, scratch, k) };
        let row = turned(bucket.index);
        let (item, of_warp) = (row / const { warps(THREADS) }, row % const { warps(THREADS) });
        let tie = of_warp == thread::warp_index() && ties.holds(item);
        // SAFETY: as above.
        let row_ties = unsafe { warp::ballot(warp::ALL, tie) };
        let below = warp::lanes_below();
        let ahead = if larger { !below & !1u32.wrapping_shl(thread::lane()) } else { below };
        if tie && (row_ties & ahead).count_ones() + 1 == k.wrapping_sub(bucket.before) {
            // The counts have been read.
            histogram.store(0, item * THREADS + thread::index());
        }
        // SAFETY: as above.
        unsafe { block::sync() };
        // The last index that wins: item `i` of this thread has index `THREADS × i + thread`.
        let edge = histogram.load(0);
        let items_before =
            |end: u32| Set::first::<ITEMS>(end.saturating_sub(thread::index()).div_ceil(THREADS));
        if larger { ties.without(items_before(edge)) } else { ties.and(items_before(edge + 1)) }
    }

    /// Leaves the indices of the `k` best keys in `winners`, to be read after a block barrier: those better than the open
    /// range first, then as many within it as there are slots, in the order of threads.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together; nobody else uses the scratch.
    #[inline(always)]
    unsafe fn place(&self, placed: Placed, k: u32, winners: Shared<u16>) {
        // Two counts of at most 65,535 in one word, so that one scan serves both.
        let counts = placed.better.count() + (placed.within.count() << 16);
        // SAFETY: the caller's promise.
        let (before, _) = unsafe { block_exclusive_sum::<THREADS>(Self::pass().scratch, counts) };
        let put = |items: Set, mut slot: u32| {
            items.each(|item| {
                if slot < k {
                    winners.store(slot, (item * THREADS + thread::index()) as u16);
                }
                slot = slot.wrapping_add(1);
            });
        };
        put(placed.better, before & 0xffff);
        put(placed.within, placed.first_within.wrapping_add(before >> 16));
    }

    #[inline(always)]
    fn is_key(&self, item: usize) -> bool {
        item as u32 * THREADS < self.left
    }
}

/// The shared memory of one search for a bucket.
struct Pass<const THREADS: u32> {
    histogram: Shared<u32>,
    scratch: Shared<u32>,
}

impl<const THREADS: u32> Pass<THREADS> {
    /// The bucket of `open`, of width `2^shift`, that holds the `open.k`-th of the block's `costs` within it.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together with the same range and shift; the range holds at least `open.k` costs.
    #[inline(always)]
    unsafe fn find<W: Word, const N: usize>(&self, costs: &[W; N], open: Open<W>, shift: u32) -> Bucket {
        for bucket in strided(thread::index(), BUCKETS, THREADS) {
            self.histogram.store(bucket, 0);
        }
        // SAFETY: the caller's promise.
        unsafe { block::sync() };
        for &cost in costs {
            if cost >= open.least && cost <= open.most {
                self.histogram.add(cost.minus(open.least).shr(shift).low(), 1, Scope::Block);
            }
        }
        // SAFETY: as above.
        unsafe { block::sync() };
        // SAFETY: as above; the histogram is complete, and the scratch was last used before the barriers.
        unsafe { find_bucket::<THREADS, BUCKETS>(self.histogram, self.scratch, open.k) }
    }
}
