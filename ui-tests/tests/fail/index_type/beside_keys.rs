//! The index type is checked beside keys as well.
//! Give `u32`, `i32` or `i64`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let (mut best, mut places) = ([0; 2], [0usize; 2]);
    let _request = max_keys_and_indices(&keys, 2, &mut best, &mut places);
}
