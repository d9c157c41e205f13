//! 2^31 as a constant segment size: the limit is 2^31 - 1.
//! Write at most 2147483647.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2, constant::<2147483648>());
}
