//! Text as a key.
//! Select by a number.

use cluster_topk::prelude::*;

fn main() {
    let keys = [String::from("a"), String::from("b")];
    let mut out = [String::new()];
    let _request = max_keys(&keys, 1, &mut out);
}
