//! An array in place of a tuple.
//! Tokens are types of their own: write a tuple.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require([Sorted, Sorted]);
}
