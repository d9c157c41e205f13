//! Deferred `i64`s can be larger than any segment.
//! Add `.bounds(0..=max)` or `.static_bounds::<0, MAX>()`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let numbers = [2i64, 3];
    let _request = max_keys(&keys, DeferredSequence::new(&numbers), &mut out);
}
