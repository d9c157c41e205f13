//! 2^31 as a static maximum: the limit is 2^31 - 1.
//! Write at most 2147483647.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let offsets = [0, 3, 6];
    let _segments = Segments::ragged(&keys, &offsets).static_max_length::<2147483648>();
}
