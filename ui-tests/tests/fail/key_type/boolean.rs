//! `bool` has no order worth a selection.
//! Select by `u8`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [false; 4];
    let mut out = [false; 2];
    let _request = max_keys(&keys, 2, &mut out);
}
