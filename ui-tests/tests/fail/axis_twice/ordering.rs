//! Two orderings.
//! Name one.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((Sorted, StableSorted));
}
