//! No target at all.
//! Leave `targets` out: the default is sm_90 and newer.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().targets(());
}
