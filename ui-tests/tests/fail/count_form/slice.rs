//! A slice of integers as the number of segments.
//! Write one integer: it is the same for the whole call.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let numbers = [2, 3];
    let _segments = Segments::rows(&keys, &numbers[..], 3);
}
