//! Reductions.

use super::warps;
use crate::arch::block;
use crate::arch::shared::Shared;
use crate::arch::thread::{self, WARP};
use crate::arch::warp::{self, Shuffle};

/// `op` over the values of a whole warp, in every lane. `op` is associative and commutative.
///
/// For sums and extremes of `u32`, [`warp::reduce_add`] and its kin do it in one instruction.
///
/// # Safety
///
/// All 32 lanes call it together.
#[inline(always)]
pub unsafe fn warp_reduce<T: Shuffle>(mut value: T, op: impl Fn(T, T) -> T) -> T {
    let mut lanes = WARP / 2;
    while lanes > 0 {
        // SAFETY: all 32 lanes are here, by the caller's promise, and the trip count is a constant.
        let other = unsafe { warp::shuffle_xor(warp::ALL, value, lanes) };
        value = op(value, other);
        lanes /= 2;
    }
    value
}

/// The words of scratch that [`block_reduce_add`] needs.
pub const fn block_reduce_scratch(threads: u32) -> u32 {
    warps(threads)
}

/// The wrapping sum of the block's values, in every thread. One block barrier.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together; `THREADS` is a multiple of 32, at most 1,024. `scratch` holds
/// [`block_reduce_scratch`] words that nobody else is using.
#[inline(always)]
pub unsafe fn block_reduce_add<const THREADS: u32>(scratch: Shared<u32>, value: u32) -> u32 {
    // SAFETY: the whole block is here, so the whole warp is.
    let sum = unsafe { warp::reduce_add(warp::ALL, value) };
    let lane = thread::lane();
    if lane == 0 {
        scratch.store(thread::warp_index(), sum);
    }
    // SAFETY: the whole block is here.
    unsafe { block::sync() };
    let of_warp = if lane < warps(THREADS) { scratch.load(lane) } else { 0 };
    // SAFETY: the whole block is here, so the whole warp is.
    unsafe { warp::reduce_add(warp::ALL, of_warp) }
}
