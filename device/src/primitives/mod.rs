//! What a warp or a block computes together, in terms of [`crate::arch`].
//!
//! Each function says who must call it. Those of a block take scratch in shared memory, which they may be using until
//! the next block barrier after they return; before that, nobody may write it.

mod bucket;
mod reduce;
mod scan;
mod strided;

pub use bucket::{Bucket, find_bucket, find_bucket_scratch};
pub use reduce::{block_reduce_add, block_reduce_scratch, warp_reduce};
pub use scan::{
    block_exclusive_sum, block_exclusive_sum_of, block_scan_scratch, warp_exclusive_sum, warp_inclusive_sum,
};
pub use strided::{Strided, strided};

use crate::arch::thread::WARP;

/// The warps of a block of `threads` threads.
pub const fn warps(threads: u32) -> u32 {
    threads.div_ceil(WARP)
}
