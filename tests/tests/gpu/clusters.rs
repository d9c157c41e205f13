//! The cluster backend at every width: which kernel runs how wide, what a plan says, short segments at every start, long ones
//! in few slots. That sets are the same every time is in `sets`.

use super::device::Device;
use super::harness::{Outcome, Tests};
use super::ties::normal;
use cluster_topk::cudarc::driver::sys::CUdevice_attribute;
use cluster_topk::env::BackendOverride;
use cluster_topk::gpu::ClusterCaps;
use cluster_topk::plan::{Backend, GpuPlan, Plan, WidthReason};
use cluster_topk::prelude::*;
use cluster_topk_tests::cover::{MAX_LENGTH, PAIRS, SLOT_CAPS, WIDTH_CAPS};
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{
    Direction, Form, IndexType, Int, Number, Order, Request, Requirement, Written,
};
use cluster_topk_tests::runner::gpu::of_gpu;
use half::f16;
use rand::RngExt;
use std::collections::BTreeSet;

/// Bytes of a chunk, which is what a block takes at a time.
pub(crate) const CHUNK: usize = 16 << 10;

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("clusters::every_width_of_every_kernel", |device| every_width(device, 17));
    tests.add_skippable("quick::every_width_of_every_kernel", |device| every_width(device, 9));
    tests.add_skippable("clusters::short_segments_at_every_start", short_segments);
    tests.add_skippable("clusters::trivial_segments_beside_long_ones", mixed_lengths);
    tests.add_skippable("clusters::many_segments", many_segments);
    tests.add_skippable("clusters::ties_across_blocks", |device| {
        device.has_clusters()?;
        macro_rules! ties {
            ($name:ident, $t:ty) => {
                ties_across_blocks::<$t>(device)
            };
        }
        each_key_type!(ties);
        Ok(())
    });
    tests.add_skippable("clusters::what_a_plan_says", plans);
}

/// Segments of `chunks` chunks and a little at every cap, under every pair.
fn every_width(device: &'static Device, chunks: usize) -> Outcome {
    device.has_clusters()?;
    fn of<K: TestKey>(device: &Device, chunks: usize) {
        let len = chunks * CHUNK / size_of::<K>() + 5;
        for (seed, max_cluster_width) in (0..).zip(WIDTH_CAPS) {
            for max_slots in SLOT_CAPS {
                let caps = ClusterCaps { max_cluster_width, max_slots, ..ClusterCaps::NONE };
                let runner = device.runner.on_clusters(caps);
                for (pair, k) in PAIRS.into_iter().zip([1, 100, len / 3, len - 1, len]) {
                    let requirement = Requirement::of(pair, Order::Unsorted);
                    let written = Written::KeysAndIndices(IndexType::U32);
                    let request = Request { seed, requirement, written, ..Request::single(k) };
                    run(&runner, &request, &keys::<K>(&mut rng(seed), Distribution::FewDistinct, len));
                }
            }
        }
    }
    of::<u8>(device, chunks);
    of::<f16>(device, chunks);
    of::<f32>(device, chunks);
    of::<u64>(device, chunks);
    let kernels = ["cluster_8", "cluster_16", "cluster_32", "cluster_64"];
    // Wider than the portable width is a matter of the product.
    let wanted: BTreeSet<_> =
        kernels.iter().flat_map(|kernel| [1, 2, 4, 8].map(|width| (*kernel, width))).collect();
    let launched = device.runner.launched();
    let missing: Vec<_> = wanted.difference(&launched).collect();
    assert!(missing.is_empty(), "{missing:?} were not launched");
    let widest = launched.iter().map(|&(_, width)| width).max();
    println!("# widths up to {} launched", widest.unwrap_or(0));
    // A slice of a GPU may have no room for the widest.
    let context = device.stream().context();
    let sms = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    if device.runner.gpu().compute_capability().major == 9 && sms.is_ok_and(|sms| sms > 100) {
        assert_eq!(widest, Some(16));
    }
    Ok(())
}

