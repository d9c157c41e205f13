//! The cluster agent under tiny policies, whose corners come up in segments of a few hundred keys, or a few thousand.

use crate::params::prepare;
use crate::runner::run_prepared;
use crate::times;
use cluster_topk::Error;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::layout::TileGeometry;
use cluster_topk_abi::params::{Flags, KernelParams};
use cluster_topk_abi::policy::{ClusterPolicy, OrderMemory};
use cluster_topk_device::agents::cluster::{LargeK, Streaming, Tuning, run};
use cluster_topk_emulate::{Fault, Launch, Mode, Options, Report, Schedule};
use cluster_topk_tests::check::check;
use cluster_topk_tests::generators::{Distribution, case, keys, pick, rng};
use cluster_topk_tests::harness;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{Direction, Order, Pair, Request, Requirement};
use cluster_topk_tests::runner::{Inputs, Outputs, Runner, values_for};
use rand::RngExt;

macro_rules! tunings {
    ($($name:ident: $threads:literal threads, $chunk:literal bytes a chunk, $line:literal a line, $bits:literal bits, $stages:literal stages, $list:literal listed;)*) => {
        $(
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct $name;
            impl Tuning for $name {
                const POLICY: ClusterPolicy = ClusterPolicy {
                    threads_per_block: $threads,
                    chunk_bytes: $chunk,
                    load_align_bytes: $line,
                    bits_per_pass: $bits,
                    pipeline_stages: $stages,
                    list_capacity: $list,
                    ..ClusterPolicy::DEFAULT
                };
                cluster_topk_device::cluster_sort!($threads);
            }
            const _: () = assert!($name::POLICY.is_valid());
        )*

        /// Every agent: a policy, and its kernels by key width.
        pub(crate) const AGENTS: &[Agent] = &[$(Agent {
            name: stringify!($name),
            policy: $name::POLICY,
            kernels: kernels::<$name>(),
            streaming: kernels::<Streaming<$name>>(),
            large_k: kernels::<LargeK<$name>>(),
        },)*];
    };
}
tunings! {
    OneLine: 32 threads, 16 bytes a chunk, 16 a line, 2 bits, 1 stages, 8 listed;
    TwoLines: 64 threads, 64 bytes a chunk, 32 a line, 4 bits, 3 stages, 100 listed;
    Wide: 128 threads, 192 bytes a chunk, 64 a line, 8 bits, 8 stages, 400 listed;
    // As in the kernels, a vector of every thread is half of a chunk.
    Halves: 64 threads, 2048 bytes a chunk, 16 a line, 4 bits, 3 stages, 40 listed;
    // The same, but a third.
    Thirds: 32 threads, 1536 bytes a chunk, 16 a line, 4 bits, 2 stages, 60 listed;
}

const fn kernels<T: Tuning>() -> [unsafe fn(&KernelParams); 4] {
    [run::<u8, T>, run::<u16, T>, run::<u32, T>, run::<u64, T>]
}

/// The agent as compiled for one policy.
#[derive(Clone, Copy)]
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    pub(crate) policy: ClusterPolicy,
    kernels: [unsafe fn(&KernelParams); 4],
    /// Those whose chunks pass through the slots.
    streaming: [unsafe fn(&KernelParams); 4],
    /// Those that search for large k, for which chunks pass through the slots, too.
    large_k: [unsafe fn(&KernelParams); 4],
}

/// The agent's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Resident,
    /// Chunks pass through the slots, of which there are then no more than stages.
    Streaming,
    /// So they do, and the search is that for large k, whatever k is.
    LargeK,
}

impl Family {
    pub(crate) const ALL: [Self; 3] = [Self::Resident, Self::Streaming, Self::LargeK];
}

/// The agent of a policy's name.
pub(crate) fn agent(name: &str) -> &'static Agent {
    AGENTS.iter().find(|one| one.name == name).expect("an agent of that name")
}

/// An agent at random.
pub(crate) fn any_agent(seed: u64) -> usize {
    rng(seed ^ 0xa9e7).random_range(0..AGENTS.len())
}

/// Agents to which 600 keys of any type are several chunks.
fn small_chunks() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| agent.policy.chunk_bytes <= 300)
}

/// How the agent is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) width: u32,
    pub(crate) slots: u32,
    pub(crate) family: Family,
    pub(crate) single_block_max_seg_size: u32,
    pub(crate) min_chunks_per_block: u32,
}

