//! A structure that does not say it is plain old data.
//! Derive `bytemuck::Pod` and `bytemuck::Zeroable`, with `repr(C)`.

use cluster_topk::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i32,
}

fn main() {
    let keys = [3, 1, 2];
    let mut best = [0; 2];
    let values = [Point { x: 1, y: 2 }; 3];
    let mut theirs = [Point { x: 0, y: 0 }; 2];
    let _request = max_pairs(&keys, &values, 2, &mut best, &mut theirs);
}
