//! A value without content.
//! Select keys alone.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = [(); 3];
    let mut theirs = [(); 2];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
