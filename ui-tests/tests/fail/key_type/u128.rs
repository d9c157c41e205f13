//! 128-bit keys.
//! Select by 64 bits.

use cluster_topk::prelude::*;

fn main() {
    let keys = [1u128; 4];
    let mut out = [1u128; 2];
    let _request = max_keys(&keys, 2, &mut out);
}
