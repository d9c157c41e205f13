//! Each error that the CPU engine can give, its fields, and that nothing was written.
//!
//! `ThreadPool` is not provoked: it takes a system that refuses threads. `Unaligned` and `Overlap` cannot happen to slices.

use cluster_topk::args::Immediate;
use cluster_topk::prelude::*;
use cluster_topk::{ArgumentName, BufferName, Error};

const LIMIT: i128 = i32::MAX as i128;
const KEYS: [i32; 12] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];

/// Asserts that the call is refused with this error and leaves 64 keys and 64 indices alone. A macro, because a closure
/// would have to be good for any lifetime of its buffers, and a `Segments` made outside is not.
macro_rules! refused {
    (|$k:pat_param, $i:pat_param| $call:expr, $error:expr) => {{
        let (mut keys, mut indices) = ([-77; 64], [77; 64]);
        let result: Result<(), Error> = {
            let ($k, $i): (&mut [i32], &mut [u32]) = (&mut keys, &mut indices);
            $call
        };
        assert_eq!(result, Err($error));
        assert_eq!((keys, indices), ([-77; 64], [77; 64]), "something was written");
    }};
}

fn short(buffer: BufferName, required: u128, given: u128) -> Error {
    Error::BufferTooShort { buffer, required, given }
}

fn bounds(argument: ArgumentName, segment: Option<usize>, hi: i128, value: i128) -> Error {
    Error::OutOfBounds { argument, segment, lo: 0, hi, value }
}

/// Three rows of four keys.
fn rows<'a>() -> Segments<'a, i32, cluster_topk::memory::HostMemory, usize> {
    Segments::rows(&KEYS, 3, 4usize)
}

#[test]
fn short_inputs() {
    let env = &Env::cpu();
    refused!(|k, _| max_keys(Segments::rows(&KEYS, 3, 5), 2, k).run(env), short(BufferName::Keys, 15, 12));
    refused!(
        |k, _| max_keys(Segments::rows(&KEYS, 3, 4).pitch(5), 2, k).run(env),
        short(BufferName::Keys, 14, 12)
    );
    refused!(|k, _| max_keys(rows().element_stride(2), 2, k).run(env), short(BufferName::Keys, 15, 12));
    let sizes = [1i64, 4, 5];
    let padded = Segments::rows(&KEYS, 3, DeferredSequence::new(&sizes).bounds(0..=9)).pitch(4);
    refused!(|k, _| max_keys(padded, 2, k).run(env), short(BufferName::Keys, 13, 12));
    let sizes = [1u8, 4];
    let padded = Segments::rows(&KEYS, 3, DeferredSequence::new(&sizes)).pitch(4);
    refused!(|k, _| max_keys(padded, 2, k).output_pitch(2).run(env), short(BufferName::Sizes, 3, 2));
    refused!(
        |k, _| max_keys(rows(), DeferredSequence::new(&[1u8, 1]), k).run(env),
        short(BufferName::Ks, 3, 2)
    );
    let none: [i64; 0] = [];
    refused!(
        |k, _| max_keys(rows(), Deferred::new(&none).bounds(0..=4), k).run(env),
        short(BufferName::Ks, 1, 0)
    );
    let no_size = Segments::rows(&KEYS, 3, Deferred::new(&none).bounds(0..=4));
    refused!(|k, _| max_keys(no_size, 1, k).run(env), short(BufferName::Sizes, 1, 0));
}

