//! The keys of a warp's segment that survive the bound, in shared memory.

use super::cost::Word;
use crate::arch::Scalar;
use crate::arch::shared::Shared;
use crate::arch::thread::WARP;
use cluster_topk_abi::policy::WarpMemory;

/// Survivors that fit.
pub const CAPACITY: u32 = WarpMemory::SURVIVORS;

/// Shared memory of one warp, as survivors: a key and its index each.
#[derive(Clone, Copy, Debug)]
pub struct Survivors<W> {
    /// A cost of 32 bits above the index, so that one comparison settles cost and tie; or a cost of 64 bits.
    places: Shared<u64>,
    /// The indices, where the costs leave no room for them.
    indices: Shared<u32>,
    of: core::marker::PhantomData<W>,
}

impl<W: Word> Survivors<W> {
    /// The survivors of the warp whose shared memory starts `front` bytes into the block's.
    ///
    /// # Safety
    ///
    /// The launch provides the bytes of `memory` there, a multiple of 16 bytes from the front, and no other warp uses them.
    #[inline(always)]
    pub unsafe fn carve(front: u32, memory: WarpMemory) -> Self {
        // SAFETY: the caller's promise.
        let places = unsafe { Shared::carve(front, CAPACITY + WarpMemory::PADDING) };
        let apart = if W::BYTES == 4 { 0 } else { CAPACITY };
        // SAFETY: as above; where there is no memory for them the handle is empty.
        let indices = unsafe { Shared::carve(front + memory.indices, apart) };
        Self { places, indices, of: core::marker::PhantomData }
    }

    /// Sets survivor `at`, below the capacity. Any thread.
    #[inline(always)]
    pub fn set(self, at: u32, cost: W, index: u32) {
        if W::BYTES == 4 {
            self.places.store(at, cost.widen() << 32 | u64::from(index));
        } else {
            self.places.store(at, cost.widen());
            self.indices.store(at, index);
        }
    }

    /// Makes sure that nothing better follows the last of `count` survivors, at most the capacity; by thread `lane`.
    #[inline(always)]
    pub fn close(self, count: u32, lane: u32) {
        if lane < WarpMemory::PADDING {
            self.places.store(count + lane, u64::MAX);
        }
    }

    /// The cost of survivor `at`. Any thread.
    #[inline(always)]
    pub fn cost(self, at: u32) -> W {
        let place = self.places.load(at);
        W::truncate(if W::BYTES == 4 { place >> 32 } else { place })
    }

    /// The index of survivor `at`. Any thread.
    #[inline(always)]
    pub fn index(self, at: u32) -> u32 {
        if W::BYTES == 4 { self.places.load(at) as u32 } else { self.indices.load(at) }
    }

    /// How many of the `count` survivors, closed, come before survivor `own`: by cost, those of one cost by index where it
    /// lies below the cost, by place where not. Any thread.
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
}

/// Survivors of a lane: those at `lane`, `lane + 32`, ….
pub const PER_LANE: usize = (CAPACITY / WARP) as usize;
