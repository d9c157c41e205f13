//! An array in place of a tuple.
//! Write `(Sm90, Sm90)`.

use cluster_topk::env::targets::Sm90;
use cluster_topk::prelude::*;

fn main() {
    let _env = Env::best_available().targets([Sm90, Sm90]);
}
