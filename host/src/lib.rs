//! Segmented top-k.
