//! The block's own barrier: PTX's barrier 0, which all threads of the block take part in.
//!
//! For every function: **all threads of the block that have not exited must call it, and all threads of a warp at the
//! same call site**. Memory accesses before it, by any thread of the block, are visible after it to all of them.

use super::intrinsics;

/// Waits for all threads of the block: PTX `barrier.sync.aligned 0` (written `bar.sync 0`).
///
/// # Safety
///
/// All threads of the block that have not exited reach this call, together with the rest of their warp.
#[inline(always)]
pub unsafe fn sync() {
    // SAFETY: the caller's promise; barrier 0 exists in every block.
    unsafe { intrinsics::barrier_sync_all(0) }
}

/// [`sync`], and the number of threads that passed `true`: PTX `barrier.red.popc.aligned.u32`.
///
/// # Safety
///
/// As for [`sync`].
#[inline(always)]
pub unsafe fn sync_count(predicate: bool) -> u32 {
    // SAFETY: the caller's promise; barrier 0 exists in every block.
    unsafe { intrinsics::barrier_red_popc(0, predicate) }
}

/// [`sync`], and whether some thread passed `true`: PTX `barrier.red.or.aligned.pred`.
///
/// # Safety
///
/// As for [`sync`].
#[inline(always)]
pub unsafe fn sync_any(predicate: bool) -> bool {
    // SAFETY: the caller's promise; barrier 0 exists in every block.
    unsafe { intrinsics::barrier_red_or(0, predicate) }
}

/// [`sync`], and whether all threads passed `true`: PTX `barrier.red.and.aligned.pred`.
///
/// # Safety
///
/// As for [`sync`].
#[inline(always)]
pub unsafe fn sync_all(predicate: bool) -> bool {
    // SAFETY: the caller's promise; barrier 0 exists in every block.
    unsafe { intrinsics::barrier_red_and(0, predicate) }
}
