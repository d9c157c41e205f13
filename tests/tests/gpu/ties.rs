//! Ties, clustered keys, sizes and variable lengths: the rows of the list of cases that fit the baseline kernels, on every
//! backend.

use super::device::{Device, SERVED};
use super::harness::Tests;
use super::special::{DIRECTIONS, both_ways, everywhere};
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Bound, Direction, Form, IndexType, Int, Number, Request, Written};
use half::bf16;
use rand::RngExt;

pub(crate) fn add(tests: &mut Tests) {
    tests.add("ties::td1_which_of_the_equal_keys", |device| {
        everywhere(device, &[1, 2, 5, 4, 5], &[1, 2, 3, 4, 5]);
        everywhere(device, &[-1i32; 4], &[1, 2, 3, 4]);
        everywhere(device, &[3f32, 2.0, 3.0, 2.0, 1.0, 1.0], &[2, 3]);
    });
    tests.add("ties::td2_td4_a_valid_answer_every_time", repeated);
    tests.add("ties::td5_keys_values_and_indices_stay_together", together);
    tests.add("ties::dt2_the_sign_bit", |device| {
        macro_rules! signed {
            ($($t:ty)*) => {$( everywhere(device, &[0, 1, -1, <$t>::MIN, <$t>::MAX], &[1, 2, 3, 4, 5]); )*};
        }
        signed!(i8 i16 i32 i64);
        everywhere(device, &[0, (1 << 63) - 1, 1 << 63, u64::MAX], &[1, 2, 3, 4]);
    });
    tests.add("ties::ov1_ov5_pf2_crowded_buckets", crowded);
    tests.add("ties::ov3_only_the_last_bits_differ", last_bits);
    tests.add("sizes::sz1_none_all_and_more_than_all", |device| {
        macro_rules! odd {
            ($name:ident, $t:ty) => {
                odd_ks::<$t>(device)
            };
        }
        each_key_type!(odd);
    });
    tests.add("sizes::sz2_sz4_either_side_of_powers_of_two", |device| {
        around_powers::<f32>(device);
        around_powers::<i64>(device);
        around_powers::<u8>(device);
    });
    tests.add("sizes::many_segments", many_segments);
    tests.add("sizes::al1_al3_strides_and_pitches", strides);
    tests.add("sizes::vl1_trivial_rows_between_real_ones", trivial_rows);
    tests.add("sizes::vl3_negative_sizes", negative_sizes);
}

