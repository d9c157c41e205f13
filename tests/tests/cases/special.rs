//! SF: special float values. DT: types.

use super::*;
use cluster_topk_tests::each_key_type;
use half::{bf16, f16};

fn signed_zeros<K: TestKey>(one: u64) {
    let sign = 1u64 << (K::BITS - 1);
    let from = |bits: &[u64]| -> Vec<K> { bits.iter().map(|&b| K::from_bits64(b)).collect() };
    let alternating = from(&[sign, 0, sign, 0, sign, 0, sign, 0]);
    let five = from(&[one, sign, 0, sign, one | sign]);
    for direction in DIRECTIONS {
        assert_eq!(winners(&alternating, 3, direction, SMALLER), [0, 1, 2]);
        assert_eq!(winners(&alternating, 3, direction, LARGER), [5, 6, 7]);
    }
    assert_eq!(winners(&five, 3, LARGEST, SMALLER), [0, 1, 2]);
    assert_eq!(winners(&five, 3, LARGEST, LARGER), [0, 2, 3]);
    assert_eq!(winners(&five, 3, SMALLEST, SMALLER), [4, 1, 2]);
    everywhere(&alternating, &[3]);
    everywhere(&five, &[3]);
    for n in [20_000, 300_000] {
        use rand::RngExt;
        let rng = &mut rng(n);
        let zeros: Vec<K> = (0..n).map(|_| K::from_bits64(if rng.random() { sign } else { 0 })).collect();
        assert_eq!(winners(&zeros, 3, LARGEST, SMALLER), [0, 1, 2]);
        assert_eq!(winners(&zeros, 2, SMALLEST, LARGER), [n as usize - 2, n as usize - 1]);
        both_ways(&zeros, &[3, n as usize / 2]);
    }
}

#[test]
fn sf1_signed_zeros_tie() {
    signed_zeros::<f32>(1f32.to_bits().into());
    signed_zeros::<f64>(1f64.to_bits());
    signed_zeros::<f16>(f16::ONE.to_bits().into());
    signed_zeros::<bf16>(bf16::ONE.to_bits().into());
}

#[test]
fn sf2_fewer_finite_keys_than_k() {
    let (inf, nan) = (f32::INFINITY, f32::from_bits(0x7FC0_0000));
    let negative_inf = [0.5, -inf, -inf, -inf, -inf];
    assert_eq!(winners(&negative_inf, 3, LARGEST, SMALLER), [0, 1, 2]);
    assert_eq!(winners(&[0.5, nan, nan, nan, nan], 3, LARGEST, SMALLER), [1, 2, 3]);
    assert_eq!(winners(&[0.5, inf, inf, inf, inf], 3, SMALLEST, SMALLER), [0, 1, 2]);
    assert_eq!(winners(&[0.5, -nan, -nan, -nan, -nan], 3, SMALLEST, SMALLER), [1, 2, 3]);
    everywhere(&negative_inf, &[3]);
    everywhere(&[0.5, nan, nan, nan, nan], &[3]);
}

#[test]
fn sf3_nans_of_negative_sign_come_last() {
    for n in [32, 1024, 4096, 100_000] {
        let mut bits = vec![0xFFC0_0000u32; n];
        bits[1] = 0x7F80_0000;
        bits[4] = 0x7FC0_0000;
        bits[5] = 0x7FE0_0001;
        bits[7] = 0xFF80_0000;
        bits[19] = 0x7FE0_0000;
        let keys: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        let expected = [5, 19, 4, 1, 7, 0, 2, 3, 6, 8, 9, 10, 11, 12, 13, 14];
        assert_eq!(winners(&keys, 16, LARGEST, SMALLER), expected, "n = {n}");
        both_ways(&keys, &[16]);
        if n == 1024 {
            everywhere(&keys, &[16]);
        }
    }
}

