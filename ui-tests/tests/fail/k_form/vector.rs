//! A vector of integers as `k`.
//! Say `DeferredSequence::new(&numbers)` for one per segment, `Deferred::new(&number)` for one in memory.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let _request = max_keys(&keys, vec![2, 3], &mut out);
}