/// Normally distributed `f32`s (Irwin–Hall of twelve, which is plenty here).
pub(crate) fn normal(seed: u64, n: usize) -> Vec<f32> {
    let rng = &mut rng(seed);
    (0..n).map(|_| (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0).collect()
}

fn repeated(device: &'static Device) {
    let four_times: Vec<f32> = (0..8208).map(|i| ((i * 2053 % 8208) / 4) as f32).collect();
    let noise: Vec<bf16> = normal(2, 16_384).into_iter().map(bf16::from_f32).collect();
    let few: Vec<u8> = keys(&mut rng(3), Distribution::FewDistinct, 1000);
    for seed in 0..200 {
        let request = |k| Request { seed, requirement: SERVED, ..Request::single(k) };
        device.run(&request(2051), &four_times);
        device.run(&request(2048), &noise);
        device.run(&request(500), &few);
    }
}

fn together(device: &'static Device) {
    for n in [1000, 10_000] {
        let keys = normal(5, n);
        for k in [10, n - 1, n] {
            for written in Written::ALL {
                for direction in DIRECTIONS {
                    let request = Request { requirement: SERVED, written, direction, ..Request::single(k) };
                    assert_eq!(device.run(&request, &keys).winners[0].len(), k);
                }
            }
        }
    }
}

fn crowded(device: &'static Device) {
    let n = 16_384;
    let rng = &mut rng(5);
    both_ways(device, &normal(1, n), &[1, 256, 2048, 8000]);
    let zeros: Vec<f32> =
        normal(5, n).into_iter().map(|x| if rng.random_bool(0.99) { 0.0 } else { x }).collect();
    both_ways(device, &zeros, &[1, 100, 1000, 15_000]);
    both_ways(device, &vec![7.0f32; n], &[1, 1000, 15_000]);
    let narrow: Vec<f32> = (0..n).map(|_| rng.random_range(1.0..1.00003)).collect();
    both_ways(device, &narrow, &[100, 2048]);
    let low: Vec<u64> = (0..n).map(|_| 0xABCD_EF01_2300_0000 | rng.random::<u64>() & 0xFF_FFFF).collect();
    both_ways(device, &low, &[100, 2048]);
    // More keys in the threshold's bucket than any buffer of survivors holds, in warps as well.
    for n in [64, 200, 512, 1000, 2000, 9000] {
        for distribution in Distribution::ALL {
            both_ways(device, &keys::<f32>(rng, distribution, n), &[1, 7, n / 3, n / 2, n - 1]);
            both_ways(device, &keys::<i64>(rng, distribution, n), &[7, n / 2]);
            both_ways(device, &keys::<u8>(rng, distribution, n), &[7, n / 2]);
        }
    }
}

fn last_bits(device: &'static Device) {
    for n in [512, 1024, 4096, 16_384] {
        let rng = &mut rng(3);
        let mut bits =
            |base: u64, low: u64| -> Vec<u64> { (0..n).map(|_| base | rng.random::<u64>() & low).collect() };
        fn of<K: TestKey>(device: &Device, bits: Vec<u64>) {
            let keys: Vec<K> = bits.into_iter().map(K::from_bits64).collect();
            both_ways(device, &keys, &[1, 50, keys.len() / 8, keys.len() / 2]);
        }
        of::<f32>(device, bits(0x3F90_0000, 0x3FF));
        of::<f32>(device, bits(0x3F80_0000, 0xFF));
        of::<f64>(device, bits(0x3FF0_0000_0000_0000, 0xFF));
        of::<i64>(device, bits(0x8000_0000_0000_0000, 0xFF));
        of::<u64>(device, bits(0x1234_5678_9ABC_DE00, 0xFF));
    }
}

fn odd_ks<K: TestKey>(device: &Device) {
    for lens in [&[11][..], &[0], &[0, 5, 0], &[], &[0, 0, 0], &[1500, 0, 1, 1500]] {
        let mut offsets = vec![0i128];
        for len in lens {
            offsets.push(offsets[offsets.len() - 1] + len);
        }
        let total = offsets[offsets.len() - 1] as usize;
        let some = keys::<K>(&mut rng(1), Distribution::Boundary, total);
        for written in [Written::Keys, Written::Pairs(4), Written::Indices(IndexType::I32)] {
            for (seed, k) in (0..).zip([0, 1, 11, 12, i32::MAX as usize]) {
                let form = Form::Ragged { offsets: offsets.clone(), int: Int::I32, max_length: None };
                let output_pitch = Some(k.min(total + 1));
                let request =
                    Request { seed, form, requirement: SERVED, written, output_pitch, ..Request::single(k) };
                device.run(&request, &some);
            }
        }
    }
}

fn around_powers<K: TestKey>(device: &Device) {
    for exponent in 5..=14 {
        for n in [(1 << exponent) - 1, 1 << exponent, (1 << exponent) + 1] {
            let n = usize::min(n, 16_384);
            let some = keys::<K>(&mut rng(n as u64), Distribution::Bits, n);
            both_ways(device, &some, &[1, n / 2, n - 1, n]);
        }
    }
}

/// More segments than are resident at once, and more than 65,535, to the end of which every row must be reached.
fn many_segments(device: &'static Device) {
    for (count, len, k) in [(70_000, 3, 2), (66_001, 33, 5), (2000, 300, 40), (1500, 1100, 7)] {
        let some = keys::<u16>(&mut rng(count as u64), Distribution::Bits, count * len);
        let form = Form::Rows { count, size: Number::plain(len), pitch: None };
        let written = Written::Indices(IndexType::U32);
        device.run(&Request { form, requirement: SERVED, written, ..Request::single(k) }, &some);
    }
}

fn strides(device: &'static Device) {
    // The allocation ends at the last key (seed 0 has no guard), rows of outputs stand apart.
    let keys = normal(1, 512 + 257);
    for k in [1, 3, 5, 7] {
        for written in Written::ALL {
            let form = Form::Rows { count: 2, size: Number::plain(257), pitch: Some(512) };
            let request =
                Request { form, written, requirement: SERVED, output_pitch: Some(8), ..Request::single(k) };
            device.run(&request, &keys);
        }
    }
    let every_other = Request { stride: 2, requirement: SERVED, ..Request::single(2) };
    let mut winners = device.run(&every_other, &[0i64, -1, 1, -2, 2]).winners.remove(0);
    winners.sort_unstable();
    assert_eq!(winners, [1, 2]);
    // Columns of a matrix, every start and alignment.
    let matrix = normal(3, 7 * 1000);
    for column in 0..7 {
        for direction in DIRECTIONS {
            let request =
                Request { seed: column, stride: 7, direction, requirement: SERVED, ..Request::single(20) };
            device.run(&request, &matrix[column as usize..]);
        }
    }
}

fn trivial_rows(device: &'static Device) {
    for cycle in [[16_000, 3, 0, 16_000, 2048, 2049, 9000], [1000, 3, 0, 1000, 128, 129, 700]] {
        let mut lens: Vec<usize> = cycle.repeat(20);
        for _ in 0..2 {
            lens.reverse();
            let mut offsets = vec![0i128];
            for &len in &lens {
                offsets.push(offsets[offsets.len() - 1] + len as i128);
            }
            let total = offsets[offsets.len() - 1] as usize;
            let form = Form::Ragged { offsets, int: Int::U64, max_length: Some(cycle[0] as i64) };
            let request = Request { form, requirement: SERVED, ..Request::single(cycle[0] / 8) };
            device.run(&request, &normal(1, total));
        }
    }
}

fn negative_sizes(device: &'static Device) {
    let keys = normal(3, 7 * 50);
    let sizes: Vec<i128> = vec![-4, -3, -2, -1, 0, 1, 50];
    for lo in [-9, 0] {
        let bound = Bound::Runtime(lo, 50);
        let form =
            Form::Rows { count: 7, size: Number::Sequence(sizes.clone(), Int::I32, bound), pitch: None };
        let request =
            Request { form, requirement: SERVED, direction: Direction::Largest, ..Request::single(3) };
        let answer = device.run(&request, &keys);
        assert_eq!(answer.winners.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 3]);
    }
}
