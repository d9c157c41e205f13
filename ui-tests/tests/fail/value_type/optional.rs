//! `Option` has bit patterns that are no value.
//! Carry a number that stands for none.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = [Some(1), None, Some(2)];
    let mut theirs = [None; 2];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
