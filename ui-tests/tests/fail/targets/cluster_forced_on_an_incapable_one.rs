//! The cluster backend is forced where there are no clusters, however short the segments.
//! Drop the override: the baseline serves these.

use cluster_topk::env::ForceCluster;
use cluster_topk::env::targets::Sm89;
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().targets(Sm89).backend(ForceCluster);
    let _result = max_keys(Segments::rows(&keys, 2, constant::<3>()), 2, &mut out).run(&env);
}
