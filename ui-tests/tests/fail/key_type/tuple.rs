//! A tuple as a key.
//! Pack it into one integer.

use cluster_topk::prelude::*;

fn main() {
    let keys = [(1, 2); 4];
    let mut out = [(1, 2); 2];
    let _request = max_keys(&keys, 2, &mut out);
}
