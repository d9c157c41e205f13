//! The key type is checked by `Segments` as well.
//! Select by `u8`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [false; 6];
    let _segments = Segments::rows(&keys, 2, 3);
}
