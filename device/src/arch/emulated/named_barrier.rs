//! Barriers 1 to 15 of a block, for some of its warps.
//!
//! A warp counts as 32 threads. Barrier 0 is [`super::block::sync`]'s.

use cluster_topk_emulate::device;

/// Waits until `threads` threads have arrived at barrier `id`: PTX `barrier.sync.aligned id, threads`.
///
/// # Safety
///
/// `1 <= id <= 15`; `threads` is a multiple of 32 and the same for everyone at this barrier in this phase; exactly that
/// many threads arrive, whole warps at one call site, by this function or [`arrive`].
#[track_caller]
pub unsafe fn sync(id: u32, threads: u32) {
    device::named_sync(id, threads);
}

/// Arrives at barrier `id` without waiting: PTX `barrier.arrive.aligned id, threads`.
///
/// Accesses before it are visible to those who return from [`sync`] in the same phase.
///
/// # Safety
///
/// As for [`sync`]; and at least one warp of the phase calls `sync`.
#[track_caller]
pub unsafe fn arrive(id: u32, threads: u32) {
    device::named_arrive(id, threads);
}
