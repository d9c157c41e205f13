//! A static maximum below 0 leaves no length.
//! Write 0 or more.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let offsets = [0, 3, 6];
    let _segments = Segments::ragged(&keys, &offsets).static_max_length::<-1>();
}
