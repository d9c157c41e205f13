//! A tie-break pins the set, which `NotGuaranteed` says nobody needs.
//! Write `GpuToGpu` beside the tie-break, or `Unspecified` beside the level.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((NotGuaranteed, PreferLargerIndex));
}
