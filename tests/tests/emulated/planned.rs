//! The cluster agent as its kernels are compiled, launched as the library plans it: portably, and under every cap.
//!
//! A block keeps a chunk of 16 KiB in each of its slots, so that segments of a few hundred KiB no longer fit those that a cap
//! or the portable budget leaves.

use crate::params::{Prepared, prepare};
use crate::runner::run_prepared;
use crate::times;
use cluster_topk::Error;
use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::params::KernelParams;
use cluster_topk_abi::plan::{ClusterLimits, ClusterPlan, Demand, Loads, WidthReason, plan_cluster};
use cluster_topk_abi::policy::{ClusterPolicy, ClusterSizing, Streaming};
use cluster_topk_device::agents::cluster::{
    Default as Compiled, LargeK, Streaming as ThroughSlots, Tuning, run,
};
use cluster_topk_emulate::{Launch, Schedule};
use cluster_topk_tests::generators::{Distribution, keys, pick, rng};
use cluster_topk_tests::harness;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Form, Int, Order, Pair, Request, Requirement};
use cluster_topk_tests::runner::{Inputs, Outputs, Runner};
use rand::RngExt;
use std::cell::RefCell;

const PAIRS: [Pair; 5] = [Pair::NotGuaranteed, Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger];

const PORTABLE: ClusterPolicy = ClusterPolicy { sizing: ClusterSizing::Portable, ..ClusterPolicy::DEFAULT };

/// Bytes of a chunk.
const CHUNK: usize = ClusterPolicy::DEFAULT.chunk_bytes as usize;

/// Plans as the library does on a device of compute capability 9.0, and keeps the plans.
struct Planned {
    policy: ClusterPolicy,
    schedule: Schedule,
    plans: RefCell<Vec<ClusterPlan>>,
}

impl Planned {
    fn new(policy: ClusterPolicy, seed: u64) -> Self {
        assert_eq!(policy.validate(), Ok(()));
        Self { policy, schedule: Schedule::nth(seed), plans: RefCell::default() }
    }

    fn plan(&self, prepared: &Prepared, key_width: KeyWidth) -> ClusterPlan {
        let params = &prepared.params;
        let demand = Demand {
            key_width,
            max_segment_size: prepared.max_size,
            num_segments: params.num_segments.into(),
            loads: Loads::of_stride(params.key_element_stride),
            max_k: prepared.max_k,
            sorts: false,
        };
        let device = ComputeCapability::new(9, 0).limits().expect("the table has it");
        let limits = ClusterLimits {
            smem_per_block_optin_bytes: device.smem_per_block_optin_bytes,
            max_cluster_width: device.max_cluster_width,
            multiprocessors: 132,
        };
        plan_cluster(&self.policy, &demand, &limits, |shape| 132 / shape.cluster_width)
            .expect("it is planned")
    }
}

impl Runner for Planned {
    /// # Panics
    ///
    /// When the launch ends in a fault.
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        let at = size_of::<K>().trailing_zeros() as usize;
        let mut prepared = prepare(request, inputs, out);
        let plan = self.plan(&prepared, KeyWidth::ALL[at]);
        let kernel = match (plan.large_k, plan.streams) {
            (true, _) => kernels::<LargeK<Compiled>>(),
            (false, true) => kernels::<ThroughSlots<Compiled>>(),
            (false, false) => kernels::<Compiled>(),
        }[at];
        let params = &mut prepared.params;
        params.slots = plan.slots;
        params.single_block_max_seg_size = self.policy.single_block_max_seg_size;
        params.min_chunks_per_block = self.policy.min_chunks_per_block;
        let shape = Launch {
            blocks: params.num_segments * plan.shape.cluster_width,
            threads: self.policy.threads_per_block,
            cluster_width: plan.shape.cluster_width,
            shared_bytes: plan.shape.dynamic_smem_bytes,
        };
        self.plans.borrow_mut().push(plan);
        match run_prepared(kernel, shape, prepared, self.schedule.into(), request, inputs, out) {
            Ok(_) => Ok(()),
            Err(fault) => panic!("{plan:?}: {fault}\n  {request:?}"),
        }
    }
}

