//! sm_80 has no clusters, so the default contract has no backend there.
//! Require less, bound the segments, leave the target out, or make the environment `.lenient()`.

use cluster_topk::env::targets::Sm80;
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().targets(Sm80);
    let _result = max_keys(Segments::rows(&keys, 2, constant::<3>()), 2, &mut out).run(&env);
}
