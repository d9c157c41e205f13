//! What device code calls: the operations of a GPU, by address and width.
//!
//! A typed layer stands in front of them, such as handles that carry a length. Every function takes the place in the source
//! from its caller, so such a layer marks its functions `#[track_caller]`. All panic outside a launch.

mod collective;
pub mod mbarrier;
mod memory;

pub use collective::*;
pub use memory::*;

use crate::fiber::{Who, who};

fn here() -> Who {
    who().expect("device code runs outside a launch")
}

/// The thread's index in its block.
#[must_use]
pub fn thread_index() -> u32 {
    here().index
}

/// The threads of a block.
#[must_use]
pub fn block_threads() -> u32 {
    here().threads
}

/// The block's index in the grid.
#[must_use]
pub fn block_index() -> u32 {
    here().block
}

/// The blocks of the grid.
#[must_use]
pub fn grid_blocks() -> u32 {
    here().blocks
}

/// The block's rank in its cluster.
#[must_use]
pub fn cluster_rank() -> u32 {
    let who = here();
    who.block % who.cluster_width
}

/// The blocks of a cluster.
#[must_use]
pub fn cluster_width() -> u32 {
    here().cluster_width
}
