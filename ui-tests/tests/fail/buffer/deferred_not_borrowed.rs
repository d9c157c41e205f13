//! A number in place of a buffer that holds it.
//! Write `Deferred::new(&[number])`, or the plain number where the host knows it.

use cluster_topk::prelude::*;

fn main() {
    let _k = Deferred::new(2u8);
}
