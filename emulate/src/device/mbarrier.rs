//! Barriers in the block's own shared memory, by bytes from its front; and the bulk copies that complete on them.

use crate::operation::{order, rendezvous, step};
use crate::site::Op;

/// `mbarrier.init`, for `arrivals` a phase.
#[track_caller]
pub fn init(offset: u32, arrivals: u32) {
    step(Op::MbarrierInit, |m| m.mbarrier_init(offset, arrivals));
}

/// `mbarrier.inval`.
#[track_caller]
pub fn invalidate(offset: u32) {
    step(Op::MbarrierInvalidate, |m| m.mbarrier_invalidate(offset));
}

/// `fence.mbarrier_init`.
#[track_caller]
pub fn fence_init() {
    order(Op::FenceInit, |m| {
        m.fence_init();
        Ok(())
    });
}

/// `mbarrier.arrive`.
#[track_caller]
pub fn arrive(offset: u32) {
    step(Op::MbarrierArrive, |m| m.mbarrier_arrive(offset, 0));
}

/// `mbarrier.arrive.expect_tx`.
#[track_caller]
pub fn arrive_expect(offset: u32, bytes: u32) {
    step(Op::MbarrierArriveExpect, |m| m.mbarrier_arrive(offset, bytes));
}

/// `mbarrier.try_wait.parity`: gives up now and then.
#[track_caller]
pub fn try_wait(offset: u32, parity: u32) -> bool {
    rendezvous(Op::MbarrierTryWait, |m| m.mbarrier_try_wait(offset, parity)) != 0
}

/// `cp.async.bulk` of `bytes` from global memory into the `room` bytes at `to`, completing on the barrier at `barrier`.
#[track_caller]
pub fn bulk_copy(to: u32, room: u32, from: u64, bytes: u32, barrier: u32) {
    step(Op::BulkCopy, |m| m.bulk_copy(to, room, from, bytes, barrier));
}

/// `cp.async.bulk.prefetch.L2`.
#[track_caller]
pub fn bulk_prefetch(from: u64, bytes: u32) {
    step(Op::BulkPrefetch, |m| m.prefetch(from, bytes));
}
