//! A tie-break without its determinism level.
//! Name both, or neither.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((PreferLargerIndex,));
}
