//! `bool` has bit patterns that are no value.
//! Carry `u8`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = [true, false, true];
    let mut theirs = [false; 2];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
