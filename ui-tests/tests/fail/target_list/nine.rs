//! Nine targets.
//! Name each of the eight once at most.

use cluster_topk::env::targets::*;
use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().targets((Sm80, Sm86, Sm87, Sm89, Sm90, Sm100, Sm103, Sm120, Sm80));
}
