//! The largest numbers: segments of 2^31 − 1 keys, more than 2^32 keys in all, and what is refused beyond.

use super::clusters::CHUNK;
use super::device::Device;
use super::harness::{Outcome, Tests};
use super::limits::{Planted, STREAMED, filled, has_room};
use super::long::{Long, LongKey, heeds};
use cluster_topk::cudarc::driver::CudaSlice;
use cluster_topk::env::ForceCluster;
use cluster_topk::gpu::ClusterCaps;
use cluster_topk::prelude::*;
use cluster_topk::{ArgumentName, Error};
use cluster_topk_tests::cover::PAIRS;
use cluster_topk_tests::request::{Direction, Order, Requirement, Tie};

/// The most keys of a segment.
const LIMIT: usize = i32::MAX as usize;

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("limits::sz5_two_to_the_31_minus_one_keys", longest);
    tests.add_skippable("limits::sz6_more_than_two_to_the_32_keys", |device| {
        // 4,587,520,000 keys, and 4,400,000,000 bytes.
        many::<u8>(device, 70_000, 65_536, [0, 1])?;
        many::<f32>(device, 2200, 500_000, [0.0, 1.0])
    });
    tests.add_skippable("limits::sizes_beyond", sizes);
    tests.add_skippable("limits::numbers_beyond", numbers);
}

/// As many keys as a segment may have: what stands out, and then all tied.
fn longest(device: &'static Device) -> Outcome {
    has_room(device, LIMIT)?;
    let stream = device.stream();
    for start in [0, 1] {
        let mut buffer = stream.alloc_zeros::<u8>(LIMIT + start).expect("the GPU has room");
        let expected = Planted { better: 200, tied: 100 }.plant(stream, &mut buffer, start, LIMIT, 0);
        // From the first key as the plan decides, from the second through the slots.
        let caps = if start == 0 { ClusterCaps::NONE } else { STREAMED };
        let runner = device.runner.on_clusters(caps);
        let segment = Long { gpu: runner.gpu(), keys: &buffer.slice(start..), stride: 1 };
        let plan = segment.check("2^31 - 1", &PAIRS, Direction::Largest, &expected);
        heeds(&plan, caps.streaming);

        // Smallest first, two thousand million zeros tie.
        let mut planted: Vec<u32> = expected.better.iter().chain(&expected.tied).map(|item| item.0).collect();
        planted.sort_unstable();
        let zero = |index: &u32| planted.binary_search(index).is_err();
        for pair in PAIRS {
            let selected = segment.select(pair, Direction::Smallest, 3000);
            let mut indices = selected.indices;
            indices.sort_unstable();
            assert!(selected.keys.iter().all(|&key| key == 0), "{pair:?}");
            match Requirement::of(pair, Order::Unsorted).tie() {
                Some(Tie::Smaller) => assert!(indices.iter().copied().eq((0..).filter(zero).take(3000))),
                Some(Tie::Larger) => {
                    let last = (0..LIMIT as u32).rev().filter(zero).take(3000);
                    assert!(indices.iter().rev().copied().eq(last));
                }
                None => {
                    assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "{pair:?}");
                    assert!(indices.iter().all(|index| zero(index) && (*index as usize) < LIMIT), "{pair:?}");
                }
            }
        }
    }
    Ok(())
}

/// Rows of which one key each stands out, at a place that differs from that of the row 2^32 elements or bytes before it.
fn many<K: LongKey>(device: &'static Device, rows: usize, len: usize, [usual, planted]: [K; 2]) -> Outcome {
    has_room(device, rows * len * size_of::<K>())?;
    // A pattern of a prime number of rows: 2^32 elements or bytes are never a multiple of it.
    let tile = (64 << 20) / (len * size_of::<K>());
    let tile = (1..=tile).rev().find(|&n| (2..n).all(|d| n % d != 0)).expect("2 is one");
    let place = |row: usize| (row % tile) * 7919 % len;
    let mut pattern = vec![usual; tile * len];
    (0..tile).for_each(|row| pattern[row * len + place(row)] = planted);
    let stream = device.stream();
    let keys: CudaSlice<K> = filled(stream, &pattern, rows * len);
    let mut out = stream.alloc_zeros::<u32>(rows).expect("the GPU has room");
    let env = Env::gpu(device.runner.gpu().clone()).require((GpuToGpu, PreferLargerIndex, Unsorted));
    let check = |out: &mut CudaSlice<u32>, first: usize, name: &str| {
        let indices = stream.clone_dtoh(out).expect("the GPU failed");
        stream.memset_zeros(out).expect("the GPU failed");
        let wrong =
            indices.iter().enumerate().skip(first).find(|&(row, &given)| given as usize != place(row));
        assert!(wrong.is_none(), "{name} of {} keys: row {wrong:?}", rows * len);
    };
    max_indices(Segments::rows(&keys, rows, len), 1, &mut out).run(&env).expect("it is served");
    check(&mut out, 0, "rows");
    let mut offsets: Vec<u64> = (0..=rows).map(|row| (row * len) as u64).collect();
    // The first segment is empty, so nothing is written for it.
    offsets[0] = offsets[1];
    let offsets = stream.clone_htod(&offsets).expect("the GPU has room");
    let ragged = Segments::ragged(&keys, &offsets).max_length(len as i64);
    max_indices(ragged, 1, &mut out).output_pitch(1).run(&env).expect("it is served");
    check(&mut out, 1, "ragged segments");
    Ok(())
}

