//! A warp per segment, for segments of up to 1,024 keys: every key in a register, no block barrier.
//!
//! 1. *Bound.* Each lane's best key, or its four best by groups, stand for the rest. Bisection over the values of these
//!    delegates finds a bound that at least k of them reach, so at least k keys do.
//! 2. *Few survivors.* The keys within the bound, usually hardly more than k, go to shared memory, where each counts those
//!    before it; the count is its place in the sorted order of (cost, index).
//! 3. *Many survivors.* Otherwise bisection over all keys finds the exact k-th cost, and ballots place the winners in index
//!    order.
//! 4. *Write.* Either way the winners' indices are in shared memory by slot, and one loop writes the items.
//!
//! The set is that of the k best keys with ties to the smaller index, whatever the request leaves open.

use super::cost::{Costs, Key, Word};
use super::segment::Segment;
use crate::arch::shared::Shared;
use crate::arch::thread::{self, WARP};
use crate::arch::{Scalar, warp};
use crate::primitives::{strided, warp_exclusive_sum};
use cluster_topk_abi::params::KernelParams;

/// Survivors that are ordered by counting; more are selected by bisection.
const CAPACITY: u32 = 96;
/// Delegates per lane where one is too few.
const FINE: usize = 4;
/// The largest k that one delegate per lane bounds well.
const COARSE_K: u32 = 16;
/// The largest k that four delegates per lane bound well.
const FINE_K: u32 = 64;

/// Bytes of dynamic shared memory for a block of `warps` warps of `items` keys a lane: for each warp the survivors' costs,
/// their indices, and the winners' indices.
pub const fn shared_bytes<K: Key>(items: u32, warps: u32) -> u32 {
    warps * (CAPACITY * (<K::Word as Scalar>::BYTES + 4) + items * WARP * 4)
}

/// Selects segment `block index × WARPS + warp index`.
///
/// # Safety
///
/// Launched with blocks of `32 × WARPS` threads and [`shared_bytes`] of dynamic shared memory; `params` describes live
/// device memory, and no segment is longer than `32 × ITEMS` keys.
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
    // SAFETY: the launch provides the bytes, and each warp uses its own part of them.
    let winners = unsafe { winners::<K, ITEMS, WARPS>() };
    let select = k < len && k > 0;
    if select {
        let held = segment.costs::<ITEMS, WARP>(thread::lane(), Costs::of(params));
        let tile = Tile { held, left: segment.left(thread::lane()) };
        // SAFETY: all lanes are here: what was branched on is the same for the whole warp. The launch provides the bytes.
        unsafe { tile.select::<WARPS>(k, winners) };
        // SAFETY: as above.
        unsafe { warp::sync(warp::ALL) };
    }
    for slot in strided(thread::lane(), k, WARP) {
        segment.write(slot, if select { winners.load(slot) } else { slot });
    }
}

/// Where this warp leaves the winners' indices, slot by slot.
///
/// # Safety
///
/// The launch provides [`shared_bytes`].
#[inline(always)]
unsafe fn winners<K: Key, const ITEMS: usize, const WARPS: u32>() -> Shared<u32> {
    let slots = const { ITEMS as u32 * WARP };
    let survivors = WARPS * CAPACITY * (<K::Word as Scalar>::BYTES + 4);
    // SAFETY: behind the survivors of all warps.
    unsafe { Shared::<u32>::carve(survivors, WARPS * slots) }.slice(thread::warp_index() * slots, slots)
}

/// The costs of a segment, item `i` of lane `l` being that of key `32 i + l`.
struct Tile<W, const ITEMS: usize> {
    held: [W; ITEMS],
    /// Keys from this lane's first on.
    left: u32,
}

/// Shared memory of one warp.
#[derive(Clone, Copy)]
struct Buffer<W> {
    costs: Shared<W>,
    indices: Shared<u32>,
}

impl<W: Word, const ITEMS: usize> Tile<W, ITEMS> {
    /// Leaves the indices of the `k` best keys in `winners`, to be read after a warp barrier.
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together with the same `k`, 0 < `k` < number of keys; the launch provides [`shared_bytes`].
    #[inline(always)]
    unsafe fn select<const WARPS: u32>(&self, k: u32, winners: Shared<u32>) {
        // SAFETY: the caller's promise.
        let bound = unsafe { self.bound(k) };
        let within = self.count(bound);
        // SAFETY: as above.
        let survivors = unsafe { warp::reduce_add(warp::ALL, within) };
        if survivors <= CAPACITY {
            let at = thread::warp_index() * CAPACITY;
            // SAFETY: at the front of the bytes that the launch provides.
            let costs = unsafe { Shared::<W>::carve(0, WARPS * CAPACITY) };
            // SAFETY: behind the costs.
            let indices = unsafe { Shared::<u32>::carve(WARPS * CAPACITY * W::BYTES, WARPS * CAPACITY) };
            let buffer = Buffer { costs: costs.slice(at, CAPACITY), indices: indices.slice(at, CAPACITY) };
            // SAFETY: all lanes are here, and the buffer is this warp's own.
            unsafe { self.order(buffer, bound, within, survivors, k, winners) };
        } else {
            // SAFETY: all lanes are here.
            unsafe { self.place(bound, k, winners) };
        }
    }

