//! Special values: zeros of both signs, infinities, NaNs, the extremes of every type, every 16-bit pattern; on
//! every backend.

use super::device::{Device, SERVED};
use super::harness::Tests;
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng, specials};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Form, IndexType, Int, Number, Request, Written};
use half::{bf16, f16};
use rand::RngExt;

pub(crate) const DIRECTIONS: [Direction; 2] = [Direction::Largest, Direction::Smallest];

/// Full and partial tiles of warps and blocks.
const LENGTHS: [usize; 14] = [5, 8, 32, 63, 64, 100, 512, 1000, 1024, 1500, 2048, 4096, 5000, 16_384];

/// Outputs of each kind.
const KINDS: [Written; 4] = [
    Written::Keys,
    Written::Pairs(8),
    Written::Indices(IndexType::U32),
    Written::KeysAndIndices(IndexType::I64),
];

pub(crate) fn add(tests: &mut Tests) {
    tests.add("special::sf1_signed_zeros_tie", |device| {
        signed_zeros::<f32>(device, 1f32.to_bits().into(), f32::INFINITY.to_bits().into());
        signed_zeros::<f64>(device, 1f64.to_bits(), f64::INFINITY.to_bits());
        signed_zeros::<f16>(device, f16::ONE.to_bits().into(), f16::INFINITY.to_bits().into());
        signed_zeros::<bf16>(device, bf16::ONE.to_bits().into(), bf16::INFINITY.to_bits().into());
    });
    tests.add("special::boundary_keys", |device| {
        macro_rules! boundary {
            ($name:ident, $t:ty) => {
                boundaries::<$t>(device)
            };
        }
        each_key_type!(boundary);
    });
    tests.add("special::dt1_special_values_of_every_type", |device| {
        macro_rules! special {
            ($name:ident, $t:ty) => {
                special_values::<$t>(device)
            };
        }
        each_key_type!(special);
    });
    tests.add("special::sf2_fewer_finite_keys_than_k", fewer_finite_keys);
    tests.add("special::fewer_other_keys_than_k_among_the_worst", among_the_worst);
    tests.add("special::sf3_nans_of_negative_sign", negative_nans);
    tests.add("special::sf4_sf5_rows_of_nan", rows_of_nan);
    tests.add("special::sf8_every_16_bit_pattern", |device| {
        every_pattern::<f16>(device);
        every_pattern::<bf16>(device);
        every_pattern::<i16>(device);
        every_pattern::<u16>(device);
    });
    tests.add("special::sf10_nans_and_infinities_among_others", nans_among_others);
}

/// Runs one row in both directions, alone and in the middle of 200 others, every kind of output.
pub(crate) fn everywhere<K: TestKey>(device: &Device, row: &[K], ks: &[usize]) {
    let mut batch = keys::<K>(&mut rng(row.len() as u64), Distribution::Boundary, 100 * 7);
    let others = batch.clone();
    batch.extend(row);
    batch.extend(others);
    let ends = (0..=100).map(|i| 7 * i).chain((0..=100).map(|i| 700 + row.len() + 7 * i));
    let offsets: Vec<i128> = ends.map(|end| end as i128).collect();
    let max_length = Some(row.len().max(7) as i64);
    let ragged = Form::Ragged { offsets, int: Int::I64, max_length };
    for (seed, written) in (0..).zip(KINDS) {
        for direction in DIRECTIONS {
            for &k in ks {
                let alone = Request { seed, requirement: SERVED, direction, written, ..Request::single(k) };
                device.run(&alone, row);
                let among = Request { form: ragged.clone(), output_pitch: Some(k.min(batch.len())), ..alone };
                device.run(&among, &batch);
            }
        }
    }
}

/// Runs one row in both directions for each `k`.
pub(crate) fn both_ways<K: TestKey>(device: &Device, row: &[K], ks: &[usize]) {
    for direction in DIRECTIONS {
        for (seed, &k) in (0..).zip(ks) {
            let request = Request { seed, requirement: SERVED, direction, ..Request::single(k) };
            device.run(&request, row);
        }
    }
}

