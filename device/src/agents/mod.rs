//! What one block, or one cluster, does for its segments.

pub mod probe;