#[test]
fn short_values() {
    let (env, values, mut out) = (&Env::cpu(), [7u16; 11], [7u16; 64]);
    let missing = |required, given| short(BufferName::Values, required, given);
    refused!(|k, _| max_pairs(rows(), &values, 2, k, &mut out).run(env), missing(12, 11));
    refused!(|k, _| max_pairs(&KEYS, &values, 2, k, &mut out).run(env), missing(12, 11));
    let ragged = Segments::ragged(&KEYS, &[2, 12, 12]);
    refused!(|k, _| max_pairs(ragged, &values, 2, k, &mut out).run(env), missing(12, 11));
    let strided = Segments::ragged(&KEYS, &[0, 6]).element_stride(2);
    refused!(|k, _| min_pairs(strided, &values[..10], 2, k, &mut out).run(env), missing(11, 10));
    assert_eq!(out, [7; 64]);
    // Values that no segment reaches need not be there.
    let (mut keys, mut theirs) = ([0; 2], [0; 2]);
    max_pairs(Segments::ragged(&KEYS, &[0, 11]), &values, 2, &mut keys, &mut theirs).run(env).unwrap();
    assert_eq!((keys, theirs), ([9, 6], [7, 7]));
}

#[test]
fn short_outputs() {
    let env = &Env::cpu();
    refused!(|k, _| max_keys(rows(), 3, &mut k[..8]).run(env), short(BufferName::KeysOut, 9, 8));
    refused!(|_, i| max_indices(rows(), 3, &mut i[..8]).run(env), short(BufferName::IndicesOut, 9, 8));
    refused!(
        |k, i| max_keys_and_indices(rows(), 3, k, &mut i[..8]).run(env),
        short(BufferName::IndicesOut, 9, 8)
    );
    refused!(
        |k, i| max_keys_and_indices(rows(), 3, &mut k[..8], i).run(env),
        short(BufferName::KeysOut, 9, 8)
    );
    refused!(|k, _| max_keys(rows(), 3, k).output_pitch(31).run(env), short(BufferName::KeysOut, 65, 64));
    // The last row needs what can be selected, or all of k where it is filled.
    refused!(|k, _| max_keys(rows(), 9, &mut k[..21]).run(env), short(BufferName::KeysOut, 22, 21));
    refused!(
        |k, _| max_keys(rows(), 9, &mut k[..26]).fill_with(0).run(env),
        short(BufferName::KeysOut, 27, 26)
    );
    let (values, mut out) = ([1u64; 12], [7u64; 8]);
    refused!(|k, _| max_pairs(rows(), &values, 3, k, &mut out).run(env), short(BufferName::ValuesOut, 9, 8));
    assert_eq!(out, [7; 8]);
}

#[test]
fn offsets() {
    let env = &Env::cpu();
    let over = |index, offset| Error::OffsetOutOfRange { index, offset, limit: 12 };
    refused!(|k, _| max_keys(Segments::ragged(&KEYS, &[0, 13]), 2, k).run(env), over(1, 13));
    refused!(|k, _| max_keys(Segments::ragged(&KEYS, &[-1, 3]), 2, k).run(env), over(0, -1));
    refused!(
        |k, _| max_keys(Segments::ragged(&KEYS, &[0, u64::MAX]), 2, k).run(env),
        over(1, u64::MAX.into())
    );
    refused!(
        |k, _| max_keys(Segments::ragged(&KEYS, &[0, i64::MIN]), 2, k).run(env),
        over(1, i64::MIN.into())
    );
    let down = Error::OffsetsNotMonotone { segment: 1, start: 5, end: 4 };
    refused!(|k, _| max_keys(Segments::ragged(&KEYS, &[0, 5, 4, 12]), 2, k).run(env), down);
    let strided = Segments::ragged(&KEYS, &[0u8, 5]).element_stride(3);
    refused!(
        |k, _| max_keys(strided, 2, k).run(env),
        Error::OffsetOutOfRange { index: 1, offset: 5, limit: 4 }
    );
    let bounded = Segments::ragged(&KEYS, &[0, 3, 8]).max_length(4);
    refused!(|k, _| max_keys(bounded, 2, k).run(env), bounds(ArgumentName::SegmentSize, Some(1), 4, 5));
    let bounded = Segments::ragged(&KEYS, &[0, 5]).static_max_length::<4>();
    refused!(|k, _| max_keys(bounded, 2, k).run(env), bounds(ArgumentName::SegmentSize, Some(0), 4, 5));
}