/// Segments shorter than two lines, at every distance from a line: with and without chunks, edges and tails alone.
fn short_segments(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    fn of<K: TestKey>(device: &Device) {
        let rng = &mut rng(size_of::<K>() as u64);
        for alone in [0, ClusterCaps::NONE.single_block_max_seg_size] {
            let caps = ClusterCaps { single_block_max_seg_size: alone, ..ClusterCaps::NONE };
            let runner = device.runner.on_clusters(caps);
            for (seed, pair) in (0..).zip(PAIRS) {
                let mut offsets = vec![rng.random_range(0..9) as i128];
                let longest = 2 * 128 / size_of::<K>() + 3;
                for i in 0..700 {
                    offsets.push(offsets[i] + rng.random_range(0..=longest) as i128);
                }
                let total = offsets[700] as usize;
                // Bounds that plan one block, and many of which one works.
                for max_length in [Some(longest as i64), None] {
                    let form = Form::Ragged { offsets: offsets.clone(), int: Int::I32, max_length };
                    let requirement = Requirement::of(pair, Order::Unsorted);
                    let written = Written::Pairs([1, 3, 8, 12, 16][seed as usize % 5]);
                    let k = longest / 2;
                    let request = Request { seed, requirement, form, written, ..Request::single(k) };
                    run(&runner, &request, &keys::<K>(rng, Distribution::FewDistinct, total));
                }
            }
        }
    }
    of::<i8>(device);
    of::<f16>(device);
    of::<f32>(device);
    of::<i64>(device);
    Ok(())
}

/// One launch over segments of every kind: a width that is planned for the longest meets none, few and many chunks.
fn mixed_lengths(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let chunk = CHUNK / size_of::<f32>();
    let lengths =
        [0, 20 * chunk, 1, chunk - 1, chunk, chunk + 1, 0, 3 * chunk + 7, 8192, 8193, 16 * chunk, 31, 50_000];
    for (seed, max_slots) in (0..).zip(SLOT_CAPS) {
        for min_chunks_per_block in [1, 4] {
            let runner = device.runner.on_clusters(ClusterCaps {
                max_slots,
                min_chunks_per_block,
                ..ClusterCaps::NONE
            });
            let mut offsets = vec![3i128];
            for len in lengths {
                offsets.push(offsets[offsets.len() - 1] + len as i128);
            }
            let total = offsets[offsets.len() - 1] as usize;
            for pair in PAIRS {
                for direction in [Direction::Largest, Direction::Smallest] {
                    let form = Form::Ragged { offsets: offsets.clone(), int: Int::U64, max_length: None };
                    let requirement = Requirement::of(pair, Order::Unsorted);
                    let request = Request { seed, requirement, direction, form, ..Request::single(5000) };
                    let some = keys::<f32>(&mut rng(seed), Distribution::FewDistinct, total);
                    run(&runner, &request, &some);
                    run(&runner, &request, &normal(seed, total));
                }
            }
        }
    }
    Ok(())
}

/// More segments than waves are likely to be few for, each on more than one block.
fn many_segments(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let (count, len) = (3000, 2 * CHUNK / size_of::<u64>());
    let runner = device.runner.on_clusters(ClusterCaps { single_block_max_seg_size: 0, ..ClusterCaps::NONE });
    let all = keys::<u64>(&mut rng(1), Distribution::Bits, count * len);
    for pair in PAIRS {
        let size = Number::plain(len);
        let form = Form::Rows { count, size, pitch: None };
        let requirement = Requirement::of(pair, Order::Unsorted);
        let request = Request { form, requirement, ..Request::single(9) };
        run(&runner, &request, &all);
    }
    Ok(())
}