/// Sizes above 2^31 − 1, wherever the host knows them.
fn sizes(device: &'static Device) -> Outcome {
    has_room(device, LIMIT + 1)?;
    let stream = device.stream();
    let keys = stream.alloc_zeros::<u8>(LIMIT + 1).expect("the GPU has room");
    let mut out = stream.alloc_zeros::<u8>(4).expect("the GPU has room");
    let env = Env::gpu(device.runner.gpu().clone()).require((NotGuaranteed, Unspecified, Unsorted));
    let (argument, hi) = (ArgumentName::SegmentSize, LIMIT as i128);
    let too_long = |value| Err(Error::OutOfBounds { argument, segment: None, lo: 0, hi, value });
    let bad = |hi| Err(Error::BadBounds { argument, lo: 0, hi });
    assert_eq!(max_keys(&keys, 1, &mut out).run(&env), too_long(1 << 31));
    assert_eq!(max_keys(Segments::rows(&keys, 1, 1u64 << 31), 1, &mut out).run(&env), too_long(1 << 31));
    assert_eq!(
        max_keys(Segments::rows(&keys, 1, u64::MAX), 1, &mut out).run(&env),
        too_long(u64::MAX.into())
    );
    let size = stream.clone_htod(&[5u64]).expect("the GPU has room");
    let deferred = Deferred::new(&size).bounds(0..=1 << 31);
    assert_eq!(max_keys(Segments::rows(&keys, 1, deferred), 1, &mut out).run(&env), bad(1 << 31));
    let offsets = stream.clone_htod(&[0u32, 9]).expect("the GPU has room");
    let ragged = Segments::ragged(&keys, &offsets).max_length(1u64 << 31);
    assert_eq!(max_keys(ragged, 1, &mut out).run(&env), bad(1 << 31));
    // Every other key is within the limit.
    let every_other = Segments::single(&keys).element_stride(2);
    assert_eq!(max_keys(every_other, 1, &mut out).run(&env), Ok(()));
    Ok(())
}

/// Numbers of segments that the grid has no room for, and `k` beyond 2^31 − 1.
fn numbers(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let stream = device.stream();
    let keys = stream.alloc_zeros::<u8>(2 * CHUNK).expect("the GPU has room");
    let mut out = stream.alloc_zeros::<u8>(4).expect("the GPU has room");
    let env = |caps| {
        let gpu = device.runner.gpu().clone().with_cluster_caps(caps).expect("the caps are usable");
        Env::gpu(gpu).require((NotGuaranteed, Unspecified, Unsorted)).backend(ForceCluster)
    };
    let mut planned = |caps, count: u32| {
        // Segments without keys, so that no output is large either.
        max_keys(Segments::rows(&keys, count, 0), 1, &mut out).plan(&env(caps)).map(|plan| plan.num_segments)
    };
    let too_many = |given: u64, limit, cluster_width| {
        Err(Error::TooManySegments { given: given.into(), limit, cluster_width })
    };
    assert_eq!(planned(ClusterCaps::PORTABLE, (1 << 28) - 1), Ok((1 << 28) - 1));
    assert_eq!(planned(ClusterCaps::PORTABLE, 1 << 28), too_many(1 << 28, (1 << 28) - 1, 8));
    // Narrower clusters make room for as many segments as a grid has blocks.
    assert_eq!(planned(ClusterCaps::NONE, i32::MAX as u32), Ok(LIMIT as u64));
    assert_eq!(planned(ClusterCaps::NONE, 1 << 31), too_many(1 << 31, LIMIT as u64, 1));
    let k = Error::OutOfBounds {
        argument: ArgumentName::K,
        segment: None,
        lo: 0,
        hi: LIMIT as i128,
        value: 1 << 31,
    };
    assert_eq!(max_keys(&keys, 1u32 << 31, &mut out).run(&env(ClusterCaps::NONE)), Err(k));
    Ok(())
}
