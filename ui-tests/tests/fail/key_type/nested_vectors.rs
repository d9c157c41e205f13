//! Rows as nested vectors.
//! Lay them out in one buffer, and say `Segments::rows` or `Segments::ragged`.

use cluster_topk::prelude::*;

fn main() {
    let keys = vec![vec![3, 1, 2], vec![5, 4]];
    let mut out = [0; 2];
    let _request = max_keys(&keys, 2, &mut out);
}
