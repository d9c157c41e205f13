//! The output moved into the call.
//! Write `&mut out`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let out = vec![0; 2];
    let _request = max_keys(&keys, 2, out);
}
