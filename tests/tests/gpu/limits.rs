//! Long segments, up to 2^31 − 1 keys: what does not fit shared memory, in every shape of launch; and how far each number goes.
//!
//! Keys are made on the device, or repeat a pattern of the host's, so that ties lie in every block.

use super::clusters::CHUNK;
use super::device::Device;
use super::harness::{Outcome, Skip, Tests};
use super::long::{Long, LongKey, heeds};
use super::special::DIRECTIONS;
use cluster_topk::cudarc::driver::{CudaSlice, CudaStream};
use cluster_topk::gpu::{ClusterCaps, Streaming};
use cluster_topk::plan::WidthReason;
use cluster_topk_tests::cover::{PAIRS, SLOT_CAPS, WIDTH_CAPS};
use cluster_topk_tests::expected::Expected;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Pair};
use cluster_topk_tests::runner::gpu::of_gpu;
use half::f16;
use std::sync::Arc;

const MI: usize = 1 << 20;

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("limits::millions_of_f32", |device| millions::<f32>(device, &[1, 2, 16]));
    tests.add_skippable("limits::millions_of_u8", |device| millions::<u8>(device, &[1, 16]));
    tests.add_skippable("limits::millions_of_f16", |device| millions::<f16>(device, &[2, 16]));
    tests.add_skippable("limits::millions_of_u64", |device| millions::<u64>(device, &[1, 16]));
    tests.add_skippable("limits::every_width_with_few_slots", every_width);
    tests.add_skippable("limits::every_start", every_start);
    tests.add_skippable("limits::keys_apart", keys_apart);
    tests.add_skippable("limits::portable", |device| portable(device, MI, &PAIRS));
    tests.add_skippable("quick::portable", |device| {
        portable(device, 3 * CHUNK, &[Pair::NotGuaranteed, Pair::Smaller, Pair::Larger])
    });
    tests.add_skippable("quick::more_chunks_than_slots", |device| overflow(device, Streaming::Never));
    tests.add_skippable("quick::chunks_through_slots", |device| overflow(device, Streaming::Always));
    tests.add_skippable("limits::a_billion_f32", a_billion);
}

/// Skips where the device lacks the room for `bytes` and as much again as a test needs besides.
pub(crate) fn has_room(device: &Device, bytes: usize) -> Outcome {
    device.has_clusters()?;
    let (free, _) = device.stream().context().mem_get_info().expect("the GPU failed");
    let wanted = bytes + (1 << 30);
    if free >= wanted { Ok(()) } else { Err(Skip(format!("{wanted} bytes are needed, {free} are free"))) }
}

/// `len` keys that repeat a pattern: of any bits, whose length is prime so that it divides nothing.
fn tiled<K: TestKey>(seed: u64, len: usize) -> Vec<K> {
    let pattern: Vec<K> = keys(&mut rng(seed), Distribution::Bits, len.min(65_521));
    pattern.iter().copied().cycle().take(len).collect()
}

fn on_device<K: LongKey>(stream: &Arc<CudaStream>, keys: &[K]) -> CudaSlice<K> {
    stream.clone_htod(keys).expect("the GPU has room")
}

/// A pattern over and over on the device.
pub(crate) fn filled<K: LongKey>(stream: &Arc<CudaStream>, pattern: &[K], len: usize) -> CudaSlice<K> {
    let tile = on_device(stream, pattern);
    let mut buffer = stream.alloc_zeros::<K>(len).expect("the GPU has room");
    for start in (0..len).step_by(pattern.len()) {
        let taken = pattern.len().min(len - start);
        let mut to = buffer.slice_mut(start..start + taken);
        stream.memcpy_dtod(&tile.slice(..taken), &mut to).expect("the GPU failed");
    }
    buffer
}

/// Every chunk through the slots, where there are more than slots.
pub(crate) const STREAMED: ClusterCaps = ClusterCaps { streaming: Streaming::Always, ..ClusterCaps::NONE };

/// Segments of so many Mi of keys, against the host, under every pair in both directions; loaded as the plan decides, and through
/// the slots.
fn millions<K: LongKey>(device: &'static Device, sizes: &[usize]) -> Outcome {
    device.has_clusters()?;
    for &mi in sizes {
        let keys: Vec<K> = tiled(mi as u64, mi * MI);
        let buffer = on_device(device.stream(), &keys);
        for caps in [ClusterCaps::NONE, STREAMED] {
            let runner = device.runner.on_clusters(caps);
            let segment = Long { gpu: runner.gpu(), keys: &buffer.as_view(), stride: 1 };
            for direction in DIRECTIONS {
                let expected = Expected::of(&keys, 1000, direction);
                let plan = segment.check(&format!("{mi} Mi"), &PAIRS, direction, &expected);
                heeds(&plan, caps.streaming);
            }
            if mi == 1 {
                let expected = Expected::of(&keys, MI / 3, Direction::Largest);
                let plan = segment.check("1 Mi", &PAIRS, Direction::Largest, &expected);
                heeds(&plan, caps.streaming);
            }
        }
    }
    Ok(())
}

