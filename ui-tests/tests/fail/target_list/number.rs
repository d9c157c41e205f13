//! A number as an architecture.
//! Write `Sm90` from `cluster_topk::env::targets`.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().targets(90);
}
