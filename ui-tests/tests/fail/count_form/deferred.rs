//! A number of segments in memory that the host does not read.
//! Write an integer or `constant::<N>()`; a size of 0 skips a segment.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let number = [2u8];
    let _segments = Segments::rows(&keys, Deferred::new(&number), 3);
}
