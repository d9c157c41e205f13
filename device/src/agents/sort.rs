//! Sorting in shared memory: a bitonic network whose exchanges all point the same way, so that any number of items will do.

use crate::arch::thread::{self, WARP};
use crate::arch::{block, warp};
use crate::primitives::strided;

/// Sorts `count` items, at most 65,536, which `exchange` brings in order two by two, the lower place first. Afterwards all
/// threads may read them. By a block of `THREADS` threads; by a warp where that is 32.
///
/// # Safety
///
/// All threads call it together with the same `count`; nobody else uses the items, and a barrier has followed the last
/// write.
#[inline(always)]
pub unsafe fn sort<const THREADS: u32>(count: u32, exchange: impl Fn(u32, u32)) {
    let thread = if const { THREADS == WARP } { thread::lane() } else { thread::index() };
    // Runs of `run` items are sorted, and merged two by two.
    let mut run = 1;
    while run < count {
        let mut half = run;
        while half > 0 {
            // Exchange `e` is within the pair of halves `e / half`. A warp's exchanges stay within 64 items where halves are
            // of at most a warp: it then need not wait for other warps.
            let exchanges = ((count + 2 * half - 1) & !(2 * half - 1)) / 2;
            for e in strided(thread, exchanges, THREADS) {
                let within = e & (half - 1);
                let low = 2 * (e - within) + within;
                let high = if half == run { 2 * (e - within) + 2 * half - 1 - within } else { low + half };
                // Behind the end there would be items that are worse than any, and those stay where they are.
                if high < count {
                    exchange(low, high);
                }
            }
            let next = if half > 1 { half / 2 } else { 2 * run };
            let last = half == 1 && next >= count;
            if const { THREADS == WARP } || (half <= WARP && next <= WARP && !last) {
                // SAFETY: the caller's promise; what was branched on is the same in all threads.
                unsafe { warp::sync(warp::ALL) };
            } else {
                // SAFETY: as above.
                unsafe { block::sync() };
            }
            half /= 2;
        }
        run *= 2;
    }
}
