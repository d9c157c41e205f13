//! What a plan reports, in place of a choice.
//! Write `ForceCluster` of `cluster_topk::env`.

use cluster_topk::plan::Backend;
use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().backend(Backend::Cluster);
}
