//! Segments of any length: the type system knows no bound, and sm_80 serves up to 16,384 keys.
//! Write `constant::<N>()` or `.static_bounds::<0, N>()` as the size.

use cluster_topk::env::targets::Sm80;
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().require((NotGuaranteed, Unspecified, Unsorted)).targets(Sm80);
    let _result = max_keys(Segments::rows(&keys, 2, 3), 2, &mut out).run(&env);
}
