//! What one warp, one block, or one cluster does for its segments.

pub mod block_select;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod cost;
pub mod items;
pub mod open;
pub mod probe;
pub mod segment;
pub mod set;
pub mod sort;
pub mod warp_bound;
pub mod warp_select;