/// `k` cuts through keys that tie, some in each block, so that each block in turn is the one that the cut falls in.
fn ties_across_blocks<K: TestKey>(device: &Device) {
    let len = 16 * CHUNK / size_of::<K>() + 3;
    let rng = &mut rng(size_of::<K>() as u64);
    // All keys tie but a hundred, half of them better.
    let (tied, better, worse) = (K::from_bits64(40), K::from_bits64(90), K::from_bits64(3));
    let mut some = vec![tied; len];
    for i in 0..100 {
        some[rng.random_range(0..len)] = if i < 50 { better } else { worse };
    }
    for (seed, max_cluster_width) in (0..).zip(WIDTH_CAPS) {
        let runner = device.runner.on_clusters(ClusterCaps { max_cluster_width, ..ClusterCaps::NONE });
        for (nth, pair) in PAIRS.into_iter().enumerate() {
            let requirement = Requirement::of(pair, Order::Unsorted);
            for block in (nth % 4..16).step_by(4) {
                let written = Written::Indices(IndexType::U32);
                let k = 50 + block * len / 16 + len / 40;
                let request = Request { seed, requirement, written, ..Request::single(k) };
                run(&runner, &request, &some);
            }
        }
    }
}

fn plans(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let stream = device.stream();
    let keys = stream.alloc_zeros::<f32>(64 * 131_072).expect("the GPU has room");
    let mut out = stream.alloc_zeros::<f32>(64 * 64).expect("the GPU has room");
    let mut plan = |caps: ClusterCaps, count: usize, len: usize| -> (Plan, GpuPlan) {
        let gpu = device.runner.gpu().clone().with_cluster_caps(caps).expect("the caps are usable");
        // The baseline serves what a block holds.
        let choice =
            if len > MAX_LENGTH { BackendOverride::Automatic } else { BackendOverride::ForceCluster };
        let env = Env::gpu(gpu).require((GpuToGpu, PreferLargerIndex, Unsorted)).backend(choice);
        let plan =
            max_keys(Segments::rows(&keys, count, len), 64, &mut out).plan(&env).expect("it is served");
        let gpu = of_gpu(&plan).clone();
        (plan, gpu)
    };
    for max_cluster_width in WIDTH_CAPS {
        for max_slots in SLOT_CAPS {
            for (count, len) in [(1, 100), (64, 8192), (64, 20_000), (5, 131_072), (64, 131_072)] {
                let caps = ClusterCaps { max_cluster_width, max_slots, ..ClusterCaps::NONE };
                let (plan, gpu) = plan(caps, count, len);
                let cluster = gpu.cluster.as_ref().expect("it is forced, or the segments are long");
                println!("{plan}");
                assert_eq!(gpu.backend, Backend::Cluster);
                let long = "longer segments than the baseline covers";
                assert_eq!(cluster.why, if len > MAX_LENGTH { long } else { "forced" });
                let chunks = (len * size_of::<f32>()).div_ceil(CHUNK) as u32;
                assert!(gpu.cluster_width <= chunks.next_power_of_two(), "{plan}");
                assert_eq!(cluster.chunks_per_block, chunks.div_ceil(gpu.cluster_width), "{plan}");
                let waves = cluster.waves.expect("the driver was asked");
                assert_eq!(waves.count, (count as u64).div_ceil(waves.clusters.into()), "{plan}");
                assert!(max_slots.is_none_or(|slots| cluster.resident_chunks <= slots), "{plan}");
                let fits = cluster.reread_chunks == 0;
                assert!(
                    matches!(cluster.width_reason, WidthReason::SingleBlock | WidthReason::LeastTime),
                    "{plan}"
                );
                assert_eq!(fits, plan.to_string().contains("resident: up to"), "{plan}");
            }
        }
    }
    // A forced backend says that it was.
    let env = device.runner.env().clone().backend(BackendOverride::ForceCluster);
    let text = max_keys(&keys, 5, &mut out).plan(&env).expect("it is served").to_string();
    assert!(text.contains("forced"), "{text}");
    Ok(())
}
