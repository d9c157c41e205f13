//! A tie-break is never a requirement by itself, in a tuple or not.
//! Name the determinism level as well: both stand in one tuple.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require(PreferSmallerIndex);
}
