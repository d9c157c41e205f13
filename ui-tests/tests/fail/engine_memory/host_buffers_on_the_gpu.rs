//! Buffers in host memory, given to the GPU engine.
//! Give it cudarc's slices or views: nothing is copied behind the caller's back.

use cluster_topk::Gpu;
use cluster_topk::prelude::*;

fn select(env: &Env<Gpu>, keys: &[f32], out: &mut [f32]) {
    let _result = max_keys(keys, 2, out).run(env);
}

fn main() {}
