//! A name in quotes.
//! Write the token itself: `Sorted`.

use cluster_topk::prelude::*;

fn main() {
    let _env = Env::cpu().require("sorted");
}
