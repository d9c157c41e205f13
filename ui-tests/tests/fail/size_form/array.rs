//! An array of integers as a segment size.
//! Say `DeferredSequence::new(&numbers)` for one per segment, `Deferred::new(&number)` for one in memory.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let _segments = Segments::rows(&keys, 2, [2, 3]);
}