#[test]
fn numbers_out_of_bounds() {
    let env = &Env::cpu();
    let k_is = |segment, hi, value| bounds(ArgumentName::K, segment, hi, value);
    refused!(|k, _| max_keys(&KEYS, -1, k).run(env), k_is(None, LIMIT, -1));
    refused!(|k, _| max_keys(&KEYS, i64::MIN, k).run(env), k_is(None, LIMIT, i64::MIN.into()));
    refused!(|k, _| max_keys(&KEYS, 1u32 << 31, k).run(env), k_is(None, LIMIT, 1 << 31));
    refused!(|k, _| max_keys(&KEYS, u64::MAX, k).run(env), k_is(None, LIMIT, u64::MAX.into()));
    let five = Immediate::new(5u8).static_bounds::<0, 4>();
    refused!(|k, _| max_keys(&KEYS, five, k).run(env), k_is(None, 4, 5));
    let below = Error::OutOfBounds { argument: ArgumentName::K, segment: None, lo: 2, hi: 4, value: 1 };
    refused!(|k, _| max_keys(&KEYS, Immediate::new(1).static_bounds::<2, 4>(), k).run(env), below);
    refused!(|k, _| max_keys(&KEYS, Deferred::new(&[-3i8]), k).run(env), k_is(None, 127, -3));
    refused!(|k, _| max_keys(&KEYS, Deferred::new(&[9]).bounds(-5..=8), k).run(env), k_is(None, 8, 9));
    let ks = [1u64, 2, 9];
    let sequence = DeferredSequence::new(&ks).bounds(0..=8);
    refused!(|k, _| max_keys(rows(), sequence, k).run(env), k_is(Some(2), 8, 9));
    let size_is = |segment, hi, value| bounds(ArgumentName::SegmentSize, segment, hi, value);
    refused!(
        |k, _| max_keys(Segments::rows(&KEYS, 1, 1u64 << 31), 1, k).run(env),
        size_is(None, LIMIT, 1 << 31)
    );
    let sizes = [4i16, -4, 5];
    let padded = Segments::rows(&KEYS, 3, DeferredSequence::new(&sizes).bounds(0..=4));
    refused!(|k, _| max_keys(padded, 1, k).run(env), size_is(Some(2), 4, 5));
    let count_is = Error::OutOfBounds {
        argument: ArgumentName::SegmentCount,
        segment: None,
        lo: 0,
        hi: LIMIT,
        value: -1,
    };
    refused!(|k, _| max_keys(Segments::rows(&KEYS, -1, 1), 1, k).run(env), count_is);
}

#[test]
fn bounds_that_make_no_sense() {
    let env = &Env::cpu();
    let bad = |argument, lo, hi| Error::BadBounds { argument, lo, hi };
    macro_rules! k {
        ($range:expr) => {
            Deferred::new(&[1i64]).bounds($range)
        };
    }
    refused!(|out, _| max_keys(&KEYS, k!(0..=1 << 31), out).run(env), bad(ArgumentName::K, 0, 1 << 31));
    refused!(|out, _| max_keys(&KEYS, k!(-5..=-1), out).run(env), bad(ArgumentName::K, -5, -1));
    #[allow(clippy::reversed_empty_ranges, reason = "that is the mistake")]
    let reversed = 5..=2;
    refused!(|out, _| max_keys(&KEYS, k!(reversed), out).run(env), bad(ArgumentName::K, 5, 2));
    let size = Segments::rows(&KEYS, 1, Deferred::new(&[1i64]).bounds(0..=i64::MAX));
    refused!(|out, _| max_keys(size, 1, out).run(env), bad(ArgumentName::SegmentSize, 0, i64::MAX.into()));
    let ragged = Segments::ragged(&KEYS, &[0, 1]).max_length(-1);
    refused!(|out, _| max_keys(ragged, 1, out).run(env), bad(ArgumentName::SegmentSize, 0, -1));
}

