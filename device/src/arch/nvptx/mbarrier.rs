//! Transaction barriers in shared memory (`mbarrier`, sm_90 for what is offered here).
//!
//! A barrier counts arrivals and, for bulk copies, bytes; a phase completes when both are in. Phases alternate in
//! parity, the first being 0.

use super::shared::Shared;
use core::arch::asm;

/// The most bytes that one phase may expect.
pub const MAX_EXPECTED_BYTES: u32 = (1 << 20) - 1;

/// A transaction barrier: 8 bytes of this block's shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Mbarrier {
    address: u32,
}

impl Mbarrier {
    /// The barrier that is element `index` of `words`. Any thread.
    #[inline(always)]
    pub fn at(words: Shared<u64>, index: u32) -> Self {
        Self { address: words.address(index) }
    }

    #[inline(always)]
    pub(super) fn address(self) -> u32 {
        self.address
    }

    /// Makes the barrier, expecting `arrivals` a phase: PTX `mbarrier.init.shared.b64` (PTX ISA 7.0).
    ///
    /// Before other threads or a bulk copy use it, this thread calls [`fence_init`] and a block barrier follows.
    ///
    /// # Safety
    ///
    /// One thread calls it; no barrier is in use at that address; `1 <= arrivals < 2^20`.
    #[inline(always)]
    pub unsafe fn init(self, arrivals: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            asm!("mbarrier.init.shared.b64 [{}], {};", in(reg32) self.address, in(reg32) arrivals,
                 options(nostack, preserves_flags));
        }
    }

    /// Ends the barrier's life, so that its bytes can serve otherwise: PTX `mbarrier.inval.shared.b64` (PTX ISA 7.0).
    ///
    /// # Safety
    ///
    /// One thread calls it, when no thread and no copy uses the barrier any more.
    #[inline(always)]
    pub unsafe fn invalidate(self) {
        // SAFETY: the caller's promise.
        unsafe {
            asm!("mbarrier.inval.shared.b64 [{}];", in(reg32) self.address, options(nostack, preserves_flags));
        }
    }

    /// Arrives, and makes the phase wait for `bytes` more to be copied: PTX
    /// `mbarrier.arrive.expect_tx.shared.b64` (sm_90, PTX ISA 8.0).
    ///
    /// # Safety
    ///
    /// The barrier is in use, this thread is one of the phase's arrivals, copies that complete on the barrier bring
    /// exactly `bytes` in this phase, and the phase's sum is at most [`MAX_EXPECTED_BYTES`].
    #[inline(always)]
    pub unsafe fn arrive_expect(self, bytes: u32) {
        // SAFETY: the caller's promise. `_` discards the state.
        unsafe {
            asm!("mbarrier.arrive.expect_tx.shared.b64 _, [{}], {};", in(reg32) self.address, in(reg32) bytes,
                 options(nostack, preserves_flags));
        }
    }

    /// Arrives: PTX `mbarrier.arrive.shared.b64` (PTX ISA 7.0).
    ///
    /// # Safety
    ///
    /// The barrier is in use and this thread is one of the phase's arrivals.
    #[inline(always)]
    pub unsafe fn arrive(self) {
        // SAFETY: the caller's promise. `_` discards the state.
        unsafe {
            asm!("mbarrier.arrive.shared.b64 _, [{}];", in(reg32) self.address, options(nostack, preserves_flags));
        }
    }

    /// Whether the phase of parity `parity` has completed, after waiting for a while if not: PTX
    /// `mbarrier.try_wait.parity.shared.b64` (sm_90, PTX ISA 7.8). Any thread.
    ///
    /// Once it says so, this thread sees what the phase's copies brought and what its arrivals had written.
    ///
    /// # Safety
    ///
    /// The barrier is in use, and the phase asked about is the current one or the one before.
    #[inline(always)]
    pub unsafe fn try_wait(self, parity: u32) -> bool {
        let done: u32;
        // SAFETY: the caller's promise.
        unsafe {
            asm!("{{",
                 ".reg .pred done;",
                 "mbarrier.try_wait.parity.shared.b64 done, [{}], {};",
                 "selp.u32 {}, 1, 0, done;",
                 "}}",
                 in(reg32) self.address, in(reg32) parity, out(reg32) done, options(nostack, preserves_flags));
        }
        done != 0
    }

    /// Waits until the phase of parity `parity` has completed: [`Self::try_wait`] until it says so.
    ///
    /// # Safety
    ///
    /// As for [`Self::try_wait`].
    #[inline(always)]
    pub unsafe fn wait(self, parity: u32) {
        // SAFETY: the caller's promise.
        while !unsafe { self.try_wait(parity) } {}
    }
}

/// Makes this thread's [`Mbarrier::init`]s visible to the cluster and to bulk copies: PTX
/// `fence.mbarrier_init.release.cluster` (sm_90, PTX ISA 8.0). The thread that initialised.
#[inline(always)]
pub fn fence_init() {
    // SAFETY: a fence.
    unsafe { asm!("fence.mbarrier_init.release.cluster;", options(nostack, preserves_flags)) }
}
