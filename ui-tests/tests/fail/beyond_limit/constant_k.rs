//! 2^31 as a constant `k`: the limit is 2^31 - 1.
//! Write at most 2147483647.

use cluster_topk::prelude::*;

fn main() {
    let keys = [3, 1, 2, 5, 4, 6];
    let mut out = [0; 6];
    let _request = max_keys(&keys, constant::<2147483648>(), &mut out);
}
