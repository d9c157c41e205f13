//! A static minimum above the maximum leaves no size.
//! Swap them.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let numbers = [2u32];
    let _request = max_keys(&keys, DeferredSequence::new(&numbers).static_bounds::<8, 2>(), &mut out);
}
