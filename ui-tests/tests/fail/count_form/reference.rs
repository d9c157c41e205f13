//! A reference to an integer as the number of segments.
//! Write the integer itself.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let number = 2;
    let _segments = Segments::rows(&keys, &number, 3);
}
