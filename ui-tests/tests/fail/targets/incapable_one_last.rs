//! One target that cannot serve the request is enough, wherever it stands.
//! Bound the segments, leave the target out, or make the environment `.lenient()`.

use cluster_topk::env::targets::{Sm89, Sm100, Sm120};
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().targets((Sm120, Sm100, Sm89));
    let _result = max_keys(Segments::rows(&keys, 2, 3), 2, &mut out).run(&env);
}
