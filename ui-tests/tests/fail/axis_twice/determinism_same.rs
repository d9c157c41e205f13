//! One determinism level, twice.
//! Name it once, and a tie-break beside it.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu, GpuToGpu));
}
