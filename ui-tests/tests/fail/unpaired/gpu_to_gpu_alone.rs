//! A determinism level without its tie-break.
//! Name both, or neither.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu,));
}
