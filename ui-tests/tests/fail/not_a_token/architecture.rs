//! An architecture among the tokens.
//! Declare it with `targets`.

use cluster_topk::env::targets::Sm90;
use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu, PreferSmallerIndex, Sm90));
}
