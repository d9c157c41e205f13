//! A 128-bit integer as `k`.
//! Write one of at most 64 bits.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let _request = max_keys(&keys, 2u128, &mut out);
}
