//! A bound stated at run time is none that the compiler knows.
//! Write `.static_bounds::<0, N>()`.

use cluster_topk::env::targets::Sm80;
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().require((NotGuaranteed, Unspecified, Unsorted)).targets(Sm80);
    let _result =
        max_keys(Segments::rows(&keys, 2, DeferredSequence::new(&[3u32, 2]).bounds(0..=3)), 2, &mut out)
            .run(&env);
}