/// Two Mi of keys and a few, from an odd start, at every cap: from all resident to one slot in one block.
fn every_width(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let keys: Vec<f32> = tiled(1, 2 * MI + 6);
    let buffer = on_device(device.stream(), &keys);
    for direction in DIRECTIONS {
        // Thirty-two copies of every key: the cut through the last of them lies anywhere.
        let expected = Expected::of(&keys[1..], 32 * 40 + 17, direction);
        for max_cluster_width in WIDTH_CAPS {
            for max_slots in SLOT_CAPS {
                let streaming = Streaming::Always;
                let caps = ClusterCaps { max_cluster_width, max_slots, streaming, ..ClusterCaps::NONE };
                let runner = device.runner.on_clusters(caps);
                let segment = Long { gpu: runner.gpu(), keys: &buffer.slice(1..), stride: 1 };
                let pairs = [Pair::NotGuaranteed, Pair::Smaller, Pair::Larger];
                let plan = segment.check("2 Mi", &pairs, direction, &expected);
                heeds(&plan, streaming);
            }
        }
    }
    Ok(())
}

/// Starts within a line and at its ends, with most of the segment passing through the slots: once, where those bound the k-th key,
/// and in every pass where k is too large for that.
fn every_start(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    fn of<K: LongKey>(device: &Device) {
        let line = 128 / size_of::<K>();
        let keys: Vec<K> = tiled(7, MI + 2 * line);
        let buffer = on_device(device.stream(), &keys);
        let runner = device.runner.on_clusters(ClusterCaps { max_slots: Some(2), ..STREAMED });
        for start in [0, 1, 2, line / 2 - 1, line / 2, line - 1, line, line + 1] {
            let end = start + MI - start % 5;
            let segment = Long { gpu: runner.gpu(), keys: &buffer.slice(start..end), stride: 1 };
            for k in [333, 20_000] {
                let expected = Expected::of(&keys[start..end], k, Direction::Largest);
                let pairs = [Pair::Smaller, Pair::Larger];
                let plan = segment.check(&format!("from key {start}"), &pairs, Direction::Largest, &expected);
                heeds(&plan, Streaming::Always);
            }
        }
    }
    of::<u8>(device);
    of::<f16>(device);
    of::<f32>(device);
    of::<u64>(device);
    Ok(())
}

/// Keys that are not adjacent, so that no bulk copy loads them, more of them than fit.
fn keys_apart(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    for stride in [2, 3, 5] {
        let keys: Vec<f32> = tiled(9, stride * MI);
        let buffer = on_device(device.stream(), &keys);
        let every: Vec<f32> = keys.iter().copied().step_by(stride).collect();
        for max_slots in SLOT_CAPS {
            // They are loaded by the threads even so.
            let runner = device.runner.on_clusters(ClusterCaps { max_slots, ..STREAMED });
            let segment = Long { gpu: runner.gpu(), keys: &buffer.as_view(), stride };
            for direction in DIRECTIONS {
                let expected = Expected::of(&every, 500, direction);
                segment.check(&format!("every {stride}th"), &PAIRS, direction, &expected);
            }
        }
    }
    Ok(())
}

/// Eight blocks of 48 KiB, whose width the kernel carries: `len` keys and a few of each width, resident or not.
fn portable(device: &'static Device, len: usize, pairs: &[Pair]) -> Outcome {
    device.has_clusters()?;
    fn of<K: LongKey>(device: &Device, len: usize, pairs: &[Pair], kernel: &str) {
        let keys: Vec<K> = tiled(3, len + 40);
        let buffer = on_device(device.stream(), &keys);
        let runner = device.runner.on_clusters(ClusterCaps::PORTABLE);
        for (start, end) in [(0, 40), (0, len), (1, len + 33)] {
            let segment = Long { gpu: runner.gpu(), keys: &buffer.slice(start..end), stride: 1 };
            let k = 20.max((end - start) / 50);
            for direction in DIRECTIONS {
                let expected = Expected::of(&keys[start..end], k, direction);
                segment.check("portable", pairs, direction, &expected);
            }
            let plan = segment.select(Pair::Smaller, Direction::Largest, k).plan;
            let gpu = of_gpu(&plan);
            assert_eq!((gpu.kernel, gpu.cluster_width), (kernel, 8), "{plan}");
            assert!(gpu.shared_bytes_per_block <= 48 << 10, "{plan}");
            let cluster = gpu.cluster.as_ref().expect("it is a cluster's");
            assert_eq!((cluster.width_reason, cluster.waves), (WidthReason::Portable, None), "{plan}");
        }
    }
    of::<u8>(device, len, pairs, "portable_8");
    of::<f16>(device, len, pairs, "portable_16");
    of::<f32>(device, len, pairs, "portable_32");
    of::<u64>(device, len, pairs, "portable_64");
    Ok(())
}

