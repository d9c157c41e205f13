//! Fractions in memory as numbers.
//! Store integers.

use cluster_topk::prelude::*;

fn main() {
    let numbers = [2.0, 3.0];
    let _sizes = DeferredSequence::new(&numbers);
}
