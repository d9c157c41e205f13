//! SZ: sizes. AL: strides and pitches. VL: variable lengths.

use super::*;
use cluster_topk::prelude::*;
use cluster_topk::{ArgumentName, Error};
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::oracle;
use cluster_topk_tests::request::{Bound, Number, Tie};
use cluster_topk_tests::runner::{Inputs, Outputs, Runner, values_for};

/// Rows side by side.
pub(super) fn rows(count: usize, len: usize) -> Form {
    Form::Rows { count, size: Number::plain(len), pitch: None }
}

/// The outputs of a run that another run of the same request was checked for.
pub(super) fn unchecked<K: TestKey>(request: &Request, keys: &[K]) -> Outputs<K> {
    let elements = Layout::of(request, keys.len()).elements + request.seed as usize % 5;
    let mut out = Outputs::canaries(request, elements);
    let values = values_for(request, keys.len());
    CpuRunner::default().run(request, Inputs { keys, values: &values }, &mut out).expect("it ran before");
    out
}

fn odd_ks<K: TestKey>() {
    for lens in [&[11][..], &[0], &[0, 5, 0], &[]] {
        let mut offsets = vec![0i128];
        for len in lens {
            offsets.push(offsets[offsets.len() - 1] + len);
        }
        let total = offsets[offsets.len() - 1] as usize;
        let some = keys::<K>(&mut rng(1), Distribution::Boundary, total);
        for written in [Written::Keys, Written::Pairs(4), Written::Pairs(1)] {
            for k in [0, 1, 11, 12, i32::MAX as usize] {
                let form = Form::Ragged { offsets: offsets.clone(), int: Int::I32, max_length: None };
                let request = Request { form, written, output_pitch: Some(k.min(13)), ..Request::single(k) };
                run(&CpuRunner::default(), &request, &some);
            }
        }
    }
    let some = [K::default(); 11];
    let mut out = [some[0]; 11];
    for negative in [-1, i64::MIN] {
        let error = max_keys(&some, negative, &mut out).run(&Env::cpu()).unwrap_err();
        let (lo, hi) = (0, i32::MAX.into());
        let expected =
            Error::OutOfBounds { argument: ArgumentName::K, segment: None, lo, hi, value: negative.into() };
        assert_eq!(error, expected);
    }
}

macro_rules! sz1 {
    ($name:ident, $t:ty) => {
        #[test]
        fn $name() {
            odd_ks::<$t>();
        }
    };
}
mod sz1_none_all_more_than_all_negative {
    use super::*;
    each_key_type!(sz1);
}

/// The whole stable order once; every `k` must give a prefix of it.
fn boundaries<K: TestKey>(max_exponent: u32) {
    for exponent in 5..=max_exponent {
        for n in [(1 << exponent) - 1, 1 << exponent, (1 << exponent) + 1] {
            let some = keys::<K>(&mut rng(n as u64), Distribution::Bits, n);
            for direction in DIRECTIONS {
                let all = oracle::winners(&some, n, direction, Tie::Smaller);
                for k in [1, n / 2, n - 1, n] {
                    let mut out = vec![u32::MAX; k];
                    let result = match direction {
                        Direction::Largest => max_indices(&some, k, &mut out).run(&Env::cpu()),
                        Direction::Smallest => min_indices(&some, k, &mut out).run(&Env::cpu()),
                    };
                    result.unwrap();
                    let same = out.iter().zip(&all).all(|(&given, &expected)| given as usize == expected);
                    assert!(same, "n = {n}, k = {k}, {direction:?}");
                }
            }
        }
    }
}

#[test]
fn sz2_either_side_of_powers_of_two() {
    boundaries::<f32>(21);
    boundaries::<i64>(18);
}

#[test]
fn sz4_wide_rows() {
    for n in [1025, 8192, 8193, 32_000, 128_256] {
        both_ways(&vec![0.0f32; n], &[50, n]);
        both_ways(&normal(4, n), &[50, n]);
    }
}

