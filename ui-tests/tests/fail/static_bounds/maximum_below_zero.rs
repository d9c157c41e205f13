//! A static maximum below 0 leaves no size.
//! Write 0 or more.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let number = [2u32];
    let _request = max_keys(&keys, Deferred::new(&number).static_bounds::<-5, -1>(), &mut out);
}