/// One segment of `len` keys, under the `seed`-th distribution, pair and direction.
fn one_segment<K: TestKey>(runner: &Planned, len: usize, seed: u64) {
    let rng = &mut rng(seed);
    let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
    let some: Vec<K> = keys(rng, distribution, len);
    let request = Request {
        requirement: Requirement::of(PAIRS[seed as usize % PAIRS.len()], Order::Unsorted),
        direction: pick(rng, &[Direction::Largest, Direction::Smallest]),
        // Few, many, all but one; the copy of all is a path of its own.
        seed,
        ..Request::single(pick(rng, &[1, 100, len / 10, len / 2, len - 1, len]))
    };
    harness::run(runner, &request, &some);
}

/// Longer segments than 8 blocks hold in 48 KiB each, up to twice as long.
fn portable_and_long<K: TestKey>(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        let runner = Planned::new(PORTABLE, seed);
        let held = 8 * if size_of::<K>() == 1 { 2 } else { 1 } * CHUNK / size_of::<K>();
        let len = rng(seed ^ 0xa5).random_range(held..2 * held) + 128;
        one_segment::<K>(&runner, len, seed);
        let plan = runner.plans.borrow()[0];
        assert_eq!((plan.shape.cluster_width, plan.reason, plan.waves), (8, WidthReason::Portable, None));
        assert!(plan.shape.dynamic_smem_bytes <= 48 << 10 && !plan.is_resident(), "{plan:?}");
    }
}

#[test]
fn portable_long_segments() {
    portable_and_long::<u8>(3..3 + 2 * times());
    portable_and_long::<half::f16>(0..4 * times());
    portable_and_long::<f32>(0..8 * times());
    portable_and_long::<i64>(0..5 * times());
}

/// Segments of every kind in one launch: what one block takes alone, what leaves blocks idle, what does not fit.
#[test]
fn portable_segments_beside_one_another() {
    let chunk = CHUNK / size_of::<f32>();
    let lengths = [0, 9 * chunk + 70, 1, chunk, chunk + 33, 3, 8 * chunk, 31];
    for seed in 0..5 * times() {
        let mut offsets = vec![seed as i128 % 33];
        for len in lengths {
            offsets.push(offsets[offsets.len() - 1] + len as i128);
        }
        let total = offsets[offsets.len() - 1] as usize;
        let request = Request {
            requirement: Requirement::of(PAIRS[seed as usize % PAIRS.len()], Order::Unsorted),
            form: Form::Ragged { offsets, int: Int::U64, max_length: None },
            seed,
            ..Request::single(50)
        };
        let some: Vec<f32> = keys(&mut rng(seed), Distribution::FewDistinct, total);
        harness::run(&Planned::new(PORTABLE, seed), &request, &some);
    }
}

/// The kernels by key width.
fn kernels<T: Tuning>() -> [unsafe fn(&KernelParams); 4] {
    [run::<u8, T>, run::<u16, T>, run::<u32, T>, run::<u64, T>]
}

/// Under every cap on width and slots, alone and together, streaming or not: heeded, and the answer is right.
#[test]
fn caps() {
    let len = 9 * CHUNK / size_of::<u32>() + 17;
    let (mut seed, mut large) = (0, 0);
    for max_cluster_width in [None, Some(3), Some(2), Some(1)] {
        for max_slots in [None, Some(1), Some(3)] {
            for streaming in [Streaming::Always, Streaming::Never, Streaming::Always] {
                let policy =
                    ClusterPolicy { max_cluster_width, max_slots, streaming, ..ClusterPolicy::DEFAULT };
                let runner = Planned::new(policy, seed);
                one_segment::<u32>(&runner, len, seed);
                let plan = runner.plans.borrow()[0];
                assert!(plan.shape.cluster_width <= max_cluster_width.unwrap_or(16), "{plan:?}");
                assert!(plan.slots <= max_slots.unwrap_or(13), "{plan:?}");
                // Nine full chunks, of which every block keeps what the caps let it.
                let kept = plan.shape.cluster_width * max_slots.unwrap_or(13);
                assert_eq!(plan.is_resident(), kept >= 9, "{plan:?}");
                let through = plan.large_k || !plan.is_resident();
                assert_eq!(plan.streams, streaming == Streaming::Always && through, "{plan:?}");
                seed += 1;
                large += u64::from(plan.large_k);
            }
        }
    }
    assert!(0 < large && large < seed, "{large} of {seed} by the search for large k");
}