impl Shape {
    /// One at random: from a single block with one slot to the widest cluster with more than enough.
    pub(crate) fn random(seed: u64) -> Self {
        let rng = &mut rng(seed ^ 0x5eed);
        Self {
            width: pick(rng, &[1, 2, 3, 4, 8, 16]),
            slots: pick(rng, &[1, 2, 3, 5, 20]),
            family: pick(rng, &Family::ALL),
            single_block_max_seg_size: pick(rng, &[0, 0, 30, 1000]),
            min_chunks_per_block: pick(rng, &[1, 1, 2]),
        }
    }
}

/// Runs requests by the agent in an emulated launch.
pub(crate) struct Emulated {
    pub(crate) agent: &'static Agent,
    pub(crate) shape: Shape,
    pub(crate) schedule: Schedule,
}

impl Emulated {
    pub(crate) fn launch<K: TestKey>(
        &self,
        options: Options,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<Report, Box<Fault>> {
        let mut prepared = prepare(request, inputs, out);
        let (kernel, shape) = self.configure::<K>(&mut prepared.params);
        // What the kernel sorts itself.
        let (mut shape, items) = (shape, prepared.max_k.min(prepared.max_size));
        if prepared.params.flags.contains(Flags::SORTED) {
            let (policy, word) = (self.agent.policy.order(), size_of::<K>().max(4) as u32);
            assert!(items <= policy.capacity().into(), "{request:?}");
            prepared.params.order_items = items as u32;
            shape.shared_bytes += OrderMemory::of(policy, word, items as u32).bytes;
        }
        run_prepared(kernel, shape, prepared, options, request, inputs, out)
    }

    /// The kernel for keys of type `K` and its launch, which the parameters are told of.
    pub(crate) fn configure<K>(&self, params: &mut KernelParams) -> (unsafe fn(&KernelParams), Launch) {
        let Shape { width, slots, single_block_max_seg_size, min_chunks_per_block, .. } = self.shape;
        // Other keys than adjacent ones cannot.
        let family = if params.key_element_stride == 1 { self.shape.family } else { Family::Resident };
        let kernels = match family {
            Family::Resident => self.agent.kernels,
            Family::Streaming => self.agent.streaming,
            Family::LargeK => self.agent.large_k,
        };
        let streams = family != Family::Resident;
        let slots = if streams { slots.min(self.agent.policy.pipeline_stages) } else { slots };
        params.slots = slots;
        params.single_block_max_seg_size = single_block_max_seg_size;
        params.min_chunks_per_block = min_chunks_per_block;
        let at = size_of::<K>().trailing_zeros() as usize;
        let geometry = TileGeometry::of(&self.agent.policy, KeyWidth::ALL[at], 0);
        let shape = Launch {
            blocks: params.num_segments * width,
            threads: self.agent.policy.threads_per_block,
            cluster_width: width,
            // What the slots reach up to where memory starts on a line, as it does; a launch has more for where it does not.
            shared_bytes: geometry.slots_base(0) as u32 + slots * self.agent.policy.chunk_bytes,
        };
        (kernels[at], shape)
    }
}

impl Emulated {
    /// What a launch did, whose answer is right.
    ///
    /// # Panics
    ///
    /// When it ends in a fault, or the answer is wrong.
    pub(crate) fn report<K: TestKey>(&self, request: &Request, keys: &[K]) -> Report {
        let mut out = Outputs::canaries(request, Layout::of(request, keys.len()).elements);
        let inputs = Inputs { keys, values: &values_for(request, keys.len()) };
        let context = || format!("{} {:?} {request:?}", self.agent.name, self.shape);
        let report = self.launch(self.schedule.into(), request, inputs, &mut out);
        let report = report.unwrap_or_else(|fault| panic!("{}: {fault}", context()));
        check(request, keys, &out).unwrap_or_else(|wrong| panic!("{}: {wrong}", context()));
        report
    }
}

impl Runner for Emulated {
    /// # Panics
    ///
    /// When the launch ends in a fault.
    fn run<K: TestKey>(
        &self,
        request: &Request,
        inputs: Inputs<'_, K>,
        out: &mut Outputs<K>,
    ) -> Result<(), Error> {
        match self.launch(self.schedule.into(), request, inputs, out) {
            Ok(_) => Ok(()),
            Err(fault) => panic!("{} {:?}: {fault}\n  {request:?}", self.agent.name, self.shape),
        }
    }
}

pub(crate) const PAIRS: [Pair; 5] =
    [Pair::NotGuaranteed, Pair::RunToRun, Pair::GpuToGpu, Pair::Smaller, Pair::Larger];

/// Cases of `seeds`, of up to `max_keys` keys, each by one agent in one shape.
pub(crate) fn cases<K: TestKey>(seeds: core::ops::Range<u64>, max_keys: usize) {
    for seed in seeds {
        let case = case::<K>(seed, max_keys);
        let agent = &AGENTS[any_agent(seed)];
        let sortable = case.request.k.upper() <= agent.policy.order().capacity() as usize;
        let orders: &[Order] = if sortable {
            &[Order::Unsorted, Order::Sorted, Order::StableSorted]
        } else {
            &[Order::Unsorted]
        };
        let requirement =
            Requirement::of(PAIRS[seed as usize % 5], orders[seed as usize / 15 % orders.len()]);
        let request = Request { requirement, ..case.request };
        let runner = Emulated { agent, shape: Shape::random(seed), schedule: Schedule::nth(seed) };
        harness::run(&runner, &request, &case.keys);
    }
}

macro_rules! every_form {
    ($name:ident, $key:ty) => {
        #[test]
        fn $name() {
            cases::<$key>(0..250 * times(), 600);
        }
    };
}
cluster_topk_tests::each_key_type!(every_form);

/// One long segment, with ties across blocks and around the boundary of k.
fn long<K: TestKey>(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        let rng = &mut rng(seed);
        let agent = &AGENTS[any_agent(seed)];
        let len = rng.random_range(300..3000);
        let distribution = Distribution::ALL[seed as usize % Distribution::ALL.len()];
        let keys: Vec<K> = keys(rng, distribution, len);
        let k = pick(rng, &[1, 2, len / 100, len / 10, len / 3, len - 1]);
        let requirement = Requirement::of(PAIRS[seed as usize % 5], Order::Unsorted);
        let direction = pick(rng, &[Direction::Largest, Direction::Smallest]);
        let request = Request { requirement, direction, seed, ..Request::single(k) };
        // More than the keys fill, as far as there is shared memory.
        let slots = pick(rng, &[1, 4, 200]).min(200_000 / agent.policy.chunk_bytes);
        let shape = Shape { slots, ..Shape::random(seed) };
        harness::run(&Emulated { agent, shape, schedule: Schedule::nth(seed) }, &request, &keys);
    }
}

