//! A flag in place of an ordering.
//! Write `Sorted`.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu, PreferSmallerIndex, true));
}
