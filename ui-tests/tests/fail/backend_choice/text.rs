//! The name of a backend.
//! Write `ForceCluster` of `cluster_topk::env`.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().backend("cluster");
}
