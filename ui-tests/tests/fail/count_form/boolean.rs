//! A flag as the number of segments.
//! Write an integer.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, true, 3);
}
