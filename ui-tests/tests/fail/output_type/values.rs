//! A value output of another type than the values.
//! Give a buffer of `u64`.

use cluster_topk::prelude::*;

fn main() {
    let (keys, values) = ([3, 1, 2], [0u64; 3]);
    let (mut best, mut theirs) = ([0; 2], [0u32; 2]);
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
