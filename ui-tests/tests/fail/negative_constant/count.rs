//! A constant number of segments below 0.
//! Write 0 or more.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, constant::<-1>(), 3);
}
