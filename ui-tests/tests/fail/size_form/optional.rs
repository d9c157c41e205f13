//! An `Option` as a segment size.
//! Write an integer; what is absent is left out.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2, Some(2));
}
