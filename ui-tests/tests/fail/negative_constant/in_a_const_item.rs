//! The same assertion in an item of its own: `cargo check` reports it too.
//! Write 0 or more.

use cluster_topk::args::Constant;

const K: Constant<-1> = Constant::new();

fn main() {
    let _k = K;
}
