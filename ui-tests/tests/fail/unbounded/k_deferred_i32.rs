//! A deferred `i32` can be larger than any segment.
//! Add `.bounds(0..=max)` or `.static_bounds::<0, MAX>()`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let number = [2i32];
    let _request = max_keys(&keys, Deferred::new(&number), &mut out);
}