fn rows_of_nan<K: TestKey>(nan: u64, one: u64, two: u64) {
    let sign = 1u64 << (K::BITS - 1);
    let from = |bits: u64| K::from_bits64(bits);
    let three = [from(one | sign), from(nan), from(two)];
    assert_eq!(winners(&three, 1, LARGEST, SMALLER), [1]);
    assert_eq!(winners(&three, 1, SMALLEST, SMALLER), [0]);
    everywhere(&[from(nan); 5], &[2]);
    assert_eq!(winners(&[from(nan); 5], 2, LARGEST, SMALLER), [0, 1]);
    let long = vec![from(nan); 151_936];
    for direction in DIRECTIONS {
        assert_eq!(winners(&long, 50, direction, SMALLER), (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn sf4_a_row_of_nan() {
    rows_of_nan::<f32>(0x7FC0_0000, 1f32.to_bits().into(), 2f32.to_bits().into());
    rows_of_nan::<f64>(f64::NAN.to_bits() & !(1 << 63), 1f64.to_bits(), 2f64.to_bits());
    rows_of_nan::<f16>(0x7E00, f16::ONE.to_bits().into(), f16::from_f32(2.0).to_bits().into());
    rows_of_nan::<bf16>(0x7FC0, bf16::ONE.to_bits().into(), bf16::from_f32(2.0).to_bits().into());
    // A batch of 32 rows, the first of NaN only.
    let mut keys: Vec<bf16> = normal(4, 32 * 512).into_iter().map(bf16::from_f32).collect();
    keys[..512].fill(bf16::from_bits(0x7FC0));
    let request = Request { form: shapes::rows(32, 512), ..Request::single(4) };
    assert_eq!(run(&CpuRunner::default(), &request, &keys).winners[0], [0, 1, 2, 3]);
}

#[test]
fn sf5_rows_mostly_nan() {
    use rand::RngExt;
    let (rows, len) = (4869, 1243);
    for share in [0.0, 0.5, 0.83, 1.0] {
        let rng = &mut rng(5);
        let mut keys = normal(5, rows * len);
        keys.iter_mut().filter(|_| rng.random_bool(share)).for_each(|key| *key = f32::from_bits(0x7FC0_0000));
        let request = Request { form: shapes::rows(rows, len), ..Request::single(512) };
        let first = run(&CpuRunner::default(), &request, &keys).out;
        for _ in 0..4 {
            assert!(shapes::unchecked(&request, &keys).same_bits(&first), "share {share}");
        }
    }
}

fn every_half<K: TestKey>(narrow: fn(f32) -> K) {
    let five = [-3.5, -1.5, -7.5, 0.5, -2.5].map(narrow);
    assert_eq!(winners(&five, 3, LARGEST, SMALLER), [3, 1, 4]);
    everywhere(&five, &[3]);
    let all: Vec<K> = (0..=u16::MAX).map(|bits| K::from_bits64(bits.into())).collect();
    both_ways(&all, &[1, 100, 65_535]);
    // The reference table: NaNs first, infinity, …, the two zeros side by side.
    let sorted = winners(&all, 65_536, LARGEST, SMALLER);
    assert_eq!(sorted[..2], [0x7FFF, 0x7FFE]);
    assert_eq!(sorted[0x7FFF..0x8002], [0x0000, 0x8000, 0x8001]);
    assert_eq!(sorted[0xFFFF], 0xFFFF);
}

#[test]
fn sf8_halves_keep_their_order() {
    every_half::<f16>(f16::from_f32);
    every_half::<bf16>(bf16::from_f32);
}

#[test]
fn sf10_nans_and_infinities_among_others() {
    use rand::RngExt;
    for n in [64, 20_000] {
        let rng = &mut rng(10);
        let mut keys = normal(10, n);
        for key in &mut keys {
            match rng.random_range(0..100) {
                0..10 => *key = f32::from_bits(0x7FC0_0000 | rng.random::<u32>() & 0x803F_FFFF),
                10..15 => *key = f32::INFINITY,
                _ => {}
            }
        }
        for pair in [Pair::Smaller, Pair::Larger, Pair::RunToRun] {
            for k in [1, 10, n - 1, n] {
                winners(&keys, k, LARGEST, Requirement::of(pair, Order::Sorted));
                winners(&keys, k, SMALLEST, Requirement::of(pair, Order::Sorted));
            }
        }
    }
}

fn extremes<K: TestKey>() {
    let (top, ones) = (1u64 << (K::BITS - 1), u64::MAX);
    // Smallest, −1 (or the largest), 0, 1, largest, twice.
    let row: Vec<K> = [top, ones, 0, 1, top - 1]
        .iter()
        .chain(&[top, ones, 0, 1, top - 1])
        .map(|&b| K::from_bits64(b))
        .collect();
    everywhere(&row, &[5]);
}

macro_rules! dt1 {
    ($name:ident, $t:ty) => {
        #[test]
        fn $name() {
            extremes::<$t>();
        }
    };
}
mod dt1_every_type {
    use super::*;
    each_key_type!(dt1);
}

#[test]
fn dt2_the_sign_bit() {
    macro_rules! signed {
        ($($t:ty)*) => {$(
            let keys = [0, 1, -1, <$t>::MIN, <$t>::MAX];
            for k in 1..=5 {
                assert_eq!(winners(&keys, k, LARGEST, SMALLER), [4, 1, 0, 2, 3][..k]);
                assert_eq!(winners(&keys, k, SMALLEST, SMALLER), [3, 2, 0, 1, 4][..k]);
            }
            everywhere(&keys, &[1, 2, 3, 4, 5]);
        )*};
    }
    signed!(i8 i16 i32 i64);
    let keys = [0, (1 << 63) - 1, 1 << 63, u64::MAX];
    assert_eq!(winners(&keys, 4, LARGEST, SMALLER), [3, 2, 1, 0]);
    everywhere(&keys, &[1, 2, 3, 4]);
}
