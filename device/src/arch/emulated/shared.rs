//! This block's shared memory.
//!
//! Offsets count from the front of the dynamic shared memory of the launch.

use super::access::{check16, load16, store16};
use super::atomic::atomic_methods;
use crate::arch::{Scalar, Vec16};
use cluster_topk_emulate::Op;
use cluster_topk_emulate::device::{self, Space};
use core::fmt;
use core::marker::PhantomData;

/// The alignment of the front of dynamic shared memory.
pub const BASE_ALIGN: u32 = 128;

/// An array in this block's shared memory.
pub struct Shared<T> {
    offset: u32,
    len: u32,
    of: PhantomData<T>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl<T: Scalar> Shared<T> {
    /// The `len` elements that start `offset` bytes into dynamic shared memory. Any thread.
    ///
    /// # Safety
    ///
    /// The launch provides the bytes, and `offset` is a multiple of the element's size. Whoever uses the handle, or one
    /// made from it, keeps indices below its length, reads what has been written, and separates a write from
    /// conflicting accesses by other threads by a barrier (atomic operations at a scope that covers the threads do not
    /// conflict with each other).
    #[track_caller]
    pub unsafe fn carve(offset: u32, len: u32) -> Self {
        device::check_aligned(offset, T::BYTES);
        Self { offset, len, of: PhantomData }
    }

    /// How many elements.
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The `len` elements from `start` on; `start + len` is at most the length.
    #[track_caller]
    pub fn slice(self, start: u32, len: u32) -> Self {
        if u64::from(start) + u64::from(len) > u64::from(self.len) {
            device::index_out_of_bounds(Op::Carve, u64::from(start) + u64::from(len), self.len.into());
        }
        Self { offset: self.offset(start), len, of: PhantomData }
    }

    /// The same bytes as elements of another width; the address is a multiple of it.
    #[track_caller]
    pub fn cast<U: Scalar>(self) -> Shared<U> {
        let bytes = self.len.wrapping_mul(T::BYTES);
        device::check_aligned(self.offset, U::BYTES);
        Shared { offset: self.offset, len: bytes / U::BYTES, of: PhantomData }
    }

    pub(super) fn offset(self, index: u32) -> u32 {
        self.offset.wrapping_add(index.wrapping_mul(T::BYTES))
    }

    #[track_caller]
    fn place(self, index: u32, op: Op) -> (Space, u64) {
        if index >= self.len {
            device::index_out_of_bounds(op, index.into(), self.len.into());
        }
        (device::own_shared(), self.offset(index).into())
    }

    /// The place of the 16 bytes that start at element `index`.
    #[track_caller]
    fn place16(self, index: u32, op: Op) -> (Space, u64) {
        check16::<T>(op, index.into(), self.len.into());
        (device::own_shared(), self.offset(index).into())
    }

    /// Element `index`: PTX `ld.shared`. Any thread.
    #[track_caller]
    pub fn load(self, index: u32) -> T {
        let (space, address) = self.place(index, Op::Load);
        T::truncate(device::load(space, address, T::BYTES) as u64)
    }

    /// Sets element `index`: PTX `st.shared`. Any thread.
    #[track_caller]
    pub fn store(self, index: u32, value: T) {
        let (space, address) = self.place(index, Op::Store);
        device::store(space, address, T::BYTES, value.widen().into());
    }

    /// The 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `ld.shared.v4.u32`. Any thread.
    #[track_caller]
    pub fn load16(self, index: u32) -> Vec16 {
        let (space, address) = self.place16(index, Op::Load16);
        load16(space, address)
    }

    /// Sets the 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `st.shared.v4.u32`. Any
    /// thread.
    #[track_caller]
    pub fn store16(self, index: u32, value: Vec16) {
        let (space, address) = self.place16(index, Op::Store16);
        store16(space, address, value);
    }

    /// The same array in the shared memory of the cluster's block `rank`: PTX `mapa.shared::cluster.u32`. Any thread.
    ///
    /// `rank` is below the cluster's width. The block must have started before the first access (a cluster barrier
    /// says so) and must not exit before the last.
    #[cfg(feature = "cluster")]
    #[track_caller]
    pub fn at(self, rank: u32) -> super::cluster::ClusterShared<T> {
        super::cluster::ClusterShared::map(self.offset, self.len, rank)
    }
}

atomic_methods!(Shared, u32, "shared");
