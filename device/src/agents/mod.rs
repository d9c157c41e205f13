//! What one warp, one block, or one cluster does for its segments.

pub mod block_select;
pub mod cost;
pub mod items;
pub mod probe;
pub mod segment;
pub mod sort;
pub mod warp_select;
