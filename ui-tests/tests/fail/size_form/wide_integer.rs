//! A 128-bit integer as a segment size.
//! Write one of at most 64 bits.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2, 2u128);
}
