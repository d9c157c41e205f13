//! A plan is checked as a run is.
//! Bound the segments, leave the target out, or make the environment `.lenient()`.

use cluster_topk::env::targets::Sm80;
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().targets(Sm80);
    let _plan = max_keys(Segments::rows(&keys, 2, 3), 2, &mut out).plan(&env);
}
