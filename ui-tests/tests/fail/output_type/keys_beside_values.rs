//! A key output of another type than the keys.
//! Give a buffer of `i32`.

use cluster_topk::prelude::*;

fn main() {
    let (keys, values) = ([3i32, 1, 2], [0u64; 3]);
    let (mut best, mut theirs) = ([0i64; 2], [0u64; 2]);
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
