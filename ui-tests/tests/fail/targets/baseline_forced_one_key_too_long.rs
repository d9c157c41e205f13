//! The baseline is forced, and covers one key less than the segments may have, on architectures with clusters as on others.
//! Drop the override, or bound the segments.

use cluster_topk::env::ForceBaseline;
use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 4];
    let env = Env::best_available().backend(ForceBaseline);
    let _result =
        max_keys(Segments::rows(&keys, 2, Immediate::new(3).static_bounds::<0, 16385>()), 2, &mut out)
            .run(&env);
}
