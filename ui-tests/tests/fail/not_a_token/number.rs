//! A number among the tokens.
//! Write tokens only; `k` is an argument of the call.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu, PreferSmallerIndex, 5));
}
