//! Bulk copies by the copy engine (sm_90).

use super::global::Global;
use super::mbarrier::Mbarrier;
use super::shared::Shared;
use crate::arch::Scalar;
use core::arch::asm;

/// What addresses and byte counts of a bulk copy are multiples of.
pub const ALIGN: u32 = 16;

/// Copies all of `from` to the front of `to`, completing on `barrier`: PTX
/// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes` (sm_90, PTX ISA 8.0). One thread.
///
/// Returns at once. The bytes are there for a thread that has seen the phase of `barrier` complete.
///
/// # Safety
///
/// Both addresses and the byte count are multiples of [`ALIGN`]; the count is not 0 and fits `to`; `barrier`'s current
/// phase expects these bytes. Ordinary accesses to the destination by any thread come before, with a barrier in between, and
/// after writes a [`super::fence::proxy_async`] by that thread, too; and none come until the phase completes. No thread writes
/// the source while the kernel runs.
///
/// That reads need no fence is more than the PTX ISA says in so many words; it is what the pipelines of NVIDIA's CUTLASS rely on.
#[inline(always)]
pub unsafe fn copy<T: Scalar>(to: Shared<T>, from: Global<T>, barrier: Mbarrier) {
    // SAFETY: the caller's promise. This block's shared addresses are valid in the cluster window and name this block.
    unsafe {
        asm!("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{}], [{}], {}, [{}];",
             in(reg32) to.address(0), in(reg64) from.address(0), in(reg32) (from.len() as u32).wrapping_mul(T::BYTES),
             in(reg32) barrier.address(), options(nostack, preserves_flags));
    }
}

/// Asks for `from` to be brought to the L2 cache: PTX `cp.async.bulk.prefetch.L2.global` (sm_90, PTX ISA 8.0). One
/// thread.
///
/// # Safety
///
/// The address and the byte count of `from` are multiples of [`ALIGN`], and the count is not 0.
#[inline(always)]
pub unsafe fn prefetch<T: Scalar>(from: Global<T>) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!("cp.async.bulk.prefetch.L2.global [{}], {};", in(reg64) from.address(0),
             in(reg32) (from.len() as u32).wrapping_mul(T::BYTES), options(nostack, preserves_flags));
    }
}
