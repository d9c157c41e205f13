//! The keys moved into the segments.
//! Write `&keys`.

use cluster_topk::prelude::*;

fn main() {
    let keys = vec![3, 1, 2, 4];
    let _segments = Segments::rows(keys, 2, 2);
}
