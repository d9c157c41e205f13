//! A key output of another type than the keys.
//! Give a buffer of `f32`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3f32, 1.0, 2.0];
    let mut best = [0f64; 2];
    let _request = max_keys(&keys, 2, &mut best);
}
