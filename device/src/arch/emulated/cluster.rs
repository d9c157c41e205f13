//! Thread block clusters (sm_90): ranks, the cluster barrier, and the shared memory of the cluster's other blocks.
//!
//! A launch without clusters is one of width 1: everything here works there too.

use super::access::{check16, load16};
use super::atomic::atomic_methods;
use crate::arch::{Scalar, Vec16};
use cluster_topk_emulate::Op;
use cluster_topk_emulate::device::{self, Space};
use core::fmt;
use core::marker::PhantomData;

/// The block's rank in its cluster: PTX `%cluster_ctarank`. Any thread.
pub fn rank() -> u32 {
    device::cluster_rank()
}

/// The blocks of a cluster: PTX `%cluster_nctarank`. Any thread.
pub fn width() -> u32 {
    device::cluster_width()
}

/// The cluster's index in the grid: PTX `%clusterid.x`. Any thread.
pub fn index() -> u32 {
    device::block_index() / device::cluster_width()
}

/// The clusters of the grid: PTX `%nclusterid.x`. Any thread.
pub fn grid_clusters() -> u32 {
    device::grid_blocks() / device::cluster_width()
}

/// Arrives at the cluster barrier and releases what this thread wrote: PTX `barrier.cluster.arrive.aligned`. Does not
/// wait.
///
/// # Safety
///
/// All threads of the cluster that have not exited call it, whole warps at one call site, and each calls [`wait`]
/// before it arrives again.
#[track_caller]
pub unsafe fn arrive() {
    device::cluster_arrive(true);
}

/// [`arrive`] that releases nothing: PTX `barrier.cluster.arrive.relaxed.aligned`.
///
/// # Safety
///
/// As for [`arrive`].
#[track_caller]
pub unsafe fn arrive_relaxed() {
    device::cluster_arrive(false);
}

/// Waits until all threads of the cluster have arrived, and sees what they released: PTX
/// `barrier.cluster.wait.aligned`.
///
/// # Safety
///
/// Each thread calls it once after each [`arrive`] or [`arrive_relaxed`], whole warps at one call site.
#[track_caller]
pub unsafe fn wait() {
    device::cluster_wait();
}

/// [`arrive`], then [`wait`].
///
/// # Safety
///
/// All threads of the cluster that have not exited call it, whole warps at one call site; none has arrived without
/// waiting.
#[track_caller]
pub unsafe fn sync() {
    device::cluster_arrive(true);
    device::cluster_wait();
}

/// An address in the shared memory of a block of this cluster: PTX's `.shared::cluster` window.
///
/// Not a pointer, and no address in this block's shared memory either, even when it leads there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterAddr(Space, u32);

/// An array in the shared memory of a block of this cluster.
pub struct ClusterShared<T> {
    start: ClusterAddr,
    len: u32,
    of: PhantomData<T>,
}

impl<T> Clone for ClusterShared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for ClusterShared<T> {}
impl<T> fmt::Debug for ClusterShared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterShared").finish_non_exhaustive()
    }
}

impl<T: Scalar> ClusterShared<T> {
    #[track_caller]
    pub(super) fn map(offset: u32, len: u32, rank: u32) -> Self {
        Self { start: ClusterAddr(device::shared_of(rank), offset), len, of: PhantomData }
    }

    /// How many elements.
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Where element `index` lies.
    pub fn cluster_address(self, index: u32) -> ClusterAddr {
        ClusterAddr(self.start.0, self.start.1.wrapping_add(index.wrapping_mul(T::BYTES)))
    }

    #[track_caller]
    fn place(self, index: u32, op: Op) -> (Space, u64) {
        if index >= self.len {
            device::index_out_of_bounds(op, index.into(), self.len.into());
        }
        let ClusterAddr(space, offset) = self.cluster_address(index);
        (space, offset.into())
    }

    /// Element `index`: PTX `ld.shared::cluster`. Any thread.
    #[track_caller]
    pub fn load(self, index: u32) -> T {
        let (space, address) = self.place(index, Op::Load);
        T::truncate(device::load(space, address, T::BYTES) as u64)
    }

    /// The 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `ld.shared::cluster.v4.u32`. Any thread.
    #[track_caller]
    pub fn load16(self, index: u32) -> Vec16 {
        check16::<T>(Op::Load16, index.into(), self.len.into());
        let (space, address) = self.place(index, Op::Load16);
        load16(space, address)
    }

    /// Sets element `index`: PTX `st.shared::cluster`. Any thread.
    #[track_caller]
    pub fn store(self, index: u32, value: T) {
        let (space, address) = self.place(index, Op::Store);
        device::store(space, address, T::BYTES, value.widen().into());
    }
}

atomic_methods!(ClusterShared, u32, "shared::cluster");
