//! Values that own memory cannot be copied bit by bit.
//! Select indices and look the texts up.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = [String::from("a"), String::from("b"), String::from("c")];
    let mut theirs = [String::new(), String::new()];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
