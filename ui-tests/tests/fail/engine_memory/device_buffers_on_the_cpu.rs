//! Buffers in device memory, given to the CPU engine.
//! Give it slices, or run on the GPU.

use cluster_topk::cudarc::driver::CudaSlice;
use cluster_topk::prelude::*;

fn select(keys: &CudaSlice<f32>, out: &mut CudaSlice<f32>) {
    let _result = max_keys(keys, 2, out).run(&Env::cpu());
}

fn main() {}
