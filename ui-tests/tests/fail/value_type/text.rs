//! References are not plain old data.
//! Select indices and look the texts up.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = ["a", "b", "c"];
    let mut theirs = [""; 2];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
