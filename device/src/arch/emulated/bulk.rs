//! Bulk copies by the copy engine (sm_90).

use super::global::Global;
use super::mbarrier::Mbarrier;
use super::shared::Shared;
use crate::arch::Scalar;
use cluster_topk_emulate::device::mbarrier;

/// What addresses and byte counts of a bulk copy are multiples of.
pub const ALIGN: u32 = 16;

/// Copies all of `from` to the front of `to`, completing on `barrier`: PTX
/// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`. One thread.
///
/// # Safety
///
/// Both addresses and the byte count are multiples of [`ALIGN`]; the count is not 0 and fits `to`; `barrier`'s current
/// phase expects these bytes. Ordinary accesses to the destination by any thread come before, with a barrier in between, and
/// after writes a [`super::fence::proxy_async`] by that thread, too; and none come until the phase completes. No thread writes
/// the source while the kernel runs.
///
/// That reads need no fence is more than the PTX ISA says in so many words; it is what the pipelines of NVIDIA's CUTLASS rely on.
#[track_caller]
pub unsafe fn copy<T: Scalar>(to: Shared<T>, from: Global<T>, barrier: Mbarrier) {
    let room = to.len().saturating_mul(T::BYTES);
    mbarrier::bulk_copy(to.offset(0), room, from.address(0), bytes(from), barrier.offset());
}

/// Asks for `from` to be brought to the L2 cache: PTX `cp.async.bulk.prefetch.L2.global`. One thread.
///
/// # Safety
///
/// The address and the byte count of `from` are multiples of [`ALIGN`], and the count is not 0.
#[track_caller]
pub unsafe fn prefetch<T: Scalar>(from: Global<T>) {
    mbarrier::bulk_prefetch(from.address(0), bytes(from));
}

fn bytes<T: Scalar>(from: Global<T>) -> u32 {
    (from.len() as u32).wrapping_mul(T::BYTES)
}
