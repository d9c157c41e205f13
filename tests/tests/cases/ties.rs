//! TD: ties and determinism. OV: narrow, clustered and tie-heavy keys.

use super::*;
use half::bf16;

#[test]
fn td1_which_of_the_equal_keys() {
    macro_rules! of {
        ($($t:ty)*) => {$(
            let keys: [$t; 5] = [1, 2, 5, 4, 5].map(|x: i8| x as $t);
            for k in 1..=5 {
                assert_eq!(winners(&keys, k, LARGEST, SMALLER), [2, 4, 3, 1, 0][..k]);
            }
            assert_eq!(winners(&keys, 1, LARGEST, LARGER), [4]);
            everywhere(&keys, &[1, 2, 3, 4, 5]);
            let same = [-1 as $t; 4];
            for k in 1..=4 {
                assert_eq!(winners(&same, k, LARGEST, SMALLER), (0..k).collect::<Vec<_>>());
                assert_eq!(winners(&same, k, LARGEST, LARGER), (4 - k..4).collect::<Vec<_>>());
            }
            let six: [$t; 6] = [3, 2, 3, 2, 1, 1].map(|x: i8| x as $t);
            assert_eq!(winners(&six, 2, LARGEST, SMALLER), [0, 2]);
            assert_eq!(winners(&six, 3, LARGEST, LARGER), [0, 2, 3]);
            everywhere(&six, &[2, 3]);
        )*};
    }
    of!(i32 f32);
}

#[test]
fn td2_the_same_set_every_time() {
    let repeated: Vec<f32> = (0..8208).map(|i| ((i * 2053 % 8208) / 4) as f32).collect();
    let noise: Vec<bf16> = normal(2, 131_072).into_iter().map(bf16::from_f32).collect();
    fn repeat<K: TestKey>(keys: &[K], k: usize) {
        for pair in [Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger] {
            let request =
                Request { requirement: Requirement::of(pair, Order::StableSorted), ..Request::single(k) };
            let first = run(&CpuRunner::default(), &request, keys).out;
            for _ in 0..20 {
                assert!(shapes::unchecked(&request, keys).same_bits(&first), "{pair:?}");
            }
        }
    }
    repeat(&repeated, 2051);
    repeat(&noise, 2048);
    // 512 whole groups of four, and three of the next: its lowest or its highest indices.
    for (requirement, skipped) in [(SMALLER, 3), (LARGER, 0)] {
        let mut set = winners(&repeated, 2051, LARGEST, requirement);
        set.sort_unstable();
        let next = (2052 - 512 - 1) as f32;
        let group: Vec<usize> = (0..8208).filter(|&i| repeated[i] == next).collect();
        let left_out: Vec<usize> = group.iter().copied().filter(|i| !set.contains(i)).collect();
        assert_eq!(left_out, [group[skipped]], "group {next}: {group:?}");
    }
}

#[test]
fn td4_alone_or_in_a_batch() {
    let len = 5000;
    let row: Vec<bf16> = normal(4, len).into_iter().map(|x| bf16::from_f32((x * 4.0).round())).collect();
    for k in [8, 50] {
        for (pair, order) in [
            (Pair::Smaller, Order::StableSorted),
            (Pair::Larger, Order::StableSorted),
            (Pair::RunToRun, Order::StableSorted),
        ] {
            let requirement = Requirement::of(pair, order);
            let alone = winners(&row, k, LARGEST, requirement);
            for rows in [1, 7, 8, 9, 33, 149] {
                let mut batch: Vec<bf16> =
                    normal(rows as u64, rows * len).into_iter().map(bf16::from_f32).collect();
                let place = rows / 3;
                batch[place * len..][..len].copy_from_slice(&row);
                let offsets = (0..=rows).map(|i| (i * len) as i128).collect();
                let form = Form::Ragged { offsets, int: Int::U64, max_length: None };
                let request = Request { form, requirement, ..Request::single(k) };
                assert_eq!(
                    run(&CpuRunner::default(), &request, &batch).winners[place],
                    alone,
                    "{rows} rows, k = {k}"
                );
            }
        }
    }
}

