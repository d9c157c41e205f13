//! One tie-break, twice.
//! Name it once.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require((Unspecified, RunToRun, Unspecified));
}
