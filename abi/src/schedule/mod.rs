//! Which thread block of a cluster works on which keys of a segment.
//!
//! ```text
//!      | head | chunk 0 | chunk 1 | … | chunk c−1 | tail |
//!      ^      ^                                   ^
//!      start  aligned                             aligned
//! ```
//!
//! A bulk copy needs aligned chunks, so the keys before the first aligned address and after the last one are *edges*,
//! each shorter than a line, kept apart from the chunks ([`SegmentSplit`]). A segment that holds no whole line has no
//! chunk at all.
//!
//! Chunks go to the ranks of the cluster in contiguous runs by ascending index, as evenly as possible; the head goes to
//! the first rank that works and the tail to the last ([`ClusterSchedule`]). Ranks beyond the *effective width* are
//! idle.
//!
//! Host and device evaluate the same functions, so both agree on every one of these decisions.

mod bound;
mod cluster;
mod split;

pub use bound::{Bound, Groups, group_keys};
pub use cluster::{
    ClusterSchedule, RankShare, ScanOrder, effective_width, max_chunks_per_rank, single_cta_eligible,
};
pub use split::{KeyRange, SegmentSplit};
