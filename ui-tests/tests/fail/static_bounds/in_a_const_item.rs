//! The same assertion in an item of its own: `cargo check` reports it too.
//! Write a maximum of 0 or more.

use cluster_topk::args::StaticBounds;

const ROW: StaticBounds<0, -1> = StaticBounds::new();

fn main() {
    let _row = ROW;
}
