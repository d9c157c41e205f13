//! The plain value of an axis in place of its token.
//! Write `Sorted` from the prelude.

use cluster_topk::prelude::*;
use cluster_topk::requirement::OutputOrdering;

fn main() {
    let _env = Env::cpu().require(OutputOrdering::Sorted);
}
