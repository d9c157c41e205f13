//! Random requests over random keys: at least ten thousand per key type.

use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::case;
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::runner::cpu::CpuRunner;

const CASES: u64 = 10_000;
/// Every so many cases one has a length log-uniform to 2^20; the others stay short, or the oracle would sort for hours.
const LONG_EVERY: u64 = 20;

fn agree<K: TestKey>() {
    let runner = CpuRunner::default();
    for i in 0..CASES {
        let seed = u64::from(K::BITS) << 40 | u64::from(K::NAME.as_bytes()[0]) << 32 | i;
        let max = if i % LONG_EVERY == 0 { 1 << 20 } else { 1 << 11 };
        let case = case::<K>(seed, max);
        run(&runner, &case.request, &case.keys);
    }
}

macro_rules! agrees {
    ($name:ident, $t:ty) => {
        #[test]
        fn $name() {
            agree::<$t>();
        }
    };
}
each_key_type!(agrees);
