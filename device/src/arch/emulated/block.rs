//! The block's own barrier: PTX's barrier 0, which all threads of the block take part in.

use cluster_topk_emulate::device;

/// Waits for all threads of the block: PTX `barrier.sync.aligned 0`.
///
/// # Safety
///
/// All threads of the block that have not exited reach this call, together with the rest of their warp.
#[track_caller]
pub unsafe fn sync() {
    device::block_sync();
}

/// [`sync`], and the number of threads that passed `true`: PTX `barrier.red.popc.aligned.u32`.
///
/// # Safety
///
/// As for [`sync`].
#[track_caller]
pub unsafe fn sync_count(predicate: bool) -> u32 {
    device::block_count(predicate)
}

/// [`sync`], and whether some thread passed `true`: PTX `barrier.red.or.aligned.pred`.
///
/// # Safety
///
/// As for [`sync`].
#[track_caller]
pub unsafe fn sync_any(predicate: bool) -> bool {
    device::block_any(predicate)
}

/// [`sync`], and whether all threads passed `true`: PTX `barrier.red.and.aligned.pred`.
///
/// # Safety
///
/// As for [`sync`].
#[track_caller]
pub unsafe fn sync_all(predicate: bool) -> bool {
    device::block_all(predicate)
}
