//! What one warp, one block, or one cluster does for its segments.

pub mod block_select;
mod block_tile;
pub mod bucket_sort;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod cost;
pub mod extremes;
pub mod items;
pub mod open;
pub mod order;
pub mod probe;
pub mod radix_sort;
pub mod segment;
pub mod set;
pub mod sort;
pub mod warp_bound;
pub mod warp_select;
