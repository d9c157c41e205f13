//! The keys moved into the call.
//! Write `&keys`.

use cluster_topk::prelude::*;

fn main() {
    let keys = vec![3, 1, 2];
    let mut out = [0; 2];
    let _request = max_keys(keys, 2, &mut out);
}
