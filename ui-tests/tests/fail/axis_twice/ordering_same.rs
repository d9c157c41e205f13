//! One ordering, twice.
//! Name it once.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((Unsorted, Unsorted));
}
