//! An `Option` as `k`.
//! Write an integer; what is absent is left out.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let _request = max_keys(&keys, Some(2), &mut out);
}
