//! A shared borrow as the output.
//! Write `&mut out`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let out = [0; 2];
    let _request = max_keys(&keys, 2, &out);
}
