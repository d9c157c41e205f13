//! The least and the greatest cost that a block holds.

use super::cost::Word;
use crate::arch::shared::Shared;
use crate::arch::{block, thread};
use crate::primitives::warps;

/// The words of scratch that [`block_extremes`] needs.
pub const fn extremes_words(threads: u32) -> u32 {
    2 * warps(threads)
}

/// The least `least` and the greatest `most` of the block's threads, in every thread. One block barrier.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together; `THREADS` is a multiple of 32, at most 1,024. `of_warps` holds
/// [`extremes_words`] words that nobody else is using until the next block barrier.
#[inline(always)]
pub unsafe fn block_extremes<W: Word, const THREADS: u32>(of_warps: Shared<W>, least: W, most: W) -> (W, W) {
    // SAFETY: the whole block is here, so the whole warp is.
    let least = unsafe { least.warp_min() };
    // SAFETY: as above.
    let most = unsafe { most.warp_max() };
    let count = const { warps(THREADS) };
    if thread::lane() == 0 {
        of_warps.store(thread::warp_index(), least);
        of_warps.store(count + thread::warp_index(), most);
    }
    // SAFETY: the whole block is here.
    unsafe { block::sync() };
    let lane = thread::lane();
    let (least, most) =
        if lane < count { (of_warps.load(lane), of_warps.load(count + lane)) } else { (W::WORST, W::BEST) };
    // SAFETY: the whole block is here, so the whole warp is.
    let least = unsafe { least.warp_min() };
    // SAFETY: as above.
    let most = unsafe { most.warp_max() };
    (least, most)
}