/// A few chunks too many for the slots, small enough for a sanitizer: they pass through these or are loaded beside them, once or more
/// often.
fn overflow(device: &'static Device, streaming: Streaming) -> Outcome {
    device.has_clusters()?;
    fn of<K: LongKey>(device: &Device, streaming: Streaming) {
        let len = 13 * CHUNK / size_of::<K>() + 9;
        let keys: Vec<K> = tiled(5, len + 1);
        let buffer = on_device(device.stream(), &keys);
        for max_slots in [1, 3] {
            let caps = ClusterCaps {
                max_cluster_width: Some(2),
                max_slots: Some(max_slots),
                streaming,
                ..ClusterCaps::NONE
            };
            let runner = device.runner.on_clusters(caps);
            for (start, direction) in (0..).zip(DIRECTIONS) {
                let segment = Long { gpu: runner.gpu(), keys: &buffer.slice(start..start + len), stride: 1 };
                for k in [len / 20, len - 1, 5] {
                    let expected = Expected::of(&keys[start..start + len], k, direction);
                    let plan = segment.check("13 chunks", &PAIRS, direction, &expected);
                    // A twentieth of wide keys still fits the lists.
                    let is_large = k == len - 1 || k == len / 20 && size_of::<K>() < 8;
                    let family = match (streaming, is_large) {
                        (Streaming::Always, true) => "large",
                        (Streaming::Always, false) => "stream",
                        _ => "cluster",
                    };
                    assert_eq!(of_gpu(&plan).kernel, format!("{family}_{}", 8 * size_of::<K>()), "{plan}");
                }
            }
        }
    }
    of::<u8>(device, streaming);
    of::<f16>(device, streaming);
    of::<f32>(device, streaming);
    of::<u64>(device, streaming);
    Ok(())
}

/// Keys that stand out of a long segment: some better than all, some tied behind them, both in every part of it.
pub(crate) struct Planted<K> {
    pub(crate) better: K,
    pub(crate) tied: K,
}

impl<K: LongKey> Planted<K> {
    const BETTER: usize = 18;
    const TIED: usize = 64;

    /// Plants the keys, the places moved by `shift`, and answers what a selection finds whose k cuts through the ties.
    pub(crate) fn plant(
        &self,
        stream: &Arc<CudaStream>,
        buffer: &mut CudaSlice<K>,
        start: usize,
        len: usize,
        shift: usize,
    ) -> Expected<K> {
        let spread = |count: usize, by: usize| -> Vec<usize> {
            (0..count).map(|i| i * (len / count) + by + shift + i * 997 % 4093).collect()
        };
        let mut better = spread(Self::BETTER - 2, 20_000);
        better.extend([shift, len - 1 - shift]);
        better.sort_unstable();
        let tied = spread(Self::TIED, 10_000);
        let mut put = |places: &[usize], key: K| -> Vec<(u32, K)> {
            for &place in places {
                let mut to = buffer.slice_mut(start + place..=start + place);
                stream.memcpy_htod(&[key], &mut to).expect("the GPU failed");
            }
            places.iter().map(|&place| (place as u32, key)).collect()
        };
        let (better, tied) = (put(&better, self.better), put(&tied, self.tied));
        Expected { k: Self::BETTER + 25, better, tied }
    }
}

/// 2^30 keys, the answers planted.
fn a_billion(device: &'static Device) -> Outcome {
    let len = 1 << 30;
    has_room(device, len * size_of::<f32>())?;
    let stream = device.stream();
    // Between −1 and 1, so that what is planted stands out either way.
    let pattern: Vec<f32> = keys::<u32>(&mut rng(2), Distribution::Bits, MI)
        .into_iter()
        .map(|bits| bits as f32 / u32::MAX as f32 * 2.0 - 1.0)
        .collect();
    let mut buffer = filled(stream, &pattern, len);
    let largest = Planted { better: 9.0, tied: 5.0 }.plant(stream, &mut buffer, 0, len, 0);
    let smallest = Planted { better: -9.0, tied: -5.0 }.plant(stream, &mut buffer, 0, len, 1);
    let [portable, streamed] = [ClusterCaps::PORTABLE, STREAMED].map(|caps| device.runner.on_clusters(caps));
    for (nth, gpu) in [device.runner.gpu(), portable.gpu(), streamed.gpu()].into_iter().enumerate() {
        let segment = Long { gpu, keys: &buffer.as_view(), stride: 1 };
        let plan = segment.check("1 Gi", &PAIRS, Direction::Largest, &largest);
        heeds(&plan, if nth == 2 { Streaming::Always } else { Streaming::Estimated });
        segment.check("1 Gi", &PAIRS, Direction::Smallest, &smallest);
    }
    Ok(())
}