#[test]
fn al1_only_the_requested_slots() {
    let keys = normal(1, 512 + 257);
    for k in [1, 3, 5, 7] {
        let form = Form::Rows { count: 2, size: Number::plain(257), pitch: Some(512) };
        for written in Written::ALL {
            let request =
                Request { form: form.clone(), written, output_pitch: Some(8), ..Request::single(k) };
            run(&CpuRunner::default(), &request, &keys);
        }
        // One key fewer is refused.
        let mut out = [0.0; 64];
        let segments = Segments::rows(&keys[..keys.len() - 1], 2, 257).pitch(512);
        assert!(max_keys(segments, k, &mut out).run(&Env::cpu()).is_err());
        assert_eq!(out, [0.0; 64]);
    }
}

#[test]
fn al3_strides() {
    let every_other = Request { stride: 2, ..Request::single(2) };
    let answer = run(&CpuRunner::default(), &every_other, &[0i64, -1, 1, -2, 2]);
    assert_eq!((answer.winners, answer.out.keys[..2].to_vec()), (vec![vec![2, 1]], vec![2, 1]));
    // Outputs of one item four elements apart: three rows that end in 11, 10 and 9.
    let keys: Vec<i32> = (0..12).collect();
    let mut out = [-7; 12];
    let windows = [12usize, 11, 10];
    for (slot, len) in windows.into_iter().enumerate() {
        max_keys(&keys[..len], 1, &mut out[slot * 4..]).run(&Env::cpu()).unwrap();
    }
    assert_eq!(out, [11, -7, -7, -7, 10, -7, -7, -7, 9, -7, -7, -7]);
    let wide = normal(3, 2 * 100_288 + 100_278);
    let form = Form::Rows { count: 3, size: Number::plain(100_278), pitch: Some(100_288) };
    run(&CpuRunner::default(), &Request { form, ..Request::single(20) }, &wide);
}

#[test]
fn vl1_trivial_rows_between_real_ones() {
    let mut lens: Vec<usize> = [100_000, 3, 0, 100_000, 2048, 2049, 70_000].repeat(10);
    for _ in 0..2 {
        let mut offsets = vec![0i128];
        for len in &lens {
            offsets.push(offsets[offsets.len() - 1] + *len as i128);
        }
        let keys = normal(1, offsets[offsets.len() - 1] as usize);
        let form = Form::Ragged { offsets, int: Int::U64, max_length: None };
        run(
            &CpuRunner::default(),
            &Request { form, output_pitch: Some(2048), ..Request::single(2048) },
            &keys,
        );
        lens.reverse();
    }
}

#[test]
fn vl3_negative_lengths() {
    let keys = normal(3, 7 * 50);
    let sizes = vec![-4, -3, -2, -1, 0, 1, 50];
    for bound in [Bound::Runtime(0, 50), Bound::Runtime(-9, 50)] {
        let form =
            Form::Rows { count: 7, size: Number::Sequence(sizes.clone(), Int::I32, bound), pitch: None };
        let answer = run(&CpuRunner::default(), &Request { form, ..Request::single(3) }, &keys);
        assert_eq!(answer.winners.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 3]);
    }
    let mut out = [-7.0; 9];
    let down = Segments::ragged(&keys, &[0, 50, 20, 70]);
    let error = max_keys(down, 3, &mut out).run(&Env::cpu()).unwrap_err();
    assert_eq!(error, Error::OffsetsNotMonotone { segment: 1, start: 50, end: 20 });
    assert_eq!(out, [-7.0; 9]);
}

#[test]
fn pf4_large_segments() {
    let long = normal(4, 2_000_000);
    winners(&long, 1000, LARGEST, SMALLER);
    let million = 1 << 20;
    for n in [million - 1, million, million + 1] {
        for k in [128, n / 2, n] {
            winners(&long[..n], k, SMALLEST, SMALLER);
        }
    }
}
