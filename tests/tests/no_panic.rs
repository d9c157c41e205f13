//! Garbage arguments: every safe call ends in a result, and one that is refused has written nothing.

use cluster_topk::prelude::*;
use cluster_topk_tests::generators::{pick, rng};
use proptest::prelude::*;
use rand::RngExt;

/// Numbers that break arithmetic, and small ones that do not.
const NUMBERS: [i64; 24] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    16,
    31,
    64,
    -1,
    -2,
    255,
    65_535,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    1 << 32,
    (1 << 53) + 1,
    1 << 62,
    i64::MAX - 1,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];

#[derive(Clone, Copy, Debug)]
struct Garbage {
    seed: u64,
    keys: usize,
    values: usize,
    out: usize,
}

/// Whether the call went through.
fn call(garbage: Garbage) -> bool {
    let rng = &mut rng(garbage.seed);
    let mut number = |small: f64| {
        if rng.random_bool(small) { rng.random_range(0..6) } else { pick(rng, &NUMBERS) }
    };
    let ints: Vec<i64> = (0..number(0.9).clamp(0, 6)).map(|_| number(0.7)).collect();
    let (count, size, k) = (number(0.7), number(0.7), number(0.7));
    let (pitch, stride, output_pitch) = (number(0.6) as usize, number(0.8) as usize, number(0.6) as usize);
    let (lo, hi, max_length) = (number(0.6), number(0.5), number(0.5));
    let choice: [u64; 6] = core::array::from_fn(|_| number(1.0) as u64);

    let keys: Vec<i16> = (0..garbage.keys as i16).map(|i| i.wrapping_mul(7919) % 5).collect();
    let values = vec![3u32; garbage.values];
    let (mut keys_out, mut payload_out) = (vec![-9i16; garbage.out], vec![9u32; garbage.out]);

    // One call per combination of forms; the closures differ in type, so a macro spells them.
    let env = Env::cpu().require((GpuToGpu, PreferLargerIndex, Unsorted));
    #[rustfmt::skip] // It would move the inner macro further right every time.
    macro_rules! with_k {
        ($segments:expr, $k:expr) => {{
            let segments = $segments.element_stride(stride);
            macro_rules! finish {
                ($request:expr, $fill:tt) => {{
                    let mut request = $request;
                    if choice[0] % 2 == 0 {
                        request = request.output_pitch(output_pitch);
                    }
                    if choice[1] == 0 {
                        request = request.fill_with $fill;
                    }
                    let planned = request.plan(&env).map(|_| ());
                    let ran = request.run(&env);
                    assert_eq!(planned, ran);
                    ran
                }};
            }
            match choice[2] {
                0 => finish!(max_keys(segments, $k, &mut keys_out), (1)),
                1 | 2 => finish!(min_pairs(segments, &values, $k, &mut keys_out, &mut payload_out), (1, 2)),
                3 => finish!(min_indices(segments, $k, &mut payload_out), (5)),
                _ => finish!(max_keys_and_indices(segments, $k, &mut keys_out, &mut payload_out), (1, 2)),
            }
        }};
    }
    macro_rules! with_segments {
        ($segments:expr) => {
            match choice[3] {
                0 | 1 => with_k!($segments, k),
                2 => with_k!($segments, Deferred::new(&ints).bounds(lo..=hi)),
                3 => with_k!($segments, DeferredSequence::new(&ints).bounds(0..=hi)),
                _ => with_k!($segments, DeferredSequence::new(&ints).static_bounds::<-5, 70>()),
            }
        };
    }
    let result = match choice[4] {
        0 => with_segments!(Segments::single(&keys)),
        1 => with_segments!(Segments::rows(&keys, count, size).pitch(pitch)),
        2 => with_segments!(Segments::rows(&keys, count, Deferred::new(&ints).bounds(lo..=hi)).pitch(pitch)),
        3 => with_segments!(
            Segments::rows(&keys, count, DeferredSequence::new(&ints).bounds(0..=hi)).pitch(pitch)
        ),
        4 => with_segments!(Segments::ragged(&keys, &ints)),
        _ => with_segments!(Segments::ragged(&keys, &ints).max_length(max_length)),
    };
    if result.is_err() {
        assert!(keys_out.iter().all(|&key| key == -9), "keys were written");
        assert!(payload_out.iter().all(|&payload| payload == 9), "values or indices were written");
    }
    result.is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300_000, ..ProptestConfig::default() })]
    #[test]
    fn garbage_arguments(seed: u64, keys in 0usize..70, values in 0usize..70, out in 0usize..90) {
        call(Garbage { seed, keys, values, out });
    }
}

/// Garbage that is always refused would test little.
#[test]
fn some_garbage_is_fine() {
    let fine = (0..10_000).filter(|&seed| call(Garbage { seed, keys: 60, values: 60, out: 80 })).count();
    assert!((1000..9000).contains(&fine), "{fine} of 10000 calls went through");
}