#[test]
fn td5_keys_values_and_indices_stay_together() {
    let keys = normal(5, 1000);
    for k in [10, 999, 1000] {
        for written in [Written::Pairs(8), Written::KeysAndIndices(IndexType::U32)] {
            let requirement = Requirement::of(Pair::NotGuaranteed, Order::Unsorted);
            let request = Request { requirement, written, ..Request::single(k) };
            assert_eq!(run(&CpuRunner::default(), &request, &keys).winners[0].len(), k);
        }
    }
    everywhere(&keys[..200], &[10, 199, 200]);
}

#[test]
fn ov1_more_candidates_than_a_buffer_holds() {
    for (rows, len) in [(64, 65_536), (16, 262_144), (4, 1_048_576)] {
        let keys = normal(1, rows * len);
        let form = shapes::rows(rows, len);
        for requirement in [SMALLER, Requirement::of(Pair::NotGuaranteed, Order::Unsorted)] {
            let request = Request { form: form.clone(), requirement, ..Request::single(2048) };
            run(&CpuRunner::default(), &request, &keys);
        }
    }
}

#[test]
fn ov3_only_the_last_bits_differ() {
    use rand::RngExt;
    fn of<K: TestKey>(keys: Vec<K>) {
        both_ways(&keys, &[512, 2048]);
    }
    for n in [4096, 65_536, 1_000_000] {
        let rng = &mut rng(3);
        let mut bits =
            |base: u64, low: u64| -> Vec<u64> { (0..n).map(|_| base | rng.random::<u64>() & low).collect() };
        of::<f32>(bits(0x3F90_0000, 0x3FF).into_iter().map(f32::from_bits64).collect());
        of::<f32>(bits(0x3F80_0000, 0xFF).into_iter().map(f32::from_bits64).collect());
        if n < 1_000_000 {
            of::<f64>(bits(0x3FF0_0000_0000_0000, 0xFF).into_iter().map(f64::from_bits).collect());
            of::<i64>(bits(0x8000_0000_0000_0000, 0xFF).into_iter().map(u64::cast_signed).collect());
            of::<u64>(bits(0x1234_5678_9ABC_DE00, 0xFF));
        }
    }
}

#[test]
fn ov5_mostly_zeros() {
    use rand::RngExt;
    let n = 630_840;
    let rng = &mut rng(5);
    let some = normal(5, n);
    let zeros: Vec<f32> = some.into_iter().map(|x| if rng.random_bool(0.99) { 0.0 } else { x }).collect();
    let sevens = vec![7.0f32; n];
    for k in [1, 1000, 600_000] {
        for direction in DIRECTIONS {
            winners(&zeros, k, direction, SMALLER);
            assert_eq!(winners(&sevens, k, direction, SMALLER), (0..k).collect::<Vec<_>>());
            assert_eq!(winners(&sevens, k, direction, LARGER), (n - k..n).collect::<Vec<_>>());
        }
    }
}

#[test]
fn pf2_leading_bytes_equal() {
    use rand::RngExt;
    let rng = &mut rng(2);
    let narrow: Vec<f32> = (0..200_000).map(|_| rng.random_range(1.0..1.00003)).collect();
    both_ways(&narrow, &[100, 2048]);
    let low: Vec<u64> =
        (0..200_000).map(|_| 0xABCD_EF01_2300_0000 | rng.random::<u64>() & 0xFF_FFFF).collect();
    both_ways(&low, &[100, 2048]);
    for distribution in
        [Distribution::AllEqual, Distribution::Sorted, Distribution::Reversed, Distribution::Clustered]
    {
        both_ways(&keys::<f32>(rng, distribution, 100_000), &[100, 2048]);
    }
}
