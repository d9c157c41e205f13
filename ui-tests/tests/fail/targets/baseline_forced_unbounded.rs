//! The baseline is forced, and the type system knows no bound of the segments.
//! Write `constant::<N>()` or `.static_bounds::<0, N>()` as the size.

use cluster_topk::env::ForceBaseline;
use cluster_topk::env::targets::{Sm80, Sm90};
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().targets((Sm80, Sm90)).backend(ForceBaseline);
    let _plan = max_keys(Segments::rows(&keys, 2, 3), 2, &mut out).plan(&env);
}
