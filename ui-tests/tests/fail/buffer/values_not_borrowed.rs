//! The values moved into the call.
//! Write `&values`.

use cluster_topk::prelude::*;

fn main() {
    let (keys, values) = ([3, 1, 2], vec![7u32, 8, 9]);
    let (mut best, mut theirs) = ([0; 2], [0u32; 2]);
    let _request = max_pairs(&keys, values, 2, &mut best, &mut theirs);
}
