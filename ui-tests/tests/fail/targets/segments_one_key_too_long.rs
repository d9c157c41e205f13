//! sm_80 serves segments of up to 16,384 keys.
//! Bound the segments, leave the target out, or make the environment `.lenient()`.

use cluster_topk::env::targets::{Sm80, Sm90};
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().require((NotGuaranteed, Unspecified, Unsorted)).targets((Sm80, Sm90));
    let _result =
        max_keys(Segments::rows(&keys, 2, Immediate::new(3).static_bounds::<0, 16385>()), 2, &mut out)
            .run(&env);
}
