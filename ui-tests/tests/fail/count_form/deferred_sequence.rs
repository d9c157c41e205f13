//! A number of segments per segment.
//! Write an integer or `constant::<N>()`.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let numbers = [2u8, 3];
    let _segments = Segments::rows(&keys, DeferredSequence::new(&numbers), 3);
}
