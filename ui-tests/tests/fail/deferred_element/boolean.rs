//! Flags in memory as numbers.
//! Store integers.

use cluster_topk::prelude::*;

fn main() {
    let numbers = [true, false];
    let _sizes = DeferredSequence::new(&numbers);
}
