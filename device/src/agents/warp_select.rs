//! A warp per segment, for segments of up to 1,024 keys: every key in a register, no block barrier.
//!
//! 1. *Bound.* Each lane's best key, or its four best by groups, stand for the rest. A cost that at least k of these delegates
//!    reach, found by taking out the best one k times or by bisection, is reached by at least k keys.
//! 2. *A lane's worth of survivors.* The keys within the bound, usually hardly more than k, go to shared memory. Up to 32 of
//!    them each count those before it; the count is the place in the sorted order of (cost, index), and so the slot.
//! 3. *More survivors.* Bisection finds the exact k-th cost, over the survivors where shared memory holds them and over all
//!    keys where not, and ballots give the winners their slots.
//!
//! Which of the keys that tie at the boundary win depends on the path taken, unless the set must be reproducible or the output
//! is sorted: then survivors count those before them by cost and index, and of more the ones that tie win in the order of the
//! ballots, which is that of the indices. Winners among more survivors are sorted in shared memory.

use super::cost::{Costs, Key, Word};
use super::items::Items;
use super::segment::Segment;
use super::sort::sort;
use super::warp_bound::{bisect, bisect_within, take_out};
use crate::arch::shared::Shared;
use crate::arch::thread::{self, WARP};
use crate::arch::{Scalar, warp};
use crate::primitives::{strided, warp_inclusive_sum};
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::WarpMemory;

/// Survivors that are ranked.
const CAPACITY: u32 = WarpMemory::SURVIVORS;
/// Survivors of a lane: those at `lane`, `lane + 32`, ….
const PER_LANE: usize = (CAPACITY / WARP) as usize;
/// Delegates per lane where one is too few.
const FINE: usize = 4;
/// The largest k that one delegate per lane bounds well.
const COARSE_K: u32 = 16;
/// The largest k that four delegates per lane bound well.
const FINE_K: u32 = 64;

/// Selects segment `block index × WARPS + warp index`.
///
/// # Safety
///
/// Launched with blocks of `32 × WARPS` threads and [`WarpMemory`] for each warp as dynamic shared memory, of the size for
/// sorted output where it is sorted; `params` describes live device memory, and no segment is longer than `32 × ITEMS` keys.
#[inline(always)]
pub unsafe fn run<K, const ITEMS: usize, const WARPS: u32>(params: &KernelParams)
where
    K: Key + core::ops::BitXor<Output = K>,
{
    let worker = u64::from(thread::block_index()) * u64::from(WARPS) + u64::from(thread::warp_index());
    if worker >= u64::from(params.num_segments) {
        return;
    }
    // SAFETY: the caller's promise.
    let segment = unsafe { Segment::<K>::of(params, worker) };
    let (len, k) = (segment.len(), segment.selected());
    segment.fill(thread::lane(), WARP);
    let memory = const { WarpMemory::of(<K::Word as Scalar>::BYTES, ITEMS as u32) };
    let sorted = params.flags.contains(Flags::SORTED);
    let exact = params.flags.intersects(Flags::SORTED.union(Flags::DETERMINISTIC));
    let larger = params.flags.contains(Flags::PREFER_LARGER_INDEX);
    let front = thread::warp_index() * if sorted { memory.sorted_bytes } else { memory.bytes };
    // SAFETY: this warp's part of the bytes that the launch provides; the survivors' are used no more once it is.
    let winners = unsafe { Shared::<u32>::carve(front, ITEMS as u32 * WARP) };
    // SAFETY: as above, where the output is sorted.
    let items = unsafe { Items::<K::Word>::carve(front, front + memory.sorted_indices, ITEMS as u32 * WARP) };
    let select = k < len;
    if select || sorted {
        if k == 0 {
            return;
        }
        let costs = Costs::of(params);
        let held = segment.costs::<ITEMS, WARP>(thread::lane(), costs);
        let tile = Tile { held, left: segment.left(thread::lane()) };
        // SAFETY: all lanes are here: what was branched on is the same for the whole warp.
        let bound = unsafe { tile.bound(k) };
        // SAFETY: the front of this warp's part of the bytes that the launch provides.
        let survivors = unsafe { Items::<K::Word>::carve(front, front + memory.indices, memory.survivors) };
        // SAFETY: all lanes are here, and the survivors are this warp's own.
        let count = unsafe { tile.gather(bound, len, survivors) };
        if count <= CAPACITY {
            let places = if exact {
                exact_places(survivors, count, k, larger)
            } else {
                // SAFETY: all lanes are here, and the survivors may be read.
                unsafe { places(survivors, count, bound, k) }
            };
            for (item, place) in places.iter().enumerate() {
                if *place < k {
                    let own = item as u32 * WARP + thread::lane();
                    segment.write_cost(*place, survivors.index(own), survivors.cost(own), costs);
                }
            }
            return;
        }
        let put = |slot, index, cost| {
            if sorted {
                items.set(slot, cost, index);
            } else {
                winners.store(slot, index);
            }
        };
        // SAFETY: all lanes are here; the survivors are not looked at again.
        unsafe { tile.list(bound, k, larger, put) };
        // SAFETY: as above.
        unsafe { warp::sync(warp::ALL) };
        if sorted {
            // SAFETY: as above; the winners have been written.
            unsafe { sort::<WARP>(k, |low, high| items.exchange(low, high)) };
        }
    }
    for slot in strided(thread::lane(), k, WARP) {
        let index = if sorted {
            items.index(slot)
        } else if select {
            winners.load(slot)
        } else {
            slot
        };
        segment.write(slot, index);
    }
}

