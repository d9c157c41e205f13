//! Keys of a segment with their indices, in shared memory: those of a warp that survive the bound, or winners to be sorted.

use super::cost::Word;
use crate::arch::Scalar;
use crate::arch::shared::Shared;
use cluster_topk_abi::policy::ITEM_PADDING;

/// A row of keys in shared memory, a cost and an index each; `I` holds an index where it lies apart.
#[derive(Clone, Copy, Debug)]
pub struct Items<W, I = u16> {
    /// A cost of 32 bits above the index, so that one comparison settles cost and tie; or a cost of 64 bits.
    places: Shared<u64>,
    /// The indices, where the costs leave no room for them.
    indices: Shared<I>,
    of: core::marker::PhantomData<W>,
}

impl<W: Word, I: Scalar> Items<W, I> {
    /// Room for `capacity` items from `front` bytes into the block's shared memory on, a multiple of 16; their indices from
    /// `indices` bytes on, a multiple of their size, where costs have 64 bits.
    ///
    /// # Safety
    ///
    /// The launch provides the bytes: eight for each item and for each of [`ITEM_PADDING`] more, and those of an `I` for each
    /// index. Nobody else uses them.
    #[inline(always)]
    pub unsafe fn carve(front: u32, indices: u32, capacity: u32) -> Self {
        // SAFETY: the caller's promise.
        let places = unsafe { Shared::carve(front, capacity + ITEM_PADDING) };
        let apart = if W::BYTES == 4 { 0 } else { capacity };
        // SAFETY: as above; where there is no memory for them the handle is empty.
        let indices = unsafe { Shared::carve(indices, apart) };
        Self { places, indices, of: core::marker::PhantomData }
    }

    /// Sets item `at`, below the capacity; an `I` holds `index`. Any thread.
    #[inline(always)]
    pub fn set(self, at: u32, cost: W, index: u32) {
        if W::BYTES == 4 {
            self.places.store(at, cost.widen() << 32 | u64::from(index));
        } else {
            self.places.store(at, cost.widen());
            self.indices.store(at, I::truncate(index.into()));
        }
    }

    /// Makes sure that nothing better follows the last of `count` items, at most the capacity; by thread `lane`.
    #[inline(always)]
    pub fn close(self, count: u32, lane: u32) {
        if lane < ITEM_PADDING {
            self.places.store(count + lane, u64::MAX);
        }
    }

    /// The cost of item `at`. Any thread.
    #[inline(always)]
    pub fn cost(self, at: u32) -> W {
        let place = self.places.load(at);
        W::truncate(if W::BYTES == 4 { place >> 32 } else { place })
    }

    /// The index of item `at`. Any thread.
    #[inline(always)]
    pub fn index(self, at: u32) -> u32 {
        if W::BYTES == 4 { self.places.load(at) as u32 } else { self.indices.load(at).widen() as u32 }
    }

    /// How many of the items from `from` up to `to` come before item `own` in the order of cost and index. Any thread.
    #[inline(always)]
    pub fn before_within(self, own: u32, from: u32, to: u32) -> u32 {
        let mine = self.places.load(own);
        let mut before = 0;
        let mut at = from;
        while at < to {
            let its = self.places.load(at);
            before += u32::from(its < mine);
            if W::BYTES != 4 && its == mine {
                before += u32::from(self.index(at) < self.index(own));
            }
            at += 1;
        }
        before
    }

    /// How many of the `count` items, closed, come before item `own`: by cost, those of one cost by index where it lies below
    /// the cost, by place where not. Any thread.
    #[inline(always)]
    pub fn before(self, own: u32, count: u32) -> u32 {
        let mine = self.places.load(own);
        let mut before = 0;
        let mut first = 0;
        while first < count {
            let pair = self.places.load16(first);
            for lane in 0..<u64 as Scalar>::PER_VEC16 {
                let its = pair.get::<u64>(lane);
                before +=
                    u32::from(its < mine || (W::BYTES != 4 && its == mine && first + (lane as u32) < own));
            }
            first += <u64 as Scalar>::PER_VEC16 as u32;
        }
        before
    }

    /// The slot of item `own` among the `k` best of `count` items, closed, in the order of cost and index; `k` or more if it
    /// is not among them. Of those that tie at the `k`-th cost the ones with the smaller, or the `larger`, index are. Any
    /// thread.
    #[inline(always)]
    pub fn slot(self, own: u32, count: u32, k: u32, larger: bool) -> u32 {
        if W::BYTES == 4 && !larger {
            return self.before(own, count);
        }
        let (cost, index) = (self.cost(own), self.index(own));
        let (mut better, mut equal, mut smaller) = (0u32, 0u32, 0u32);
        let mut at = 0;
        while at < count {
            let (its, at_index) = (self.cost(at), self.index(at));
            better += u32::from(its < cost);
            equal += u32::from(its == cost);
            smaller += u32::from(its == cost && at_index < index);
            at += 1;
        }
        let places = k.saturating_sub(better).min(equal);
        let lost = if larger { equal.wrapping_sub(places) } else { 0 };
        // Those that lose by their index come first.
        if smaller < lost { u32::MAX } else { better.wrapping_add(smaller).wrapping_sub(lost) }
    }

    /// Exchanges the items at `low` and `high` if they are not in the order of cost and index. One thread for both.
    #[inline(always)]
    pub fn exchange(self, low: u32, high: u32) {
        let (at_low, at_high) = (self.places.load(low), self.places.load(high));
        if W::BYTES == 4 {
            if at_high < at_low {
                self.places.store(low, at_high);
                self.places.store(high, at_low);
            }
            return;
        }
        let (index_low, index_high) = (self.indices.load(low), self.indices.load(high));
        if at_high < at_low || (at_high == at_low && index_high.widen() < index_low.widen()) {
            self.places.store(low, at_high);
            self.places.store(high, at_low);
            self.indices.store(low, index_high);
            self.indices.store(high, index_low);
        }
    }
}
