//! Finding the bucket of a histogram that holds the k-th item.

use super::scan::{block_exclusive_sum, block_scan_scratch};
use crate::arch::block;
use crate::arch::shared::Shared;
use crate::arch::thread;

/// A bucket of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Its index.
    pub index: u32,
    /// The items in the buckets below it.
    pub before: u32,
    /// The items in it.
    pub count: u32,
}

/// Where the result lies in the scratch, behind that of the scan.
const RESULT_WORDS: u32 = 3;

/// The words of scratch that [`find_bucket`] needs.
pub const fn find_bucket_scratch(threads: u32) -> u32 {
    block_scan_scratch(threads) + RESULT_WORDS
}

/// The bucket that holds the `k`-th item, counting from 1, of a histogram with `BUCKETS` buckets; in every thread. Two
/// block barriers.
///
/// Where the histogram holds fewer than `k` items, the result is what the scratch happened to hold.
///
/// # Safety
///
/// All `THREADS` threads of the block call it together with the same `k`; `THREADS` is a multiple of 32, at most 1,024,
/// and `BUCKETS` is a multiple of it or less. `histogram` is complete: a barrier has followed its last addition.
/// `scratch` holds [`find_bucket_scratch`] words that nobody else is using.
#[inline(always)]
pub unsafe fn find_bucket<const THREADS: u32, const BUCKETS: u32>(
    histogram: Shared<u32>,
    scratch: Shared<u32>,
    k: u32,
) -> Bucket {
    let per_thread = const { BUCKETS.div_ceil(THREADS) };
    let result = scratch.slice(block_scan_scratch(THREADS), RESULT_WORDS);
    let first = thread::index() * per_thread;
    let has_buckets = first < BUCKETS;

    let mut sum = 0u32;
    if has_buckets {
        for i in 0..per_thread {
            sum = sum.wrapping_add(histogram.load(first + i));
        }
    }
    // SAFETY: the caller's promise, and the branch above has ended.
    let (mut before, _) = unsafe { block_exclusive_sum::<THREADS>(scratch, sum) };

    // One thread's run of buckets holds the k-th item: `before < k <= before + sum`.
    if before < k && k.wrapping_sub(before) <= sum {
        for i in 0..per_thread {
            let count = histogram.load(first + i);
            if before < k && k.wrapping_sub(before) <= count {
                result.store(0, first + i);
                result.store(1, before);
                result.store(2, count);
            }
            before = before.wrapping_add(count);
        }
    }
    // SAFETY: the caller's promise, and the branch above has ended.
    unsafe { block::sync() };
    Bucket { index: result.load(0), before: result.load(1), count: result.load(2) }
}
