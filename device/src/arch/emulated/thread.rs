//! Who am I: indices of the thread, its block and its warp. Launches are one-dimensional.

use cluster_topk_emulate::device;

/// Threads in a warp.
pub const WARP: u32 = 32;

/// The thread's index in its block: PTX `%tid.x`. Any thread.
pub fn index() -> u32 {
    device::thread_index()
}

/// The threads of a block: PTX `%ntid.x`. Any thread.
pub fn block_threads() -> u32 {
    device::block_threads()
}

/// The block's index in the grid: PTX `%ctaid.x`. Any thread.
pub fn block_index() -> u32 {
    device::block_index()
}

/// The blocks of the grid: PTX `%nctaid.x`. Any thread.
pub fn grid_blocks() -> u32 {
    device::grid_blocks()
}

/// The thread's lane in its warp: PTX `%laneid`. Any thread.
pub fn lane() -> u32 {
    index() % WARP
}

/// The warp's index in its block: `%tid.x / 32`, since blocks are one-dimensional. Any thread.
pub fn warp_index() -> u32 {
    index() / WARP
}
