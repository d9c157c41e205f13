//! A bound does not make a deferred number of segments known.
//! Write an integer or `constant::<N>()`; a size of 0 skips a segment.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let number = [2u32];
    let _segments = Segments::rows(&keys, Deferred::new(&number).static_bounds::<0, 2>(), 3);
}
