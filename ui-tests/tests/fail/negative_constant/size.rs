//! A constant segment size below 0.
//! Write 0 or more; 0 is an empty segment.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2, constant::<-1>());
}
