//! Global memory.

use super::access::{check16, load16, store16, vec16};
use super::atomic::atomic_methods;
use crate::arch::{Scalar, Vec16};
use cluster_topk_emulate::Op;
use cluster_topk_emulate::device::{self, Space};
use core::fmt;
use core::marker::PhantomData;

/// An array in global memory.
pub struct Global<T> {
    address: u64,
    len: u64,
    of: PhantomData<T>,
}

impl<T> Clone for Global<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Global<T> {}
impl<T> fmt::Debug for Global<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Global").finish_non_exhaustive()
    }
}

impl<T: Scalar> Global<T> {
    /// The `len` elements at `address`. Any thread.
    ///
    /// # Safety
    ///
    /// The elements lie in memory of this GPU for as long as the kernel runs, and `address` is a multiple of the
    /// element's size. Whoever uses the handle, or one made from it, keeps indices below its length and separates a
    /// write from conflicting accesses by other threads by a barrier of their block or cluster (atomic operations at a
    /// scope that covers the threads do not conflict with each other).
    pub unsafe fn new(address: u64, len: u64) -> Self {
        Self { address, len, of: PhantomData }
    }

    /// How many elements.
    pub fn len(self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The `len` elements from `start` on; `start + len` is at most the length.
    pub fn slice(self, start: u64, len: u64) -> Self {
        Self { address: self.address(start), len, of: PhantomData }
    }

    /// How many elements lie before the first whose address is a multiple of 16; at most 15.
    pub fn elements_to_align16(self) -> u32 {
        ((self.address as u32).wrapping_neg() & 15) / T::BYTES
    }

    pub(super) fn address(self, index: u64) -> u64 {
        self.address.wrapping_add(index.wrapping_mul(u64::from(T::BYTES)))
    }

    #[track_caller]
    fn place(self, index: u64, op: Op) -> (Space, u64) {
        if index >= self.len {
            device::index_out_of_bounds(op, index, self.len);
        }
        (device::global(), self.address(index))
    }

    /// The place of the 16 bytes that start at element `index`.
    #[track_caller]
    fn place16(self, index: u64, op: Op) -> (Space, u64) {
        check16::<T>(op, index, self.len);
        (device::global(), self.address(index))
    }

    /// Element `index`: PTX `ld.global`. Any thread.
    #[track_caller]
    pub fn load(self, index: u64) -> T {
        let (space, address) = self.place(index, Op::Load);
        T::truncate(device::load(space, address, T::BYTES) as u64)
    }

    /// Element `index`, wanted once: PTX `ld.global.L1::no_allocate`. Any thread.
    #[track_caller]
    pub fn load_once(self, index: u64) -> T {
        self.load(index)
    }

    /// Element `index`, wanted once, which no thread has written or will write since this grid was launched: PTX
    /// `ld.global.nc.L1::no_allocate`. Any thread.
    #[track_caller]
    pub fn load_constant(self, index: u64) -> T {
        let (space, address) = self.place(index, Op::LoadConstant);
        T::truncate(device::load_constant(space, address, T::BYTES) as u64)
    }

    /// Sets element `index`: PTX `st.global`. Any thread.
    #[track_caller]
    pub fn store(self, index: u64, value: T) {
        let (space, address) = self.place(index, Op::Store);
        device::store(space, address, T::BYTES, value.widen().into());
    }

    /// Sets element `index`, which this kernel does not read again: PTX `st.global.cs`. Any thread.
    #[track_caller]
    pub fn store_streaming(self, index: u64, value: T) {
        self.store(index, value);
    }

    /// The 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `ld.global.v4.u32`. Any thread.
    #[track_caller]
    pub fn load16(self, index: u64) -> Vec16 {
        let (space, address) = self.place16(index, Op::Load16);
        load16(space, address)
    }

    /// [`Self::load_once`] of 16 bytes, as [`Self::load16`]: PTX `ld.global.L1::no_allocate.v4.u32`. Any thread.
    #[track_caller]
    pub fn load16_once(self, index: u64) -> Vec16 {
        self.load16(index)
    }

    /// [`Self::load_constant`] of 16 bytes, as [`Self::load16`]: PTX `ld.global.nc.L1::no_allocate.v4.u32`. Any thread.
    #[track_caller]
    pub fn load16_constant(self, index: u64) -> Vec16 {
        let (space, address) = self.place16(index, Op::LoadConstant);
        vec16(device::load_constant(space, address, 16))
    }

    /// Sets the 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `st.global.v4.u32`. Any
    /// thread.
    #[track_caller]
    pub fn store16(self, index: u64, value: Vec16) {
        let (space, address) = self.place16(index, Op::Store16);
        store16(space, address, value);
    }
}

atomic_methods!(Global, u64, "global");