#[test]
fn long_segments() {
    long::<u8>(0..60 * times());
    long::<half::f16>(0..60 * times());
    long::<f32>(0..120 * times());
    long::<i64>(0..60 * times());
}

/// Whatever the width, the slots and the schedule: the set of a deterministic request is that of the tie-break.
#[test]
fn sets_do_not_depend_on_the_launch() {
    for seed in 0..20 * times() {
        let rng = &mut rng(seed);
        let keys: Vec<f32> = keys(rng, Distribution::ALL[seed as usize % Distribution::ALL.len()], 700);
        for pair in [Pair::RunToRun, Pair::GpuToGpu] {
            let k = rng.random_range(1..700);
            let request =
                Request { requirement: Requirement::of(pair, Order::Unsorted), seed, ..Request::single(k) };
            let mut sets = (0..6).map(|launch| {
                let agent = &AGENTS[launch as usize % AGENTS.len()];
                let shape = Shape::random(seed * 6 + launch);
                let schedule = Schedule::nth(seed + launch);
                let mut winners = harness::run(&Emulated { agent, shape, schedule }, &request, &keys).winners;
                winners.iter_mut().for_each(|row| row.sort_unstable());
                winners
            });
            let first = sets.next().unwrap();
            assert!(sets.all(|set| set == first), "seed {seed}, k = {k}, {pair:?}");
        }
    }
}

#[test]
fn one_case_under_many_schedules() {
    for mode in Mode::ALL {
        for seed in 0..40 * times() {
            let rng = &mut rng(3);
            let keys: Vec<f32> = keys(rng, Distribution::ALL[4], 400);
            for (pair, agent) in [(Pair::NotGuaranteed, &AGENTS[2]), (Pair::Larger, &AGENTS[1])] {
                let request =
                    Request { requirement: Requirement::of(pair, Order::Unsorted), ..Request::single(37) };
                let shape = Shape {
                    width: 4,
                    slots: 2,
                    family: Family::ALL[seed as usize % 3],
                    single_block_max_seg_size: 0,
                    min_chunks_per_block: 1,
                };
                harness::run(&Emulated { agent, shape, schedule: Schedule { mode, seed } }, &request, &keys);
            }
        }
    }
}

