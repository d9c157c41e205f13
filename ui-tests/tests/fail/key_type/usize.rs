//! A key as wide as an address differs from machine to machine.
//! Select by `u64` or `u32`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [1usize; 4];
    let mut out = [1usize; 2];
    let _request = max_keys(&keys, 2, &mut out);
}
