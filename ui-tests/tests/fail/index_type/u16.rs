//! An index output of `u16`.
//! Give `u32`, `i32` or `i64`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut places = [0u16; 2];
    let _request = max_indices(&keys, 2, &mut places);
}