    /// This lane's keys whose cost is at most `bound`.
    #[inline(always)]
    fn count(&self, bound: W) -> u32 {
        let mut count = 0;
        for (item, &cost) in self.held.iter().enumerate() {
            count += u32::from(cost <= bound && self.is_key(item));
        }
        count
    }

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
        if ITEMS <= FINE || k > FINE_K {
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
        if k <= COARSE_K {
            // SAFETY: the caller's promise; `k` is the same in every lane.
            unsafe { bisect(&[coarse], k, k / 4 + 2) }
        } else {
            // SAFETY: as above.
            unsafe { bisect(&fine, k, k / 4 + 2) }
        }
    }

    /// Places the `k` best of the survivors, in the order of (cost, index).
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together; `survivors`, the sum of `within` over the lanes, is at least `k` and at most
    /// [`CAPACITY`]; no other warp uses `buffer`.
    #[inline(always)]
    unsafe fn order(
        &self,
        buffer: Buffer<W>,
        bound: W,
        within: u32,
        survivors: u32,
        k: u32,
        winners: Shared<u32>,
    ) {
        // SAFETY: the caller's promise.
        let mut at = unsafe { warp_exclusive_sum(within) };
        for (item, &cost) in self.held.iter().enumerate() {
            if cost <= bound && self.is_key(item) {
                buffer.costs.store(at, cost);
                buffer.indices.store(at, self.index(item));
                at += 1;
            }
        }
        // SAFETY: the caller's promise; the branches above have ended.
        unsafe { warp::sync(warp::ALL) };
        for own in strided(thread::lane(), survivors, WARP) {
            let (cost, index) = (buffer.costs.load(own), buffer.indices.load(own));
            let mut place = 0;
            let mut other = 0;
            while other < survivors {
                let (its_cost, its_index) = (buffer.costs.load(other), buffer.indices.load(other));
                place += u32::from(its_cost < cost || (its_cost == cost && its_index < index));
                other += 1;
            }
            if place < k {
                winners.store(place, index);
            }
        }
    }

    /// Places the `k` best keys: those below the k-th cost, then as many that equal it as are needed, each by index.
    ///
    /// # Safety
    ///
    /// All 32 lanes call it together; at least `k` keys have a cost of at most `bound`.
    #[inline(always)]
    unsafe fn place(&self, bound: W, k: u32, winners: Shared<u32>) {
        // SAFETY: the caller's promise.
        let kth = unsafe { bisect_within(&self.held, W::BEST, bound, k, 0) };
        let mut better = 0;
        for &cost in &self.held {
            better += u32::from(cost < kth);
        }
        // SAFETY: the caller's promise.
        let mut tied = unsafe { warp::reduce_add(warp::ALL, better) };
        let mut front = 0;
        for (item, &cost) in self.held.iter().enumerate() {
            let index = self.index(item);
            let valid = self.is_key(item);
            // SAFETY: the caller's promise; the loop's trip count is a constant.
            let ahead = unsafe { warp::ballot(warp::ALL, valid && cost < kth) };
            // SAFETY: as above.
            let equal = unsafe { warp::ballot(warp::ALL, valid && cost == kth) };
            let below = warp::lanes_below();
            if valid && cost < kth {
                winners.store(front + (ahead & below).count_ones(), index);
            }
            let slot = tied + (equal & below).count_ones();
            if valid && cost == kth && slot < k {
                winners.store(slot, index);
            }
            front += ahead.count_ones();
            tied += equal.count_ones();
        }
    }
}

/// A value that at least `k` of the warp's `values` reach, and at most `k + slack` unless ties forbid.
///
/// # Safety
///
/// All 32 lanes call it together with the same `k`, at most `32 N`, and `slack`.
#[inline(always)]
unsafe fn bisect<W: Word, const N: usize>(values: &[W; N], k: u32, slack: u32) -> W {
    let (mut best, mut worst) = (W::WORST, W::BEST);
    for &value in values {
        best = best.min(value);
        worst = worst.max(value);
    }
    // SAFETY: the caller's promise.
    let best = unsafe { best.warp_min() };
    // SAFETY: as above.
    let worst = unsafe { worst.warp_max() };
    // SAFETY: as above.
    unsafe { bisect_within(values, best, worst, k, slack) }
}

/// [`bisect`] where the answer is known to lie within `least..=most`.
///
/// # Safety
///
/// As [`bisect`]; at least `k` values are at most `most`, and all lanes pass the same limits.
#[inline(always)]
unsafe fn bisect_within<W: Word, const N: usize>(
    values: &[W; N],
    mut least: W,
    mut most: W,
    k: u32,
    slack: u32,
) -> W {
    while least < most {
        let middle = least.plus(most.minus(least).shr(1));
        let mut reached = 0;
        if N <= FINE {
            for &value in values {
                // SAFETY: the caller's promise; limits and counts are the same in every lane, so the loop is uniform.
                reached += unsafe { warp::ballot(warp::ALL, value <= middle) }.count_ones();
            }
        } else {
            for &value in values {
                reached += u32::from(value <= middle);
            }
            // SAFETY: as above.
            reached = unsafe { warp::reduce_add(warp::ALL, reached) };
        }
        if reached >= k {
            most = middle;
            if reached <= k.wrapping_add(slack) {
                break;
            }
        } else {
            least = middle.plus(W::shifted(1, 0));
        }
    }
    most
}