fn signed_zeros<K: TestKey>(device: &Device, one: u64, infinity: u64) {
    let sign = 1u64 << (K::BITS - 1);
    let from = |bits: &[u64]| -> Vec<K> { bits.iter().map(|&b| K::from_bits64(b)).collect() };
    everywhere(device, &from(&[sign, 0, sign, 0, sign, 0, sign, 0]), &[3]);
    everywhere(device, &from(&[one, sign, 0, sign, one | sign]), &[1, 2, 3, 4]);
    let infinities = [infinity, infinity | sign];
    for n in LENGTHS {
        let rng = &mut rng(n as u64);
        // Zeros alone; zeros with infinities; zeros as the boundary between ones of both signs.
        let mixes: [&[u64]; 3] =
            [&[0, sign], &[0, sign, 0, sign, infinities[0], infinities[1]], &[0, sign, one, one | sign]];
        for mix in mixes {
            let keys: Vec<K> = (0..n).map(|_| K::from_bits64(mix[rng.random_range(0..mix.len())])).collect();
            both_ways(device, &keys, &[1, 3, n / 4 + 1, n / 2, 2 * n / 3, n - 1, n]);
        }
    }
}

/// Keys around a chosen boundary, which is the k-th: zeros, infinities and every other special value of the type.
fn boundaries<K: TestKey>(device: &Device) {
    let specials = specials::<K>();
    for (i, &boundary) in specials.iter().enumerate() {
        let rng = &mut rng(i as u64);
        let n = LENGTHS[i % LENGTHS.len()];
        let sign = 1u64 << (K::BITS - 1);
        let zero = K::FLOAT && boundary.order(K::from_bits64(0)).is_eq();
        let mut keys: Vec<K> = (0..n)
            .map(|_| match rng.random_range(0..4) {
                0 | 1 => K::from_bits64(boundary.bits() ^ if zero && rng.random() { sign } else { 0 }),
                2 => K::from_bits64(boundary.bits().wrapping_add(rng.random_range(0..5)).wrapping_sub(2)),
                _ => K::from_bits64(rng.random()),
            })
            .collect();
        keys[0] = specials[(i + 1) % specials.len()];
        for direction in DIRECTIONS {
            // A `k` that cuts through the ties of the boundary.
            let better = keys.iter().filter(|key| match direction {
                Direction::Largest => key.order(boundary).is_gt(),
                Direction::Smallest => key.order(boundary).is_lt(),
            });
            let better = better.count();
            let ties = keys.iter().filter(|key| key.order(boundary).is_eq()).count();
            for k in [better, better + 1, better + ties / 2, better + ties] {
                let written = KINDS[k % KINDS.len()];
                let request = Request {
                    seed: i as u64,
                    requirement: SERVED,
                    direction,
                    written,
                    ..Request::single(k.min(n))
                };
                device.run(&request, &keys);
            }
        }
    }
}

fn special_values<K: TestKey>(device: &Device) {
    let some = specials::<K>();
    everywhere(device, &some, &[1, some.len() / 2, some.len() - 1, some.len()]);
    let thrice = [&some[..], &some, &some].concat();
    both_ways(device, &thrice, &[1, 5, some.len(), thrice.len() - 1]);
    // One value alone fills a row.
    for &one in &some {
        both_ways(device, &[one; 70], &[1, 33, 70]);
        both_ways(device, &[one; 1100], &[33]);
    }
}

fn fewer_finite_keys(device: &'static Device) {
    let (inf, nan) = (f32::INFINITY, f32::from_bits(0x7FC0_0000));
    for other in [inf, -inf, nan, -nan] {
        everywhere(device, &[0.5, other, other, other, other], &[3]);
        let mut long = vec![other; 1300];
        long[700] = 0.5;
        both_ways(device, &long, &[3, 700, 1299]);
    }
}

