//! Transaction barriers in shared memory (`mbarrier`).

use super::shared::Shared;
use cluster_topk_emulate::device::mbarrier;

/// The most bytes that one phase may expect.
pub const MAX_EXPECTED_BYTES: u32 = (1 << 20) - 1;

/// A transaction barrier: 8 bytes of this block's shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Mbarrier {
    offset: u32,
}

impl Mbarrier {
    /// The barrier that is element `index` of `words`. Any thread.
    pub fn at(words: Shared<u64>, index: u32) -> Self {
        Self { offset: words.offset(index) }
    }

    pub(super) fn offset(self) -> u32 {
        self.offset
    }

    /// Makes the barrier, expecting `arrivals` a phase: PTX `mbarrier.init.shared.b64`.
    ///
    /// Before other threads or a bulk copy use it, this thread calls [`fence_init`] and a block barrier follows.
    ///
    /// # Safety
    ///
    /// One thread calls it; no barrier is in use at that address; `1 <= arrivals < 2^20`.
    #[track_caller]
    pub unsafe fn init(self, arrivals: u32) {
        mbarrier::init(self.offset, arrivals);
    }

    /// Ends the barrier's life, so that its bytes can serve otherwise: PTX `mbarrier.inval.shared.b64`.
    ///
    /// # Safety
    ///
    /// One thread calls it, when no thread and no copy uses the barrier any more.
    #[track_caller]
    pub unsafe fn invalidate(self) {
        mbarrier::invalidate(self.offset);
    }

    /// Arrives, and makes the phase wait for `bytes` more to be copied: PTX `mbarrier.arrive.expect_tx.shared.b64`.
    ///
    /// # Safety
    ///
    /// The barrier is in use, this thread is one of the phase's arrivals, copies that complete on the barrier bring
    /// exactly `bytes` in this phase, and the phase's sum is at most [`MAX_EXPECTED_BYTES`].
    #[track_caller]
    pub unsafe fn arrive_expect(self, bytes: u32) {
        mbarrier::arrive_expect(self.offset, bytes);
    }

    /// Arrives: PTX `mbarrier.arrive.shared.b64`.
    ///
    /// # Safety
    ///
    /// The barrier is in use and this thread is one of the phase's arrivals.
    #[track_caller]
    pub unsafe fn arrive(self) {
        mbarrier::arrive(self.offset);
    }

    /// Whether the phase of parity `parity` has completed, after waiting for a while if not: PTX
    /// `mbarrier.try_wait.parity.shared.b64`. Any thread.
    ///
    /// Once it says so, this thread sees what the phase's copies brought and what its arrivals had written.
    ///
    /// # Safety
    ///
    /// The barrier is in use, and the phase asked about is the current one or the one before.
    #[track_caller]
    pub unsafe fn try_wait(self, parity: u32) -> bool {
        mbarrier::try_wait(self.offset, parity)
    }

    /// Waits until the phase of parity `parity` has completed: [`Self::try_wait`] until it says so.
    ///
    /// # Safety
    ///
    /// As for [`Self::try_wait`].
    #[track_caller]
    pub unsafe fn wait(self, parity: u32) {
        while !mbarrier::try_wait(self.offset, parity) {}
    }
}

/// Makes this thread's [`Mbarrier::init`]s visible to the cluster and to bulk copies: PTX
/// `fence.mbarrier_init.release.cluster`. The thread that initialised.
#[track_caller]
pub fn fence_init() {
    mbarrier::fence_init();
}