#[test]
fn pitches_strides_and_counts() {
    let env = &Env::cpu();
    let pitch = |required, given| Error::PitchTooSmall { required, given };
    refused!(|k, _| max_keys(rows(), 3, k).output_pitch(2).run(env), pitch(3, 2));
    refused!(|k, _| max_keys(rows(), 9, k).output_pitch(3).run(env), pitch(4, 3));
    refused!(|k, _| max_keys(rows(), 9, k).fill_with(0).output_pitch(8).run(env), pitch(9, 8));
    refused!(|k, _| max_keys(rows().element_stride(0), 3, k).run(env), Error::ZeroStride);
    let many = |given| Error::TooManySegments { given, limit: LIMIT as u64, cluster_width: 1 };
    refused!(|k, _| max_keys(Segments::rows(&KEYS, 1u32 << 31, 0), 1, k).run(env), many(1 << 31));
    refused!(|k, _| max_keys(Segments::rows(&KEYS, usize::MAX, 0), 1, k).run(env), many(u64::MAX.into()));
}

#[test]
fn a_plan_is_refused_for_the_same_reasons() {
    let mut out = [0; 1];
    let error = short(BufferName::KeysOut, 9, 1);
    assert_eq!(max_keys(rows(), 3, &mut out).plan(&Env::cpu()).map(|_| ()), Err(error.clone()));
    assert_eq!(max_keys(rows(), 3, &mut out).plan(&Env::best_available()).map(|_| ()), Err(error));
}

#[test]
fn nothing_to_do_is_no_error() {
    let env = &Env::cpu();
    let none: [i32; 0] = [];
    let offsets: [i64; 0] = [];
    let mut out = [-7; 4];
    max_keys(&KEYS, 0, &mut out).run(env).unwrap();
    max_keys(&none, 4, &mut out).run(env).unwrap();
    max_keys(Segments::rows(&KEYS, 0, 4), 4, &mut out).run(env).unwrap();
    max_keys(Segments::rows(&none, i32::MAX, 0), 4, &mut out).output_pitch(0).run(env).unwrap();
    max_keys(Segments::rows(&none, 3, -1).pitch(usize::MAX), 4, &mut out).run(env).unwrap();
    max_keys(Segments::ragged(&KEYS, &offsets), 4, &mut out).run(env).unwrap();
    max_keys(Segments::ragged(&KEYS, &[7]), 4, &mut out).run(env).unwrap();
    max_keys(Segments::ragged(&KEYS, &[7, 7, 7]).element_stride(1), 4, &mut out)
        .output_pitch(0)
        .run(env)
        .unwrap_err();
    max_keys(Segments::rows(&none, 2, 0), DeferredSequence::new(&[0u8, 0]), &mut out).run(env).unwrap();
    assert_eq!(out, [-7; 4]);
}

/// The CPU engine needs no room beside the outputs, and does not look at any that it is given.
#[test]
fn a_workspace_on_the_cpu() {
    let keys: Vec<f32> = (0..20_000u16).map(f32::from).collect();
    let mut out = [0u32; 3];
    assert_eq!(max_indices(&keys, 3, &mut out).workspace_bytes(&Env::cpu()), Ok(0));
    let mut room = [7u8; 5];
    max_indices(&keys, 3, &mut out).workspace(&mut room).run(&Env::cpu()).expect("it is served");
    assert_eq!((out, room), ([19_999, 19_998, 19_997], [7; 5]));
    // What is wrong with the request is said here, too.
    let asked = max_indices(&keys, 4, &mut out).workspace_bytes(&Env::cpu());
    assert!(matches!(asked, Err(Error::BufferTooShort { .. })), "{asked:?}");
}
