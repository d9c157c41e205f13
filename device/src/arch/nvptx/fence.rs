//! Fences: they order this thread's memory accesses and wait for nobody. Any thread.

use core::arch::asm;

/// Orders this thread's accesses for the block: PTX `fence.acq_rel.cta`.
#[inline(always)]
pub fn block() {
    // SAFETY: a fence.
    unsafe { asm!("fence.acq_rel.cta;", options(nostack, preserves_flags)) }
}

/// Orders this thread's accesses for the cluster: PTX `fence.acq_rel.cluster` (sm_90, PTX ISA 7.8).
#[cfg(feature = "cluster")]
#[inline(always)]
pub fn cluster() {
    // SAFETY: a fence.
    unsafe { asm!("fence.acq_rel.cluster;", options(nostack, preserves_flags)) }
}

/// Orders this thread's accesses for the GPU: PTX `fence.acq_rel.gpu`.
#[inline(always)]
pub fn device() {
    // SAFETY: a fence.
    unsafe { asm!("fence.acq_rel.gpu;", options(nostack, preserves_flags)) }
}

/// Orders this thread's ordinary accesses to shared memory and the bulk copies that it or, after a barrier, another
/// thread starts: PTX `fence.proxy.async.shared::cta` (sm_90, PTX ISA 8.0).
#[cfg(feature = "cluster")]
#[inline(always)]
pub fn proxy_async() {
    // SAFETY: a fence.
    unsafe { asm!("fence.proxy.async.shared::cta;", options(nostack, preserves_flags)) }
}