/// The costs of a segment, item `i` of lane `l` being that of key `32 i + l`.
struct Tile<W, const ITEMS: usize> {
    held: [W; ITEMS],
    /// Keys from this lane's first on.
    left: u32,
}

/// The slot of each of this lane's survivors, `lane`, `lane + 32`, …; `k` or more for those that lose.
///
/// # Safety
///
/// All 32 lanes call it together; `k` ≤ `count` ≤ [`CAPACITY`], all of the survivors' costs are at most `bound`, and a warp
/// barrier has followed the last store.
#[inline(always)]
unsafe fn places<W: Word>(survivors: Items<W>, count: u32, bound: W, k: u32) -> [u32; PER_LANE] {
    let mut places = [u32::MAX; PER_LANE];
    let lane = thread::lane();
    if count <= WARP {
        if let [first, ..] = &mut places
            && lane < count
        {
            *first = survivors.before(lane, count);
        }
        return places;
    }
    let mut held = [W::WORST; PER_LANE];
    for (item, cost) in held.iter_mut().enumerate() {
        if item as u32 * WARP + lane < count {
            *cost = survivors.cost(item as u32 * WARP + lane);
        }
    }
    let tile = Tile { held, left: count.saturating_sub(lane) };
    // SAFETY: the caller's promise.
    unsafe {
        tile.place(bound, k, false, |item, slot| {
            if let Some(place) = places.get_mut(item) {
                *place = slot;
            }
        });
    }
    places
}

/// The slots of this lane's survivors as in [`places`], in the order of cost and index; of those that tie at the `k`-th cost
/// the ones with the smaller, or the `larger`, index win. Any lane; the survivors may be read.
#[inline(always)]
fn exact_places<W: Word>(survivors: Items<W>, count: u32, k: u32, larger: bool) -> [u32; PER_LANE] {
    let mut places = [u32::MAX; PER_LANE];
    for (item, place) in places.iter_mut().enumerate() {
        let own = item as u32 * WARP + thread::lane();
        if own < count {
            *place = survivors.slot(own, count, k, larger);
        }
    }
    places
}

impl<W: Word, const ITEMS: usize> Tile<W, ITEMS> {
    #[inline(always)]
    fn is_key(&self, item: usize) -> bool {
        item as u32 * WARP < self.left
    }

    #[inline(always)]
    fn index(&self, item: usize) -> u32 {
        item as u32 * WARP + thread::lane()
    }

    /// A cost that at least `k` keys reach, and with luck few more.
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together with the same `k`, which is at most the number of keys.
    #[inline(always)]
    unsafe fn bound(&self, k: u32) -> W {
        if k > FINE_K {
            return W::WORST;
        }
        let mut fine = [W::WORST; FINE];
        for (item, &cost) in self.held.iter().enumerate() {
            if let Some(delegate) = fine.get_mut(item % FINE) {
                *delegate = cost.min(*delegate);
            }
        }
        let [a, b, c, d] = fine;
        let coarse = a.min(b).min(c.min(d));
        if k <= COARSE_K && W::REDUCES {
            // SAFETY: the caller's promise; `k` is the same in every lane.
            unsafe { take_out(coarse, k) }
        } else if k <= COARSE_K {
            // SAFETY: as above.
            unsafe { bisect(&[coarse], k, k / 4 + 2) }
        } else {
            // SAFETY: as above.
            unsafe { bisect(&fine, k, k / 4 + 2) }
        }
    }

    /// Copies the keys within `bound` to `survivors`, if they can be ranked; how many of the `len` there are. They may be read
    /// by all lanes.
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together, and nobody else uses `survivors`, which have room for a short tile or for [`CAPACITY`].
    #[inline(always)]
    unsafe fn gather(&self, bound: W, len: u32, survivors: Items<W>) -> u32 {
        let count = if bound == W::WORST {
            if len <= CAPACITY {
                for (item, &cost) in self.held.iter().enumerate() {
                    if item < PER_LANE && self.is_key(item) {
                        survivors.set(self.index(item), cost, self.index(item));
                    }
                }
            }
            len
        } else if const { ITEMS as u32 <= WarpMemory::SHORT } {
            // SAFETY: the caller's promise; the branch is the same in all lanes.
            unsafe { self.gather_by_ballot(bound, survivors) }
        } else {
            // SAFETY: as above.
            unsafe { self.gather_by_scan(bound, survivors) }
        };
        if count <= CAPACITY {
            survivors.close(count, thread::lane());
        }
        // SAFETY: the caller's promise; the branches above have ended.
        unsafe { warp::sync(warp::ALL) };
        count
    }