/// What one launch over one segment did, whose answer is right.
fn report<K: TestKey>(agent: &'static Agent, shape: Shape, keys: &[K], k: usize) -> Report {
    ordered_report(agent, shape, keys, k, Order::Unsorted)
}

/// The same, sorted or not.
fn ordered_report<K: TestKey>(
    agent: &'static Agent,
    shape: Shape,
    keys: &[K],
    k: usize,
    order: Order,
) -> Report {
    let requirement = Requirement::of(Pair::Smaller, order);
    let request = Request { requirement, ..Request::single(k) };
    Emulated { agent, shape, schedule: Schedule::nth(0) }.report(&request, keys)
}

/// Two barriers of the cluster for each pass, one for the start and one for the placement; none where a block is alone.
#[test]
fn barriers_of_the_cluster() {
    let shape = |width| Shape {
        width,
        slots: 50,
        family: Family::Resident,
        single_block_max_seg_size: 0,
        min_chunks_per_block: 1,
    };
    for agent in small_chunks() {
        // Equal keys are told apart by no pass, and too many to be settled: each pass decides its bits, or the last one fewer.
        let passes = |bits: u32| u64::from(bits.div_ceil(agent.policy.bits_per_pass.min(bits)));
        for width in [2, 3, 16] {
            // All but one are wanted, so nothing bounds the k-th before the first pass.
            assert_eq!(report(agent, shape(width), &[7u8; 600], 599).cluster_barriers, 2 * passes(8) + 2);
            assert_eq!(report(agent, shape(width), &[7u16; 600], 599).cluster_barriers, 2 * passes(16) + 2);
            assert_eq!(report(agent, shape(width), &[7u64; 600], 599).cluster_barriers, 2 * passes(64) + 2);
        }
        assert_eq!(report(agent, shape(1), &[7u16; 600], 599).cluster_barriers, 0);
        let collapsed = Shape { single_block_max_seg_size: 700, ..shape(4) };
        assert_eq!(report(agent, collapsed, &[7u8; 600], 599).cluster_barriers, 0);
        // All, none: copied or left, without a barrier.
        assert_eq!(report(agent, shape(4), &[7u16; 600], 600).cluster_barriers, 0);
        assert_eq!(report(agent, shape(4), &[7u16; 600], 0).cluster_barriers, 0);
    }
}

/// A bound counts as a pass; sorted winners that gather take one barrier more; few candidates are settled by the barrier of the
/// counts, or by two more if they turn out to be many. Chunks that pass through the slots take none.
#[test]
fn barriers_of_the_bound_and_of_the_order() {
    let far: Vec<u8> = (0..900).map(|i| if i % 300 == 7 { 200 + (i / 300) as u8 } else { 0 }).collect();
    let (mut gathered, mut settled, mut tried) = (0, 0, 0);
    for agent in small_chunks() {
        for (width, slots, family) in
            [(2, 50, Family::Resident), (4, 2, Family::Resident), (4, 2, Family::Streaming)]
        {
            let shape = Shape { width, slots, family, single_block_max_seg_size: 0, min_chunks_per_block: 1 };
            for (keys, k) in
                [&[7; 900][..], &far].into_iter().flat_map(|keys| [1, 2, 3, 20].map(|k| (keys, k)))
            {
                let [unsorted, sorted] = [Order::Unsorted, Order::StableSorted]
                    .map(|order| ordered_report(agent, shape, keys, k, order).cluster_barriers);
                let context = || format!("{} {shape:?} k = {k}: {unsorted}, {sorted}", agent.name);
                // A pass or a bound at least.
                assert!(unsorted >= 4 && unsorted.is_multiple_of(2), "{}", context());
                if sorted == unsorted + 1 {
                    gathered += 1;
                } else if sorted == unsorted + 3 {
                    tried += 1;
                } else {
                    // The bound, the start and the counts.
                    assert_eq!(sorted, 4, "{}", context());
                    settled += 1;
                }
                if agent.policy.bits_per_pass >= 8 && k == 3 && keys == far && shape.slots == 50 {
                    // The bound and a pass.
                    assert_eq!(unsorted, 2 * 2 + 2, "{}", context());
                }
            }
        }
    }
    assert!(gathered > 0 && settled > 0 && tried > 0, "{gathered} {settled} {tried}");
}
