//! A tuple within the tuple.
//! Write the three tokens side by side.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require(((GpuToGpu, PreferSmallerIndex), Sorted));
}
