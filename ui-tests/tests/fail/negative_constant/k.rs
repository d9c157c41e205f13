//! A constant `k` below 0.
//! Write 0 or more.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let _request = max_keys(&keys, constant::<-1>(), &mut out);
}
