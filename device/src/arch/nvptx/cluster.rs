//! Thread block clusters (sm_90): ranks, the cluster barrier, and the shared memory of the cluster's other blocks.
//!
//! A launch without clusters is one of width 1: everything here works there too.

use super::access::{AccessIn, Peer};
use super::atomic::atomic_methods;
use super::intrinsics;
use crate::arch::{Scalar, Vec16};
use core::arch::asm;
use core::fmt;
use core::marker::PhantomData;

/// The block's rank in its cluster: PTX `%cluster_ctarank` (sm_90, PTX ISA 7.8). Any thread.
#[inline(always)]
pub fn rank() -> u32 {
    intrinsics::cluster_rank()
}

/// The blocks of a cluster: PTX `%cluster_nctarank` (sm_90, PTX ISA 7.8). Any thread.
#[inline(always)]
pub fn width() -> u32 {
    intrinsics::cluster_width()
}

/// The cluster's index in the grid: PTX `%clusterid.x` (sm_90, PTX ISA 7.8). Any thread.
#[inline(always)]
pub fn index() -> u32 {
    intrinsics::cluster_index()
}

/// The clusters of the grid: PTX `%nclusterid.x` (sm_90, PTX ISA 7.8). Any thread.
#[inline(always)]
pub fn grid_clusters() -> u32 {
    intrinsics::grid_clusters()
}

/// Arrives at the cluster barrier and releases what this thread wrote: PTX `barrier.cluster.arrive.aligned`, whose
/// default is `.release` (sm_90, PTX ISA 8.0 for the semantics). Does not wait.
///
/// # Safety
///
/// All threads of the cluster that have not exited call it, whole warps at one call site, and each calls [`wait`]
/// before it arrives again.
#[inline(always)]
pub unsafe fn arrive() {
    // SAFETY: the caller's promise.
    unsafe { intrinsics::cluster_arrive() }
}

/// [`arrive`] that releases nothing: PTX `barrier.cluster.arrive.relaxed.aligned` (sm_90, PTX ISA 8.0).
///
/// # Safety
///
/// As for [`arrive`].
#[inline(always)]
pub unsafe fn arrive_relaxed() {
    // SAFETY: the caller's promise.
    unsafe { intrinsics::cluster_arrive_relaxed() }
}

/// Waits until all threads of the cluster have arrived, and sees what they released: PTX
/// `barrier.cluster.wait.aligned`, whose default is `.acquire` (sm_90, PTX ISA 8.0 for the semantics).
///
/// # Safety
///
/// Each thread calls it once after each [`arrive`] or [`arrive_relaxed`], whole warps at one call site.
#[inline(always)]
pub unsafe fn wait() {
    // SAFETY: the caller's promise.
    unsafe { intrinsics::cluster_wait() }
}

/// [`arrive`], then [`wait`].
///
/// # Safety
///
/// All threads of the cluster that have not exited call it, whole warps at one call site; none has arrived without
/// waiting.
#[inline(always)]
pub unsafe fn sync() {
    // SAFETY: the caller's promise.
    unsafe { arrive() };
    // SAFETY: the caller's promise, and each thread has just arrived.
    unsafe { wait() }
}

/// An address in the shared memory of a block of this cluster: PTX's `.shared::cluster` window, 32 bits.
///
/// Not a pointer, and no address in this block's shared memory either, even when it leads there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterAddr(u32);

/// An array in the shared memory of a block of this cluster.
pub struct ClusterShared<T> {
    start: ClusterAddr,
    len: u32,
    of: PhantomData<T>,
}

impl<T> Clone for ClusterShared<T> {
    #[inline(always)]
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
    #[inline(always)]
    pub(super) fn map(address: u32, len: u32, rank: u32) -> Self {
        let mapped: u32;
        // SAFETY: converts an address, touches no memory.
        unsafe {
            asm!("mapa.shared::cluster.u32 {}, {}, {};", out(reg32) mapped, in(reg32) address, in(reg32) rank,
                 options(pure, nomem, nostack, preserves_flags));
        }
        Self { start: ClusterAddr(mapped), len, of: PhantomData }
    }

    /// How many elements.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Where element `index` lies.
    #[inline(always)]
    pub fn cluster_address(self, index: u32) -> ClusterAddr {
        ClusterAddr(self.start.0.wrapping_add(index.wrapping_mul(T::BYTES)))
    }

    #[inline(always)]
    fn address(self, index: u32) -> u32 {
        self.cluster_address(index).0
    }

    /// Element `index`: PTX `ld.shared::cluster` (sm_90, PTX ISA 7.8). Any thread.
    #[inline(always)]
    pub fn load(self, index: u32) -> T {
        // SAFETY: the promise made with the handle it was mapped from.
        unsafe { <T as AccessIn<Peer>>::load(self.address(index)) }
    }

    /// The 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `ld.shared::cluster.v4.u32` (sm_90, PTX
    /// ISA 7.8). Any thread.
    #[inline(always)]
    pub fn load16(self, index: u32) -> Vec16 {
        let (a, b, c, d);
        // SAFETY: the promise made with the handle it was mapped from.
        unsafe {
            asm!("ld.shared::cluster.v4.u32 {{{}, {}, {}, {}}}, [{}];", out(reg32) a, out(reg32) b, out(reg32) c,
                 out(reg32) d, in(reg32) self.address(index), options(pure, readonly, nostack, preserves_flags));
        }
        Vec16([a, b, c, d])
    }

    /// Sets element `index`: PTX `st.shared::cluster` (sm_90, PTX ISA 7.8). Any thread.
    #[inline(always)]
    pub fn store(self, index: u32, value: T) {
        // SAFETY: the promise made with the handle it was mapped from.
        unsafe { <T as AccessIn<Peer>>::store(self.address(index), value) }
    }
}

atomic_methods!(ClusterShared, Peer, u32, "shared::cluster");
