//! A determinism level and an ordering, without the tie-break.
//! Name the tie-break as well, or the ordering alone.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((GpuToGpu, StableSorted));
}
