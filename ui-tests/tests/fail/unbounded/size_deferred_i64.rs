//! A deferred `i64` can be larger than any segment.
//! Add `.bounds(0..=max)` or `.static_bounds::<0, MAX>()`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let number = [2i64];
    let _segments = Segments::rows(&keys, 2, Deferred::new(&number));
}
