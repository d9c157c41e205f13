//! Four tokens.
//! There are three axes: name each at most once.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu, PreferSmallerIndex, Sorted, StableSorted));
}
