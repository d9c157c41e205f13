//! Fractions as the offsets of ragged segments.
//! Store integers.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let offsets = [0.0, 3.0, 6.0];
    let _segments = Segments::ragged(&keys, &offsets);
}
