//! Prefix sums.

use super::warps;
use crate::arch::block;
use crate::arch::shared::Shared;
use crate::arch::thread::{self, WARP};
use crate::arch::warp;

/// The sum of the values of this lane and those below.
///
/// # Safety
///
/// All 32 lanes call it together.
#[inline(always)]
pub unsafe fn warp_inclusive_sum(mut value: u32) -> u32 {
    let lane = thread::lane();
    let mut delta = 1;
    while delta < WARP {
        // SAFETY: all 32 lanes are here, by the caller's promise, and the trip count is a constant.
        let below = unsafe { warp::shuffle_up(warp::ALL, value, delta) };
        if lane >= delta {
            value = value.wrapping_add(below);
        }
        delta *= 2;
    }
    value
}

/// The sum of the values of the lanes below this one.
///
/// # Safety
///
/// All 32 lanes call it together.
#[inline(always)]
pub unsafe fn warp_exclusive_sum(value: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { warp_inclusive_sum(value) }.wrapping_sub(value)
}

/// The words of scratch that [`block_exclusive_sum`] needs.
pub const fn block_scan_scratch(threads: u32) -> u32 {
    warps(threads)
}

/// The sum of the values of the threads below this one, and that of all. One block barrier.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together; `THREADS` is a multiple of 32, at most 1,024. `scratch` holds
/// [`block_scan_scratch`] words that nobody else is using.
#[inline(always)]
pub unsafe fn block_exclusive_sum<const THREADS: u32>(scratch: Shared<u32>, value: u32) -> (u32, u32) {
    // SAFETY: the caller's promise.
    unsafe { block_exclusive_sum_of(THREADS, scratch, value) }
}

/// [`block_exclusive_sum`] of a block of `threads` threads, a constant where that is what the caller has.
///
/// # Safety
///
/// As [`block_exclusive_sum`].
#[inline(always)]
pub unsafe fn block_exclusive_sum_of(threads: u32, scratch: Shared<u32>, value: u32) -> (u32, u32) {
    // SAFETY: the whole block is here, so the whole warp is.
    let inclusive = unsafe { warp_inclusive_sum(value) };
    let (lane, own_warp) = (thread::lane(), thread::warp_index());
    if lane == WARP - 1 {
        scratch.store(own_warp, inclusive);
    }
    // SAFETY: the whole block is here.
    unsafe { block::sync() };
    // Every warp scans the warps' sums for itself, which spares a second barrier.
    let of_warp = if lane < warps(threads) { scratch.load(lane) } else { 0 };
    // SAFETY: the whole block is here, so the whole warp is.
    let through = unsafe { warp_inclusive_sum(of_warp) };
    // SAFETY: the whole warp is here, and `own_warp < 32`.
    let before = unsafe { warp::shuffle(warp::ALL, through.wrapping_sub(of_warp), own_warp) };
    // SAFETY: the whole warp is here.
    let total = unsafe { warp::shuffle(warp::ALL, through, WARP - 1) };
    (before.wrapping_add(inclusive.wrapping_sub(value)), total)
}
