//! Sorted output of segments that only clusters serve: the selection into a workspace, and the kernel that sorts it.

use super::contracts::{all, rows};
use super::device::Device;
use super::harness::{Outcome, Tests};
use super::limits::STREAMED;
use super::ties::normal;
use cluster_topk::gpu::ClusterCaps;
use cluster_topk::plan::EnginePlan;
use cluster_topk::prelude::*;
use cluster_topk_abi::policy::{OrderPolicy, SortedBy};
use cluster_topk_tests::cover::PAIRS;
use cluster_topk_tests::each_key_type;
use cluster_topk_tests::generators::{Distribution, keys, pick, rng};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Form, Number, Order, Request, Requirement, Written};
use cluster_topk_tests::runner::gpu::of_gpu;

/// Items that shared memory holds.
const CAPACITY: usize = OrderPolicy::DEFAULT.capacity() as usize;

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("order::few_items_of_long_segments", |device| {
        device.has_clusters()?;
        for (seed, k) in (0..).zip([1, 2, 64, 1000, 2048]) {
            rows::<f32>(device, seed, 16_385, k, 5, Distribution::Bits, all());
            rows::<u64>(device, seed, 40_000, k, 2, Distribution::Boundary, all());
            rows::<half::bf16>(device, seed + 1, 131_072, k, 2, Distribution::Clustered, all());
        }
        Ok(())
    });
    tests.add_skippable("order::around_what_shared_memory_holds", |device| {
        device.has_clusters()?;
        for (seed, k) in (0..).zip([CAPACITY / 2, CAPACITY - 1, CAPACITY, CAPACITY + 1]) {
            rows::<f32>(device, seed, 20_000, k, 3, Distribution::Bits, all());
            rows::<f64>(device, seed, 20_000, k, 3, Distribution::LastBits, all());
            rows::<u8>(device, seed, 20_000, k, 3, Distribution::Bits, all());
        }
        Ok(())
    });
    tests.add_skippable("order::many_items_of_long_segments", |device| {
        device.has_clusters()?;
        for (seed, k) in (0..).zip([10_000, 100_000, 131_071, 131_072]) {
            rows::<f32>(device, seed, 131_072, k, 2, Distribution::Bits, all());
            rows::<i64>(device, seed, 131_072, k, 2, Distribution::Outliers, all());
            rows::<u16>(device, seed, 131_072, k, 2, Distribution::Bits, all());
        }
        rows::<u32>(device, 9, 3_000_000, 1_000_000, 1, Distribution::Bits, all());
        Ok(())
    });
    tests.add_skippable("order::ties_of_every_type", |device| {
        device.has_clusters()?;
        macro_rules! tied {
            ($name:ident, $t:ty) => {
                for (seed, distribution) in (0..).zip(Distribution::TIES) {
                    let k = [64, 2048, 5000, 20_000][seed as usize % 4];
                    rows::<$t>(device, seed, 30_000, k, 2, distribution, all());
                }
            };
        }
        each_key_type!(tied);
        Ok(())
    });
    tests.add_skippable("order::a_k_of_each_segment", ks_of_segments);
    tests.add_skippable("order::normal_keys_of_many_segments", many_segments);
    tests.add_skippable("quick::sorted_on_clusters", |device| {
        device.has_clusters()?;
        rows::<f32>(device, 3, 20_000, 64, 2, Distribution::Boundary, all());
        rows::<f32>(device, 4, 20_000, 6000, 2, Distribution::Bits, all());
        Ok(())
    });
    tests.add_skippable("quick::sorted_through_slots", |device| through_slots::<f32>(device, 20_000));
    tests.add_skippable("order::through_slots", |device| {
        through_slots::<f32>(device, 300_000)?;
        through_slots::<u64>(device, 100_001)?;
        through_slots::<half::bf16>(device, 500_007)?;
        through_slots::<i8>(device, 1_000_000)
    });
    tests.add_skippable("order::what_a_plan_says", plans);
    tests.add_skippable("order::host_buffers", host_buffers);
}

/// Rows of more chunks than slots, which all pass through these, of few and many items, sorted by the cluster and by the order kernel.
fn through_slots<K: TestKey>(device: &'static Device, length: usize) -> Outcome {
    device.has_clusters()?;
    let narrow = ClusterCaps { max_cluster_width: Some(2), max_slots: Some(1), ..STREAMED };
    let runner = device.runner.on_clusters(narrow);
    for (seed, k) in (0..).zip([2, 100, 2048, length / 4]) {
        let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
        let keys: Vec<K> = keys(&mut rng(seed), distribution, 2 * length);
        for order in [Order::Sorted, Order::StableSorted] {
            let request = Request {
                seed,
                requirement: Requirement::of(PAIRS[seed as usize % 5], order),
                form: Form::Rows { count: 2, size: Number::plain(length), pitch: None },
                ..Request::single(k)
            };
            run(&runner, &request, &keys);
        }
    }
    Ok(())
}

