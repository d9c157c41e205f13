//! What a block holds of its segment, and how it finds the best of it: the search and the placement of
//! [`block_select`](super::block_select).

use super::cost::Word;
use super::extremes::{block_extremes, extremes_words};
use super::open::Open;
use super::set::Set;
use crate::arch::shared::Shared;
use crate::arch::thread;
use crate::arch::{Scope, block, warp};
use crate::primitives::{Bucket, block_exclusive_sum, find_bucket, find_bucket_scratch, strided, warps};
use cluster_topk_abi::policy::BlockMemory;

/// Buckets of a histogram.
const BUCKETS: u32 = BlockMemory::BUCKETS;

/// The costs of a segment, item `i` of thread `t` being that of key `THREADS × i + t`.
pub(super) struct Tile<W, const ITEMS: usize, const GROUPS: usize, const THREADS: u32> {
    pub(super) held: [W; ITEMS],
    pub(super) len: u32,
    /// Keys from this thread's first on.
    pub(super) left: u32,
}

/// Which of a thread's items may win, a bit each.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    /// Those that are better than the open range.
    pub(super) better: Set,
    /// Those within it.
    pub(super) within: Set,
    /// The first slot of a key within the range.
    pub(super) first_within: u32,
}

impl<W: Word, const ITEMS: usize, const GROUPS: usize, const THREADS: u32> Tile<W, ITEMS, GROUPS, THREADS> {
    const fn memory() -> BlockMemory {
        assert!(BlockMemory::scratch_words(THREADS) >= find_bucket_scratch(THREADS));
        BlockMemory::of(W::BYTES, THREADS, ITEMS as u32)
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
    /// in it are wanted; otherwise it is a single cost. With it, where candidates have been listed, which of this thread's keys those
    /// are: all that are within the range or better.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together with the same `k`, 0 < `k` < number of keys.
    #[inline(always)]
    pub(super) unsafe fn open(&self, k: u32) -> (Open<W>, bool, Option<Set>) {
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
        let mut within = u32::MAX;
        if k <= self.len.min(GROUPS as u32 * THREADS) / 2 {
            let delegates_open = Open { most, ..open };
            let shift = delegates_open.shift(BUCKETS);
            pass.clear();
            // SAFETY: the caller's promise.
            unsafe { block::sync() };
            delegates.iter().for_each(|&delegate| pass.count(delegate, delegates_open, shift));
            // SAFETY: as above; at least k delegates lie within the range, those of the k best groups.
            let bucket = unsafe { pass.find(k) };
            open.most = delegates_open.within(bucket.index, shift, k).most;
            within = bucket.before + bucket.count;
        }
        // If few keys are within the bound, what follows looks at them alone.
        let lists =
            const { Self::memory().listed > 0 } && within <= const { Self::memory().listable(THREADS) };
        let listed = if lists { self.list(open.most) } else { Set::EMPTY };
        let mut fits = false;
        while !whole && open.least < open.most {
            let shift = open.shift(BUCKETS);
            pass.clear();
            if lists {
                // SAFETY: the caller's promise; the loop's condition and the branch above are the same in all threads.
                fits = unsafe { !block::sync_any(listed.count() > const { Self::memory().listed }) };
            } else {
                // SAFETY: as above.
                unsafe { block::sync() };
            }
            if fits {
                for number in 0..listed.count() {
                    pass.count(Self::costs_listed().load(number * THREADS + thread::index()), open, shift);
                }
            } else {
                self.held.iter().for_each(|&cost| pass.count(cost, open, shift));
            }
            // SAFETY: as above; at least as many keys as are wanted lie within the range.
            let bucket = unsafe { pass.find(open.k) };
            open = open.within(bucket.index, shift, open.k.wrapping_sub(bucket.before));
            whole = bucket.count == open.k;
        }
        (open, whole, fits.then_some(listed))
    }

    /// Where threads list the costs of their candidates, the first of each, then the second of each.
    #[inline(always)]
    fn costs_listed() -> Shared<W> {
        let memory = const { Self::memory() };
        // SAFETY: the launch provides it, and the winners, which come to lie there, are put after the last use.
        unsafe { Shared::<W>::carve(memory.winners, memory.listed * THREADS) }
    }

    /// Lists this thread's keys of a cost of at most `most`, and says which they are; of more than there is room for, not all are
    /// there.
    #[inline(always)]
    fn list(&self, most: W) -> Set {
        let list = Self::costs_listed();
        let last = const { Self::memory().listed.saturating_sub(1) * THREADS } + thread::index();
        let (mut listed, mut at) = (Set::EMPTY, thread::index());
        for (item, &cost) in self.held.iter().enumerate() {
            if cost <= most {
                list.store(at, cost);
                at = (at + THREADS).min(last);
                listed.insert(item);
            }
        }
        listed
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
    pub(super) fn keys(&self) -> Set {
        Set::first::<ITEMS>(self.left.div_ceil(THREADS))
    }

    /// This thread's keys that are better than the open range or within it, of which `k` win: all of them are among those `listed`,
    /// if some are.
    #[inline(always)]
    pub(super) fn placed(&self, open: Open<W>, k: u32, listed: Option<Set>) -> Placed {
        let (mut better, mut within) = (Set::EMPTY, Set::EMPTY);
        let mut put = |item: usize, cost: W| {
            if cost < open.least {
                better.insert(item);
            }
            if cost <= open.most {
                within.insert(item);
            }
        };
        if let Some(listed) = listed {
            let mut at = thread::index();
            listed.each(|item| {
                put(item as usize, Self::costs_listed().load(at));
                at += THREADS;
            });
        } else {
            self.held.iter().enumerate().for_each(|(item, &cost)| put(item, cost));
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
    pub(super) unsafe fn winning_ties(&self, ties: Set, k: u32, larger: bool) -> Set {
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
    pub(super) unsafe fn place(&self, placed: Placed, k: u32, winners: Shared<u16>) {
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
    /// Empties the histogram. A barrier of the block is to follow, as one has followed its last use.
    #[inline(always)]
    fn clear(&self) {
        for bucket in strided(thread::index(), BUCKETS, THREADS) {
            self.histogram.store(bucket, 0);
        }
    }

    /// Counts a cost in its bucket, of width `2^shift`, if it is within `open`. Any thread, after the barrier that follows
    /// [`Self::clear`].
    #[inline(always)]
    fn count<W: Word>(&self, cost: W, open: Open<W>, shift: u32) {
        if cost >= open.least && cost <= open.most {
            self.histogram.add(cost.minus(open.least).shr(shift).low(), 1, Scope::Block);
        }
    }

    /// The bucket that holds the `k`-th of the costs that the block has counted.
    ///
    /// # Safety
    ///
    /// All threads of the block call it together with the same `k`; at least `k` costs have been counted.
    #[inline(always)]
    unsafe fn find(&self, k: u32) -> Bucket {
        // SAFETY: the caller's promise.
        unsafe { block::sync() };
        // SAFETY: as above; the histogram is complete, and the scratch was last used before the barriers.
        unsafe { find_bucket::<THREADS, BUCKETS>(self.histogram, self.scratch, k) }
    }
}
