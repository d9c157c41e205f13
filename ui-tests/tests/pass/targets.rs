//! The lists of architectures and the forced backends that a strict environment accepts, and those that it leaves to the call.

use cluster_topk::env::{BackendOverride, ForceBaseline, ForceCluster};
use cluster_topk::env::targets::{Sm80, Sm86, Sm89, Sm90, Sm100, Sm120};
use cluster_topk::prelude::*;

const KEYS: [i32; 6] = [3, 1, 2, 5, 4, 6];

macro_rules! expect {
    ($env:expr, $size:expr) => {{
        let mut best = [0; 4];
        max_keys(Segments::rows(&KEYS, 2, $size), 2, &mut best).run(&$env).unwrap();
        assert_eq!(best, [3, 2, 6, 5], "{} {}", stringify!($env), stringify!($size));
    }};
}

fn main() {
    let fast = || Env::best_available().require((NotGuaranteed, Unspecified, Sorted));

    // Clusters serve segments of any length.
    expect!(Env::best_available(), 3);
    expect!(Env::best_available().targets(Sm90), 3);
    expect!(Env::best_available().targets((Sm90, Sm100, Sm120)), 3);

    // Before sm_90: segments that are statically bounded.
    expect!(Env::best_available().targets((Sm80, Sm90)), constant::<3>());
    expect!(Env::best_available().targets((Sm120, Sm100, Sm89)), constant::<3>());
    expect!(fast().targets(Sm80), constant::<3>());
    expect!(fast().targets(Sm80), Immediate::new(3).static_bounds::<0, 16384>());
    expect!(fast().targets((Sm86, Sm89)), DeferredSequence::new(&[3u32, 3]).static_bounds::<-1, 3>());
    expect!(fast().targets((Sm80, Sm90)), Deferred::new(&[3u32]).static_bounds::<0, 3>());

    // A forced backend: the baseline for segments that it covers, clusters where every target has them.
    expect!(Env::best_available().backend(ForceBaseline), constant::<3>());
    expect!(
        fast().targets((Sm80, Sm90)).backend(ForceBaseline),
        Immediate::new(3).static_bounds::<0, 16384>()
    );
    expect!(Env::best_available().backend(ForceCluster), constant::<3>());
    expect!(Env::best_available().targets((Sm90, Sm100, Sm120)).backend(ForceCluster), 3);

    // What cannot be served everywhere is left to the call, and so is a choice that only the call knows.
    expect!(Env::best_available().lenient().backend(ForceBaseline), 3);
    expect!(fast().targets((Sm90, Sm80)).backend(ForceCluster).lenient(), 3);
    expect!(Env::best_available().backend(BackendOverride::ForceBaseline), 3);
    expect!(fast().targets(Sm80).backend(BackendOverride::ForceCluster), constant::<3>());
    expect!(Env::best_available().targets((Sm80, Sm90)).lenient(), 3);
    expect!(fast().targets(Sm80).lenient(), 3);

    // An engine that uses no GPU serves everything.
    expect!(Env::cpu().targets(Sm80), 3);
    expect!(Env::cpu().targets(Sm80).backend(ForceCluster), 3);
}
