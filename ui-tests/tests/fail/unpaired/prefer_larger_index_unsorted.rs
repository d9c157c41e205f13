//! A tie-break and an ordering, without the determinism level.
//! Name the determinism level as well, or the ordering alone.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((Unsorted, PreferLargerIndex));
}
