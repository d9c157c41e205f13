//! One of several architectures has no clusters, which unbounded segments need; those around it have.
//! Drop the architecture, bound the segments, or make the environment `.lenient()`.

use cluster_topk::env::targets::{Sm86, Sm90, Sm103};
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0u32; 4];
    let env = Env::best_available().require((RunToRun, Unspecified, Unsorted)).targets((Sm90, Sm86, Sm103));
    let _result = max_indices(Segments::rows(&keys, 2, 3), 2, &mut out).run(&env);
}
