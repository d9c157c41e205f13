//! A fraction as the number of segments.
//! Write an integer.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2.0, 3);
}