    /// The few items of a lane, each by a ballot.
    ///
    /// # Safety
    ///
    /// As [`Self::gather`]; `bound` is not the worst cost, which is that of no key.
    #[inline(always)]
    unsafe fn gather_by_ballot(&self, bound: W, survivors: Items<W>) -> u32 {
        let mut count = 0;
        let below = warp::lanes_below();
        for (item, &cost) in self.held.iter().enumerate() {
            let within = cost <= bound;
            // SAFETY: the caller's promise; the loop's trip count is a constant.
            let lanes = unsafe { warp::ballot(warp::ALL, within) };
            if within {
                survivors.set(count + (lanes & below).count_ones(), cost, self.index(item));
            }
            count += lanes.count_ones();
        }
        count
    }

    /// Many items of a lane, by one scan: counting the bits of a ballot takes as long as eight additions.
    ///
    /// # Safety
    ///
    /// As [`Self::gather_by_ballot`].
    #[inline(always)]
    unsafe fn gather_by_scan(&self, bound: W, survivors: Items<W>) -> u32 {
        let mut own = 0;
        for &cost in &self.held {
            own += u32::from(cost <= bound);
        }
        // SAFETY: the caller's promise.
        let through = unsafe { warp_inclusive_sum(own) };
        // SAFETY: as above.
        let count = unsafe { warp::shuffle(warp::ALL, through, WARP - 1) };
        if count <= CAPACITY {
            let mut at = through.wrapping_sub(own);
            for (item, &cost) in self.held.iter().enumerate() {
                if cost <= bound {
                    survivors.set(at, cost, self.index(item));
                    at += 1;
                }
            }
        }
        count
    }

    /// Calls `put` with the slot, the index and the cost of each of this lane's keys among the `k` best.
    ///
    /// # Safety
    ///
    /// As [`Self::place`].
    #[inline(always)]
    unsafe fn list(&self, bound: W, k: u32, larger: bool, put: impl Fn(u32, u32, W)) {
        let won = |item, slot| {
            if let Some(&cost) = self.held.get(item) {
                put(slot, self.index(item), cost);
            }
        };
        // SAFETY: the caller's promise.
        unsafe { self.place(bound, k, larger, won) };
    }

    /// Calls `won` with this lane's items among the `k` best and their slots: those below the k-th cost first, then as many
    /// that equal it as are needed, the first or, where the `larger` index wins, the last ones; each in the order of the
    /// indices.
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together; at least `k` keys have a cost of at most `bound`.
    #[inline(always)]
    unsafe fn place(&self, bound: W, k: u32, larger: bool, mut won: impl FnMut(usize, u32)) {
        // SAFETY: the caller's promise.
        let mut below_bound = unsafe { self.better_than(bound) };
        let mut kth = bound;
        // Where no more than k lie below the bound it serves as the k-th cost: the case of many equal keys.
        if below_bound > k {
            let mut least = bound;
            for &cost in &self.held {
                least = least.min(cost);
            }
            // SAFETY: as above; the branch is the same in all lanes.
            let least = unsafe { least.warp_min() };
            // SAFETY: as above.
            kth = unsafe { bisect_within(&self.held, least, bound, k, 0) };
            // SAFETY: as above.
            below_bound = unsafe { self.better_than(kth) };
        }
        let wanted = k.wrapping_sub(below_bound);
        // Counts from the first tie that wins; those before it are beyond any limit.
        let mut tied = 0;
        if larger {
            let mut equal = 0;
            for (item, &cost) in self.held.iter().enumerate() {
                equal += u32::from(self.is_key(item) && cost == kth);
            }
            // SAFETY: as above.
            tied = wanted.wrapping_sub(unsafe { warp::reduce_add(warp::ALL, equal) });
        }
        let mut front = 0;
        for (item, &cost) in self.held.iter().enumerate() {
            let valid = self.is_key(item);
            // SAFETY: the caller's promise; the loop's trip count is a constant.
            let ahead = unsafe { warp::ballot(warp::ALL, valid && cost < kth) };
            // SAFETY: as above.
            let equal = unsafe { warp::ballot(warp::ALL, valid && cost == kth) };
            let below = warp::lanes_below();
            if valid && cost < kth {
                won(item, front + (ahead & below).count_ones());
            }
            let tie = tied.wrapping_add((equal & below).count_ones());
            if valid && cost == kth && tie < wanted {
                won(item, below_bound.wrapping_add(tie));
            }
            front += ahead.count_ones();
            tied = tied.wrapping_add(equal.count_ones());
        }
    }

    /// How many of the warp's keys have a lower cost than `cost`.
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together.
    #[inline(always)]
    unsafe fn better_than(&self, cost: W) -> u32 {
        let mut better = 0;
        for &held in &self.held {
            better += u32::from(held < cost);
        }
        // SAFETY: the caller's promise.
        unsafe { warp::reduce_add(warp::ALL, better) }
    }
}
