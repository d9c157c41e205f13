//! An `Option` as the number of segments.
//! Write an integer; what is absent is left out.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, Some(2), 3);
}
