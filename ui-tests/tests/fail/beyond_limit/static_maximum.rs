//! 2^31 as a static maximum: the limit is 2^31 - 1.
//! Write at most 2147483647.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let number = [3u32];
    let _segments = Segments::rows(&keys, 2, Deferred::new(&number).static_bounds::<0, 2147483648>());
}
