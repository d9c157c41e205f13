//! A tie-break pins the set on every device, which is more than `RunToRun` says.
//! Write `GpuToGpu` beside the tie-break, or `Unspecified` beside the level.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((RunToRun, PreferSmallerIndex));
}
