//! `char` is no number.
//! Select by `u32`.

use cluster_topk::prelude::*;

fn main() {
    let keys = ['x'; 4];
    let mut out = ['x'; 2];
    let _request = max_keys(&keys, 2, &mut out);
}
