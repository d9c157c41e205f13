//! The cluster backend is forced, and one of several architectures has no clusters.
//! Drop the architecture or the override.

use cluster_topk::env::ForceCluster;
use cluster_topk::env::targets::{Sm80, Sm90, Sm120};
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().backend(ForceCluster).targets((Sm90, Sm80, Sm120));
    let _result = max_keys(Segments::rows(&keys, 2, 3), 2, &mut out).run(&env);
}
