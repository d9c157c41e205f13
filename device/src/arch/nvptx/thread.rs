//! Who am I: indices of the thread, its block and its warp. Launches are one-dimensional.

use super::intrinsics;
use core::arch::nvptx;

/// Threads in a warp.
pub const WARP: u32 = 32;

/// The thread's index in its block: PTX `%tid.x`. Any thread.
#[inline(always)]
pub fn index() -> u32 {
    // SAFETY: reads a special register that every thread has.
    unsafe { nvptx::_thread_idx_x() }
}

/// The threads of a block: PTX `%ntid.x`. Any thread.
#[inline(always)]
pub fn block_threads() -> u32 {
    // SAFETY: reads a special register that every thread has.
    unsafe { nvptx::_block_dim_x() }
}

/// The block's index in the grid: PTX `%ctaid.x`. Any thread.
#[inline(always)]
pub fn block_index() -> u32 {
    // SAFETY: reads a special register that every thread has.
    unsafe { nvptx::_block_idx_x() }
}

/// The blocks of the grid: PTX `%nctaid.x`. Any thread.
#[inline(always)]
pub fn grid_blocks() -> u32 {
    // SAFETY: reads a special register that every thread has.
    unsafe { nvptx::_grid_dim_x() }
}

/// The thread's lane in its warp: PTX `%laneid`. Any thread.
#[inline(always)]
pub fn lane() -> u32 {
    intrinsics::lane_id()
}

/// The warp's index in its block: `%tid.x / 32`, since blocks are one-dimensional. Any thread.
#[inline(always)]
pub fn warp_index() -> u32 {
    index() / WARP
}