/// Keys that no key is worse than take the slots that better ones leave: to the kernels they look like no key at all.
fn among_the_worst(device: &'static Device) {
    for n in [11, 32, 33, 64, 100, 256, 1000, 1500, 5000] {
        for better in [1, 4, 6, 16] {
            for worst in [u32::MIN, u32::MAX] {
                // In groups of equal keys, since those leave the search together.
                let keys: Vec<u32> =
                    (0..n).map(|i| if i < better { 1000 + i as u32 / 2 } else { worst }).rev().collect();
                both_ways(
                    device,
                    &keys,
                    &[better - 1, better, better + 1, better + 3, n - 1].map(|k| k.clamp(1, n)),
                );
            }
        }
    }
}

fn negative_nans(device: &'static Device) {
    for n in [32, 1024, 4096, 16_384] {
        let mut bits = vec![0xFFC0_0000u32; n];
        for (place, special) in
            [(1, 0x7F80_0000), (4, 0x7FC0_0000), (5, 0x7FE0_0001), (7, 0xFF80_0000), (19, 0x7FE0_0000)]
        {
            bits[place] = special;
        }
        let keys: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        let request = Request { requirement: SERVED, ..Request::single(16) };
        let mut given = device.run(&request, &keys).winners.remove(0);
        // The five that differ are always there; the rest tie.
        given.sort_unstable();
        assert!([1, 4, 5, 7, 19].iter().all(|i| given.binary_search(i).is_ok()), "n = {n}: {given:?}");
        both_ways(device, &keys, &[1, 5, 6, 16, n - 1]);
    }
}

fn rows_of_nan(device: &'static Device) {
    let nan = |bits: u32| f32::from_bits(bits);
    everywhere(device, &[nan(0x7FC0_0000); 5], &[2]);
    everywhere(device, &[-1.0, nan(0x7FC0_0000), 2.0], &[1]);
    both_ways(device, &vec![nan(0x7FC0_0000); 16_000], &[50]);
    // Rows with a share of NaNs, five times over.
    let (rows, len) = (400, 1243);
    for share in [0.0, 0.5, 0.83, 1.0] {
        let rng = &mut rng(5);
        let mut keys = super::ties::normal(5, rows * len);
        keys.iter_mut().filter(|_| rng.random_bool(share)).for_each(|key| *key = nan(0x7FC0_0000));
        let form = Form::Rows { count: rows, size: Number::plain(len), pitch: None };
        let request = Request { form, requirement: SERVED, ..Request::single(512) };
        for _ in 0..5 {
            device.run(&request, &keys);
        }
    }
}

fn every_pattern<K: TestKey>(device: &Device) {
    let all: Vec<K> = (0..=u16::MAX).map(|bits| K::from_bits64(bits.into())).collect();
    // Every fourth pattern, so that each of four rows holds all kinds; and neighbours side by side.
    let dealt: Vec<K> = (0..4).flat_map(|first| all.iter().skip(first).step_by(4).copied()).collect();
    for keys in [&all, &dealt] {
        for length in [16_384, 4096, 1024, 256] {
            for direction in DIRECTIONS {
                for k in [1, 100, length / 2, length - 1, length] {
                    let form =
                        Form::Rows { count: 65_536 / length, size: Number::plain(length), pitch: None };
                    let request = Request { form, direction, requirement: SERVED, ..Request::single(k) };
                    device.run(&request, keys);
                }
            }
        }
    }
}

fn nans_among_others(device: &'static Device) {
    for n in [64, 1024, 16_000] {
        let rng = &mut rng(10);
        let mut keys = super::ties::normal(10, n);
        for key in &mut keys {
            match rng.random_range(0..100) {
                0..10 => *key = f32::from_bits(0x7FC0_0000 | rng.random::<u32>() & 0x803F_FFFF),
                10..15 => *key = f32::INFINITY,
                _ => {}
            }
        }
        both_ways(device, &keys, &[1, 10, n - 1, n]);
    }
}
