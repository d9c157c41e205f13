//! A requirement token in the list.
//! Pass it to `require`.

use cluster_topk::env::targets::Sm90;
use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().targets((Sm90, Sorted));
}
