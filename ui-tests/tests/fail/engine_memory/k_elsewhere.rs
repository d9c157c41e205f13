//! Keys in device memory, the deferred `k` in host memory.
//! Give `k` in the memory of the keys, or as a plain number.

use cluster_topk::cudarc::driver::CudaSlice;
use cluster_topk::prelude::*;

fn select(keys: &CudaSlice<f32>, k: &[u8], out: &mut CudaSlice<f32>) {
    let _request = max_keys(keys, Deferred::new(k), out);
}

fn main() {}
