//! The ordering, and the order of the tokens, do not make an illegal pair legal.
//! Write `GpuToGpu` beside the tie-break, or `Unspecified` beside the level.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((PreferLargerIndex, Sorted, NotGuaranteed));
}
