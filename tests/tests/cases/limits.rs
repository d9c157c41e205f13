//! SZ5, SZ6, SZ8: counts near 2^31 and 2^32. BP3: a machine without CUDA.

use cluster_topk::prelude::*;
use cluster_topk::{ArgumentName, Error};
use cluster_topk_tests::layout::mix;
use std::sync::{Mutex, PoisonError};

/// The tests that hold gigabytes take turns.
static GIGABYTES: Mutex<()> = Mutex::new(());

#[test]
fn sz5_two_to_the_31_minus_one_keys() {
    let _turn = GIGABYTES.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = i32::MAX as usize;
    // Zeroed pages that nothing writes cost no memory.
    let mut keys = vec![0u8; limit + 1];
    for len in [limit, limit - 1, limit - 1023] {
        keys[len - 3..len].fill(1);
        for k in [1, 3, 5] {
            let (mut best, mut place) = ([9; 6], [u32::MAX; 6]);
            max_keys_and_indices(&keys[..len], k, &mut best, &mut place).run(&Env::cpu()).unwrap();
            let last = len as u32;
            let expected = [last - 3, last - 2, last - 1, 0, 1];
            assert_eq!(place[..k], expected[..k], "{len} keys");
            assert_eq!(best[..k], [1, 1, 1, 0, 0][..k], "{len} keys");
            assert!(
                best[k..].iter().all(|&key| key == 9) && place[k..].iter().all(|&index| index == u32::MAX)
            );
        }
        // All the others tie: the larger index is the one before the planted three.
        let env = Env::cpu().require((GpuToGpu, PreferLargerIndex, StableSorted));
        let mut place = [0i64; 2];
        min_indices(&keys[..len], 2, &mut place).run(&env).unwrap();
        assert_eq!(place, [len as i64 - 5, len as i64 - 4]);
        keys[len - 3..len].fill(0);
    }
    let mut out = [9];
    let error = max_keys(&keys, 1, &mut out).run(&Env::cpu()).unwrap_err();
    let (argument, segment) = (ArgumentName::SegmentSize, None);
    let (hi, value) = (limit as i128, limit as i128 + 1);
    assert_eq!((error, out), (Error::OutOfBounds { argument, segment, lo: 0, hi, value }, [9]));
    drop(keys);

    let mut keys = vec![half::f16::ZERO; limit];
    keys[limit - 3..].fill(half::f16::ONE);
    let mut place = [0i32; 5];
    max_indices(&keys, 5, &mut place).run(&Env::cpu()).unwrap();
    assert_eq!(place, [i32::MAX - 3, i32::MAX - 2, i32::MAX - 1, 0, 1]);
}

#[test]
fn sz6_more_than_two_to_the_32_elements() {
    let _turn = GIGABYTES.lock().unwrap_or_else(PoisonError::into_inner);
    let (rows, len) = (70_000, 65_536);
    let planted = |row: usize| mix(row as u64) as usize % len;
    let mut keys = vec![0u8; rows * len];
    for row in 0..rows {
        keys[row * len + planted(row)] = 1;
    }
    let expected: Vec<u32> = (0..rows).map(|row| planted(row) as u32).collect();
    let mut place = vec![u32::MAX; rows];
    max_indices(Segments::rows(&keys, rows, len), 1, &mut place).run(&Env::cpu()).unwrap();
    assert!(place == expected, "fixed rows");
    place.fill(u32::MAX);
    let offsets: Vec<u64> = (0..=rows).map(|row| (row * len) as u64).collect();
    max_indices(Segments::ragged(&keys, &offsets), 1, &mut place).output_pitch(1).run(&Env::cpu()).unwrap();
    assert!(place == expected, "ragged segments");
    drop(keys);

    // Bytes beyond 2^32.
    let (rows, len) = (2200, 500_000);
    let mut keys = vec![0.0f32; rows * len];
    for row in 0..rows {
        for i in 0..20 {
            keys[row * len + i * 25_000 + mix(row as u64) as usize % 25_000] = 1.0;
        }
    }
    let mut place = vec![0u32; rows * 20];
    max_indices(Segments::rows(&keys, rows, len), 20, &mut place).run(&Env::cpu()).unwrap();
    for (slot, &given) in place.iter().enumerate() {
        let (row, i) = (slot / 20, slot % 20);
        assert_eq!(given as usize, i * 25_000 + mix(row as u64) as usize % 25_000, "row {row}");
    }
}

#[test]
fn sz8_indices_beyond_two_to_the_24() {
    let n = (1 << 24) + 9;
    let mut keys = vec![0.0f32; n];
    let odd = [1, 3, 5].map(|i| (1usize << 24) + i);
    for i in odd {
        keys[i] = 1.0;
    }
    let (mut as_u32, mut as_i32, mut as_i64) = ([0u32; 3], [0i32; 3], [0i64; 3]);
    max_indices(&keys, 3, &mut as_u32).run(&Env::cpu()).unwrap();
    max_indices(&keys, 3, &mut as_i32).run(&Env::cpu()).unwrap();
    max_indices(&keys, 3, &mut as_i64).run(&Env::cpu()).unwrap();
    assert_eq!(as_u32.map(|i| i as usize), odd);
    assert_eq!(as_i32.map(|i| i as usize), odd);
    assert_eq!(as_i64.map(|i| i as usize), odd);
}

#[test]
fn bp3_no_cuda_needed() {
    let (keys, mut out) = ([3, 1, 4, 1, 5], [0; 2]);
    max_keys(&keys, 2, &mut out).run(&Env::cpu()).unwrap();
    assert_eq!(out, [5, 4]);
    // Whatever this machine has, asking for the best there is answers; and it says what it chose.
    let best = Env::best_available();
    out = [0; 2];
    max_keys(&keys, 2, &mut out).run(&best).unwrap();
    assert_eq!(out, [5, 4]);
    let plan = max_keys(&keys, 2, &mut out).plan(&best).unwrap();
    assert!(!plan.reason.is_empty(), "{plan}");
}