/// Rows that give few and many items in one call, filled or not, by wide clusters and by narrow ones.
fn ks_of_segments(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    fn of<K: TestKey>(device: &Device) {
        let narrow = ClusterCaps { max_cluster_width: Some(2), max_slots: Some(1), ..ClusterCaps::NONE };
        let runners = [device.runner.on_clusters(ClusterCaps::NONE), device.runner.on_clusters(narrow)];
        for seed in 0..10 {
            let rng = &mut rng(seed);
            let (count, length) = (12, 17_000);
            let choices =
                [0, 1, 31, 64, 2048, CAPACITY as i128, CAPACITY as i128 + 1, 16_999, 17_000, 17_005];
            let ks = (0..count).map(|_| pick(rng, &choices)).collect();
            let distribution = Distribution::random(rng);
            let keys: Vec<K> = keys(rng, distribution, count * length);
            let order = if seed % 2 == 0 { Order::StableSorted } else { Order::Sorted };
            let request = Request {
                seed,
                requirement: Requirement::of(PAIRS[seed as usize % 5], order),
                form: Form::Rows { count, size: Number::plain(length), pitch: None },
                k: Number::each(ks, 17_010),
                written: pick(rng, &[Written::Keys, Written::Pairs(12), Written::Pairs(3)]),
                fill: seed % 3 == 0,
                ..Request::single(0)
            };
            run(&runners[seed as usize / 2 % 2], &request, &keys);
        }
    }
    of::<f32>(device);
    of::<u64>(device);
    of::<half::f16>(device);
    of::<i8>(device);
    Ok(())
}

/// More segments than the device has room for at once, of the distribution that calls have.
fn many_segments(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let (count, length) = (700, 17_000);
    let keys = normal(5, count * length);
    for (seed, k) in (0..).zip([10, 300, 2048]) {
        let request = Request {
            seed,
            requirement: Requirement::DEFAULT,
            form: Form::Rows { count, size: Number::plain(length), pitch: None },
            ..Request::single(k)
        };
        run(&device.runner, &request, &keys);
    }
    Ok(())
}

fn plans(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let env = Env::gpu(device.runner.gpu().clone());
    let stream = device.stream();
    let keys = stream.alloc_zeros::<f32>(3 * 50_000).expect("the GPU has room");
    let mut out = stream.alloc_zeros::<f32>(3 * 50_000).expect("the GPU has room");
    let mut order = |length: usize, k: usize| {
        let request = max_keys(Segments::rows(&keys, 3, length), k, &mut out);
        let plan = request.plan(&env).expect("it is served");
        println!("{plan}");
        let gpu = of_gpu(&plan);
        let bytes = request.workspace_bytes(&env).expect("it is served") as u64;
        assert_eq!(gpu.order.as_ref().map_or(0, |order| order.workspace_bytes), bytes);
        gpu.order.clone()
    };
    let k = SortedBy::WITHOUT_WORKSPACE_UP_TO as usize + 64;
    let few = order(50_000, k).expect("the cluster kernel does not sort so many");
    assert_eq!((few.kernel, few.blocks), ("order_32", 3));
    assert_eq!(few.in_shared_memory, k <= CAPACITY);
    assert!(few.workspace_bytes as usize >= 3 * 4 * k);
    let many = order(50_000, 50_000).expect("more than shared memory holds");
    assert!(!many.in_shared_memory);
    assert_eq!(many.workspace_bytes, 3 * 16 * 50_000);
    // The baseline needs none, and one item is in order by itself.
    assert_eq!(order(16_384, 64), None);
    assert_eq!(order(50_000, 1), None);
    Ok(())
}

/// Buffers in host memory: the library brings the workspace itself.
fn host_buffers(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    let keys = normal(11, 2 * 60_000);
    let env = Env::best_available();
    for k in [50, 9000] {
        let (mut found, mut wanted) = (vec![0u32; 2 * k], vec![0u32; 2 * k]);
        let request = max_indices(Segments::rows(&keys, 2, 60_000), k, &mut found);
        assert_eq!(request.workspace_bytes(&env), Ok(0));
        let plan = request.plan(&env).expect("it is served");
        assert!(matches!(plan.engine, EnginePlan::Gpu(_)), "{plan}");
        request.run(&env).expect("it is served");
        max_indices(Segments::rows(&keys, 2, 60_000), k, &mut wanted).run(&Env::cpu()).expect("it is served");
        assert!(found == wanted, "k = {k}");
    }
    Ok(())
}
