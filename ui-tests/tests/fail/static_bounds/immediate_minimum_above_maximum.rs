//! A static minimum above the maximum leaves no size.
//! Swap them.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2, Immediate::new(3).static_bounds::<8, 2>());
}
