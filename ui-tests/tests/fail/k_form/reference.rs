//! A reference to an integer as `k`.
//! Write the integer itself.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let number = 2;
    let _request = max_keys(&keys, &number, &mut out);
}
