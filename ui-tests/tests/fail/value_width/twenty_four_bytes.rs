//! Three words: more than travels with a key.
//! Select indices and look the values up.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = [[0u64; 3]; 3];
    let mut theirs = [[0u64; 3]; 2];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
