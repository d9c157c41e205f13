//! What is tunable: thread-block shapes, chunk sizes and thresholds, as plain data.
//!
//! A policy holds what a kernel is compiled with and what a launch may choose within; the cluster width and the amount
//! of shared memory are chosen per launch. Thresholds at which another *backend* takes over are not tunables of either
//! backend: they live in [`selector`](crate::selector).

mod baseline;
mod baseline_memory;
mod cluster;
mod order;

pub use baseline::{BASELINE_LADDER, BaselineTile, WARP_PER_SEGMENT_MAX_SIZE, baseline_tile_for};
pub use baseline_memory::{BlockMemory, ITEM_PADDING, WarpMemory, word_bytes};
pub use cluster::{ClusterPolicy, ClusterSizing, LaunchShape, PolicyError, Streaming};
pub use order::{CLUSTER_SORTS_UP_TO, OrderMemory, OrderPolicy, SortedBy, Workspace};
