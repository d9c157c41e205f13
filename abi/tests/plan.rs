//! The search for a cluster width against a brute force over widths and slots, on models of devices.

use cluster_topk_abi::MAX_GRID_BLOCKS;
use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::layout::TileGeometry;
use cluster_topk_abi::plan::{
    ClusterLimits, ClusterPlan, Demand, Loads, NoPlan, Waves, WidthReason, plan_cluster,
};
use cluster_topk_abi::policy::{ClusterPolicy, LaunchShape, OrderMemory, Streaming};
use proptest::prelude::*;

const LONGEST: u64 = (1 << 31) - 1;

/// A device: the multiprocessors of each group that a cluster must lie within, and what one multiprocessor has.
#[derive(Clone, Copy, Debug)]
struct Device {
    name: &'static str,
    groups: &'static [u64],
    cc: ComputeCapability,
    /// The widest cluster that the occupancy query does not refuse.
    widest: u32,
}

const DEVICES: [Device; 5] = [
    Device {
        name: "H100, H200",
        groups: &[16, 16, 16, 16, 16, 16, 18, 18],
        cc: ComputeCapability::new(9, 0),
        widest: 16,
    },
    Device {
        name: "B200",
        groups: &[18, 18, 18, 18, 18, 18, 20, 20],
        cc: ComputeCapability::new(10, 0),
        widest: 16,
    },
    Device {
        name: "GB202",
        groups: &[16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 10],
        cc: ComputeCapability::new(12, 0),
        widest: 8,
    },
    Device { name: "no width 16", groups: &[14; 8], cc: ComputeCapability::new(9, 0), widest: 8 },
    // What is left of a device to a process that may use a part of it only.
    Device { name: "three SMs", groups: &[3], cc: ComputeCapability::new(9, 0), widest: 2 },
];

impl Device {
    fn limits(&self) -> ClusterLimits {
        let table = self.cc.limits().unwrap();
        ClusterLimits {
            smem_per_block_optin_bytes: table.smem_per_block_optin_bytes,
            max_cluster_width: table.max_cluster_width,
            multiprocessors: self.groups.iter().sum::<u64>() as u32,
        }
    }

    /// How many clusters run at once.
    fn active(&self, threads: u32, width: u32, smem_bytes: u64) -> u32 {
        let table = self.cc.limits().unwrap();
        let by_memory = u64::from(table.smem_per_sm_bytes)
            / (smem_bytes + u64::from(table.smem_reserved_per_block_bytes));
        let blocks =
            by_memory.min((table.max_threads_per_sm / threads).into()).min(table.max_blocks_per_sm.into());
        if width > self.widest {
            return 0;
        }
        self.groups.iter().map(|sms| sms * blocks / u64::from(width)).sum::<u64>() as u32
    }
}

fn plan(device: &Device, policy: &ClusterPolicy, demand: &Demand) -> Result<ClusterPlan, NoPlan> {
    let mut asked = Vec::new();
    let plan = plan_cluster(policy, demand, &device.limits(), |shape| {
        asked.push(shape);
        let LaunchShape { cluster_width, dynamic_smem_bytes } = shape;
        assert!(dynamic_smem_bytes <= device.limits().smem_per_block_optin_bytes);
        assert!(cluster_width <= device.limits().max_cluster_width);
        device.active(policy.threads_per_block, cluster_width, dynamic_smem_bytes.into())
    });
    assert!(asked.len() <= 21, "{asked:?}");
    plan
}

/// The most chunks that a rank owns of any segment of up to `chunks` chunks, looked at one by one; where they are very many,
/// those in the middle, which are neither the most nor few enough to leave ranks without any, are not.
fn worst_share(chunks: u128, width: u128, min_chunks: u128) -> u128 {
    let ends = (0..=chunks.min(1000)).chain(chunks.saturating_sub(1000)..=chunks);
    ends.map(|chunks| chunks.div_ceil((chunks / min_chunks).clamp(1, width))).max().unwrap_or(0)
}

/// What the plan should be: its width, its slots, and the reason.
fn brute_force(
    device: &Device,
    policy: &ClusterPolicy,
    demand: &Demand,
) -> Option<(u32, u64, u128, WidthReason)> {
    let geometry = TileGeometry::of(policy, demand.key_width, 0);
    let bytes = |slots: u64| geometry.bytes_for_slots(slots) + u64::from(order_bytes(policy, demand));
    let limits = device.limits();
    let available = u64::from(limits.smem_per_block_optin_bytes);
    let cap = u64::from(policy.max_slots.unwrap_or(u32::MAX));
    let most = (1..).take_while(|&slots| slots <= cap && bytes(slots) <= available).last()?;
    let key_bytes = u128::from(demand.key_width.bytes());
    let (line, chunk) = (u128::from(policy.load_align_bytes), u128::from(policy.chunk_bytes));
    let of_segment = u128::from(demand.max_segment_size) * key_bytes;
    let in_lines = (of_segment / line * line).div_ceil(chunk);
    let chunks = if demand.loads == Loads::Bulk { in_lines } else { of_segment.div_ceil(chunk) };
    let min_chunks = u128::from(policy.min_chunks_per_block);

    let active = |width, slots| device.active(policy.threads_per_block, width, bytes(slots));
    let short = demand.max_segment_size <= policy.single_block_max_seg_size.into();
    if short && in_lines <= most.into() {
        let slots = (chunks as u64).clamp(1, most);
        if active(1, slots) > 0 {
            return Some((1, slots, chunks, WidthReason::SingleBlock));
        }
    }
    let caps = [limits.max_cluster_width, policy.max_cluster_width.unwrap_or(16)];
    // Two blocks and what each takes besides, on a multiprocessor that has what one block has and takes besides.
    let half =
        (1..=most).take_while(|&slots| 2 * (bytes(slots) + 1024) <= available + 1024).last().unwrap_or(1);
    let mut all = Vec::new();
    for width in [1u32, 2, 4, 8, 16] {
        let grid = u128::from(demand.num_segments) * u128::from(width);
        // A width is too wide if half of it already has a place for every rank that could join.
        let joining = (chunks / min_chunks).max(1);
        if caps.iter().any(|&cap| width > cap)
            || grid > MAX_GRID_BLOCKS.into()
            || (width > 1 && u128::from(width / 2) >= joining)
        {
            continue;
        }
        let share = worst_share(chunks, width.into(), min_chunks);
        let smallest = |most| (1..=most).find(|&slots| share <= slots.into()).unwrap_or(most);
        for slots in [smallest(half), smallest(most)] {
            let through =
                large_k(policy, demand, width, slots) || may_stream(policy, demand, width, slots, share);
            let slots = if through {
                // Chunks pass through them, each by barriers of its own.
                slots.min(policy.pipeline_stages.into())
            } else {
                slots
            };
            let clusters = active(width, slots);
            if clusters > 0 {
                let time = time(device, policy, demand, width, slots, share, clusters);
                all.push((time, width, slots, share));
            }
        }
    }
    // The widest among those that take least, and the largest of its two sizes.
    let least = all.iter().map(|&(time, ..)| time).min()?;
    let best =
        all.iter().filter(|&&(time, ..)| time == least).max_by_key(|&&(_, width, slots, _)| (width, slots));
    best.map(|&(_, width, slots, share)| (width, slots, share, WidthReason::LeastTime))
}

/// The documented estimate, in tenths of a chunk.
fn time(
    device: &Device,
    policy: &ClusterPolicy,
    demand: &Demand,
    width: u32,
    slots: u64,
    share: u128,
    clusters: u32,
) -> u128 {
    let segments = u128::from(demand.num_segments);
    let multiprocessors = device.groups.iter().sum::<u64>();
    let at_once = segments.min(clusters.into());
    if large_k(policy, demand, width, slots) {
        // As many as there are where each block takes all the shared memory that it may have.
        let most = device.limits().smem_per_block_optin_bytes.into();
        let alone = u128::from(device.active(policy.threads_per_block, width, most));
        // The more keys a chunk has, the longer it takes, but for those of eight bytes.
        let (own, shared) = match demand.key_width.bytes() {
            1 => (57, 105),
            2 => (36, 66),
            _ => (20, 35),
        };
        let wave = |clusters| {
            if clusters <= alone { 120 + own * share } else { 142 + shared * share }
        };
        // One wave after another, the last with what is left.
        let (waves, clusters) = (segments / u128::from(clusters), u128::from(clusters));
        let rest = segments % clusters;
        return waves * wave(clusters) + if rest > 0 { wave(rest) } else { 0 };
    }
    let alone = at_once * u128::from(width) <= multiprocessors.into();
    let (wave, kept, read) = if alone { (110, 10, 10) } else { (150, 20, 14) };
    let passes = passes(policy, demand, width, slots);
    let resident = share.min(slots.into());
    let one = if passes >= MANY {
        wave + if alone { 40 } else { 70 } * share
    } else {
        wave + kept * resident + read * passes * (share - resident)
    };
    segments.div_ceil(clusters.into()) * one
}

/// What stands for so many looks at keys that where they lie makes no difference.
const MANY: u128 = 1000;

/// The same, where delegates bound what is wanted badly, too.
const LARGE: u128 = 2000;

/// Whether the search is that for large k: never in a plan of a single block for a short segment.
fn large_k(policy: &ClusterPolicy, demand: &Demand, width: u32, slots: u64) -> bool {
    let bulk = demand.loads == Loads::Bulk && policy.streaming != Streaming::Never;
    bulk && passes(policy, demand, width, slots) == LARGE
}

/// How often keys without a slot are looked at: once if a sample bounds what is wanted, otherwise more often, and [`MANY`] times if
/// what is wanted fits no list.
fn passes(policy: &ClusterPolicy, demand: &Demand, width: u32, slots: u64) -> u128 {
    // Groups of two vectors, or of one of keys that are narrower than four bytes.
    let bytes = u128::from(demand.key_width.bytes());
    let group = if bytes < 4 { 16 / bytes } else { 32 / bytes };
    let keys = u128::from(demand.max_segment_size);
    let chunk = u128::from(policy.chunk_bytes) / bytes;
    let chunks = keys.div_ceil(chunk);
    let ranks = (chunks / u128::from(policy.min_chunks_per_block)).clamp(1, width.into());
    let all = keys / group;
    let sample = if chunks.div_ceil(ranks) <= slots.into() {
        all
    } else {
        (ranks * (chunks / ranks).min(slots.into())).saturating_sub(1) * chunk / group
    };
    let k = u128::from(demand.max_k.min(demand.max_segment_size));
    let listed = ranks * u128::from(policy.list_capacity);
    let fits = k * 3 / 2 <= listed;
    if all / 4 >= k && sample < all && sample / 4 >= k && 10 * k * all <= 3 * listed * sample {
        1
    } else {
        match (fits, all / 4 >= k) {
            (false, false) => LARGE,
            (false, true) => MANY,
            (true, false) => 6,
            (true, true) => 2,
        }
    }
}

/// Whether chunks may pass through the slots.
fn may_stream(policy: &ClusterPolicy, demand: &Demand, width: u32, slots: u64, share: u128) -> bool {
    let wanted = match policy.streaming {
        Streaming::Estimated => passes(policy, demand, width, slots) != 1,
        Streaming::Always => true,
        Streaming::Never => false,
    };
    wanted && demand.loads == Loads::Bulk && share > slots.into()
}

/// What the leader sorts in: eight bytes for each item, twelve where keys have 64 bits, and as many buckets as items or more; for
/// the next power of two of items that it can sort.
fn order_bytes(policy: &ClusterPolicy, demand: &Demand) -> u32 {
    let items = demand.max_k.min(demand.max_segment_size) as u32;
    if !demand.sorts {
        return 0;
    }
    let items = (0..32).map(|bit| 1 << bit).find(|&power| power >= items).expect("there are few");
    let items = items.min(policy.order().capacity());
    let word = if demand.key_width == KeyWidth::W64 { 8 } else { 4 };
    let bytes = OrderMemory::of(policy.order(), word, items).bytes;
    assert!(bytes >= (8 + if word == 8 { 4 } else { 0 }) * items + 4 * policy.order().buckets(items));
    bytes.next_multiple_of(16)
}

#[track_caller]
fn agrees(device: &Device, policy: &ClusterPolicy, demand: &Demand) {
    assert_eq!(policy.validate(), Ok(()));
    let context = || format!("{} {demand:?} {policy:?}", device.name);
    let (plan, expected) = (plan(device, policy, demand), brute_force(device, policy, demand));
    let (Ok(plan), Some((width, slots, share, reason))) = (plan, expected) else {
        assert_eq!((plan.ok(), expected), (None, None), "{}", context());
        return;
    };
    let geometry = TileGeometry::of(policy, demand.key_width, 0);
    assert_eq!(plan.reason, reason, "{}", context());
    assert_eq!(plan.shape.cluster_width, width, "{}", context());
    assert_eq!(u64::from(plan.slots), slots, "{}", context());
    let bytes = geometry.bytes_for_slots(slots) + u64::from(order_bytes(policy, demand));
    assert_eq!(u64::from(plan.shape.dynamic_smem_bytes), bytes, "{}", context());
    assert_eq!(u128::from(plan.chunks_per_rank), share, "{}", context());
    let clusters = device.active(policy.threads_per_block, width, bytes);
    let waves = Waves { clusters, count: demand.num_segments.div_ceil(clusters.into()) };
    assert_eq!(plan.waves, Some(waves), "{}", context());
    let at_once = u128::from(demand.num_segments).min(clusters.into()) * u128::from(width);
    let pays = match policy.streaming {
        Streaming::Estimated => {
            at_once > device.groups.iter().sum::<u64>().into() || passes(policy, demand, width, slots) >= MANY
        }
        Streaming::Always | Streaming::Never => true,
    };
    let large_k = reason != WidthReason::SingleBlock && large_k(policy, demand, width, slots);
    assert_eq!(plan.large_k, large_k, "{}", context());
    let streams = large_k || may_stream(policy, demand, width, slots, share) && pays;
    assert_eq!(plan.streams, streams, "{}", context());
    let resident = share.min(slots.into());
    assert_eq!(u128::from(plan.resident_chunks_per_rank()), resident, "{}", context());
    assert_eq!(u128::from(plan.reread_chunks_per_rank()), share - resident, "{}", context());
    assert_eq!(plan.is_resident(), share <= slots.into(), "{}", context());
}

#[test]
fn the_default_policy_on_every_device() {
    let around = |n: u64| [n - 1, n, n + 1];
    let mut sizes: Vec<u64> = (1..31).flat_map(|exponent| around(1 << exponent)).collect();
    sizes.extend([0, 3000, 8191, 8193, 100_000, LONGEST - 1, LONGEST]);
    for device in &DEVICES {
        for key_width in KeyWidth::ALL {
            for &max_segment_size in sizes.iter().filter(|&&size| size < 1 << 24 || size % 4 == 3) {
                for num_segments in [0, 1, 2, 8, 33, 64, 132, 133, 1000, 65_536, LONGEST / 16, LONGEST] {
                    for loads in [Loads::Bulk, Loads::Plain] {
                        for (max_k, sorts) in
                            [(1, false), (100, true), (2048, true), (2048, false), (1 << 20, false)]
                        {
                            let demand =
                                Demand { key_width, max_segment_size, num_segments, loads, max_k, sorts };
                            agrees(device, &ClusterPolicy::DEFAULT, &demand);
                        }
                    }
                }
            }
        }
    }
}

fn any_policy() -> impl Strategy<Value = ClusterPolicy> {
    let chunk =
        proptest::sample::select(vec![(64u32, 16u32), (48, 16), (128, 128), (384, 128), (16 << 10, 128)]);
    let cap = |most: u32| proptest::option::of(1..=most);
    let short = prop_oneof![Just(0u32), 0u32..4000, Just(LONGEST as u32)];
    let streaming = proptest::sample::select(vec![Streaming::Estimated, Streaming::Always, Streaming::Never]);
    (
        chunk,
        cap(16),
        cap(20),
        1u32..=32,
        1u32..6,
        short,
        proptest::sample::select(vec![32u32, 64, 512]),
        streaming,
    )
        .prop_map(
            |(
                (chunk_bytes, load_align_bytes),
                width,
                slots,
                stages,
                min_chunks,
                short,
                threads,
                streaming,
            )| {
                ClusterPolicy {
                    chunk_bytes,
                    load_align_bytes,
                    max_cluster_width: width,
                    max_slots: slots,
                    pipeline_stages: stages,
                    streaming,
                    min_chunks_per_block: min_chunks,
                    single_block_max_seg_size: short,
                    threads_per_block: threads,
                    ..ClusterPolicy::DEFAULT
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_policy_on_any_device(
        policy in any_policy(),
        device in proptest::sample::select(DEVICES.to_vec()),
        key_width in proptest::sample::select(KeyWidth::ALL.to_vec()),
        max_segment_size in prop_oneof![0u64..200, 0u64..100_000],
        num_segments in prop_oneof![0u64..400, 0..=LONGEST],
        loads in proptest::sample::select(vec![Loads::Bulk, Loads::Plain]),
        max_k in prop_oneof![0u64..300, 0..=LONGEST],
        sorts in proptest::bool::ANY,
    ) {
        agrees(&device, &policy, &Demand { key_width, max_segment_size, num_segments, loads, max_k, sorts: sorts && max_k <= 128 });
    }
}

/// Width, slots, waves and clusters per wave of `segments` segments of 32-bit keys.
fn of_f32(device: usize, policy: &ClusterPolicy, segments: u64, size: u64) -> (u32, u32, u64, u32) {
    let demand = Demand {
        key_width: KeyWidth::W32,
        max_segment_size: size,
        num_segments: segments,
        loads: Loads::Bulk,
        max_k: 64,
        sorts: false,
    };
    let plan = plan(&DEVICES[device], policy, &demand).unwrap();
    let waves = plan.waves.unwrap();
    (plan.shape.cluster_width, plan.slots, waves.count, waves.clusters)
}

/// Answers worked out by hand, so that oracle and search cannot be wrong together.
#[test]
fn known_answers() {
    let default = ClusterPolicy::DEFAULT;
    // 24,224 bytes before the first slot; 12 slots of 16 KiB behind them in 227 KiB, 4 in 99 KiB, 5 in 113 KiB.
    assert_eq!(of_f32(0, &default, 1, 1 << 20), (16, 12, 1, 8));
    // Two chunks are a short segment's; one key more is a cluster's.
    assert_eq!(of_f32(0, &default, 1000, 8192), (1, 2, 2, 528));
    assert_eq!(of_f32(0, &default, 1, 8193), (2, 1, 1, 264));
    // 32 chunks for each of 8 segments: one wave at every width, and the widest has the fewest chunks to a block.
    assert_eq!(of_f32(0, &default, 8, 131_072), (16, 2, 1, 32));
    // 64 segments take half of the multiprocessors, so two blocks each.
    assert_eq!(of_f32(0, &default, 64, 131_072), (2, 12, 1, 66));
    // 256 segments run at once, two blocks to a multiprocessor; with more shared memory they would not.
    assert_eq!(of_f32(0, &default, 256, 131_072), (1, 5, 1, 264));
    let capped = |width| ClusterPolicy { max_cluster_width: Some(width), ..default };
    assert_eq!(of_f32(0, &capped(1), 64, 131_072), (1, 12, 1, 132));
    // A cap that is no power of two counts as the one below.
    assert_eq!(of_f32(0, &capped(15), 8, 131_072), (8, 4, 1, 32));
    // Width 16 refused.
    assert_eq!(of_f32(3, &default, 8, 131_072).0, 8);
    // Five chunks take eight blocks, four take four.
    assert_eq!(of_f32(0, &default, 1, 5 * 4096).0, 8);
    assert_eq!(of_f32(0, &default, 1, 4 * 4096).0, 4);
    // No segments, no waves.
    assert_eq!(of_f32(0, &default, 0, 131_072).2, 0);
}

/// The shapes that the estimate was fitted to or judged by, on the device that they were measured on.
#[test]
fn what_was_measured() {
    let chosen = |key_width, num_segments, max_segment_size, max_k| {
        let demand =
            Demand { key_width, max_segment_size, num_segments, loads: Loads::Bulk, max_k, sorts: false };
        // What that device's driver answers, where a multiprocessor has room for one block and for two.
        let active = |shape: LaunchShape| {
            let of_width = match shape.cluster_width {
                1 => [132, 264],
                2 => [66, 132],
                4 => [30, 62],
                8 => [15, 30],
                _ => [7, 14],
            };
            of_width[usize::from(2 * (shape.dynamic_smem_bytes + 1024) <= 228 << 10)]
        };
        let plan = plan_cluster(&ClusterPolicy::DEFAULT, &demand, &DEVICES[0].limits(), active).unwrap();
        (plan.shape.cluster_width, plan.slots, plan.streams)
    };
    let f32 = |segments, size, k| chosen(KeyWidth::W32, segments, size, k);
    let bf16 = |segments, size, k| chosen(KeyWidth::W16, segments, size, k);
    assert_eq!(f32(1, 32_768, 2048), (8, 1, false));
    assert_eq!(f32(64, 32_768, 2048), (2, 4, false));
    assert_eq!(f32(64, 65_536, 2048), (2, 8, false));
    assert_eq!(f32(1, 131_072, 2048), (16, 2, false));
    assert_eq!(f32(64, 131_072, 2048), (2, 12, false));
    assert_eq!(f32(512, 131_072, 2048), (2, 5, true));
    assert_eq!(f32(1, 1 << 20, 1024), (16, 12, false));
    assert_eq!(f32(16, 1 << 20, 1024), (8, 5, false));
    assert_eq!(f32(128, 1 << 20, 1024), (2, 5, true));
    assert_eq!(f32(256, 1 << 20, 100), (4, 5, false));
    assert_eq!(bf16(64, 131_072, 64), (2, 8, false));
    assert_eq!(bf16(512, 131_072, 2048), (2, 5, true));
    // More winners than the lists hold, and delegates bound the k-th badly.
    assert_eq!(f32(16, 1 << 20, 65_536), (16, 5, true));
    assert_eq!(f32(1, 1 << 20, 100_000), (16, 12, true));
    assert_eq!(f32(4, 1 << 21, 500_000), (16, 12, true));
    assert_eq!(f32(64, 131_072, 16_384), (2, 12, true));
    assert_eq!(f32(512, 131_072, 16_384), (1, 5, true));
    assert_eq!(f32(128, 1 << 20, 65_536), (2, 5, true));
    assert_eq!(f32(128, 65_536, 8192), (2, 5, true));
    // Seven clusters of 16 blocks have multiprocessors to themselves, not eight.
    assert_eq!(f32(8, 1 << 18, 32_768), (8, 8, true));
    assert_eq!(f32(7, 1 << 18, 32_768), (16, 4, true));
    // The last wave counts as what is left for it: two full ones and four clusters are faster than two of which one has two, and
    // than one in which four share.
    assert_eq!(f32(32, 1 << 19, 262_144), (16, 5, true));
    assert_eq!(f32(24, 1 << 19, 65_536), (8, 5, true));
    assert_eq!(f32(48, 1 << 19, 65_536), (4, 5, true));
    assert_eq!(f32(64, 1 << 19, 65_536), (2, 12, true));
    assert_eq!(f32(33, 1 << 18, 32_768), (8, 5, true));
    assert_eq!(f32(20, 1 << 20, 500_000), (16, 5, true));
    // A chunk of more keys takes longer.
    assert_eq!(bf16(64, 131_072, 16_384), (2, 8, true));
    assert_eq!(bf16(32, 1 << 19, 131_072), (16, 4, true));
    assert_eq!(chosen(KeyWidth::W8, 16, 1 << 22, 500_000), (16, 6, true));
    assert_eq!(chosen(KeyWidth::W64, 16, 1 << 19, 100_000), (16, 5, true));
}

#[test]
fn grids_have_an_end() {
    let demand = |num_segments| Demand {
        key_width: KeyWidth::W8,
        max_segment_size: LONGEST,
        num_segments,
        loads: Loads::Bulk,
        max_k: 64,
        sorts: false,
    };
    // A device that launches one width only.
    let plan = |num_segments, width| {
        let only = |shape: LaunchShape| u32::from(shape.cluster_width == width);
        plan_cluster(&ClusterPolicy::DEFAULT, &demand(num_segments), &DEVICES[0].limits(), only)
    };
    for width in [16, 8, 4, 2] {
        let limit = MAX_GRID_BLOCKS / u64::from(width);
        assert_eq!(plan(limit, width).unwrap().shape.cluster_width, width);
        assert_eq!(plan(limit + 1, width), Err(NoPlan::NothingLaunchable));
    }
    assert_eq!(plan(MAX_GRID_BLOCKS, 1).unwrap().shape.cluster_width, 1);
    assert_eq!(
        plan(MAX_GRID_BLOCKS + 1, 1),
        Err(NoPlan::TooManySegments { given: MAX_GRID_BLOCKS + 1, limit: MAX_GRID_BLOCKS, cluster_width: 1 })
    );
}

#[test]
fn no_plan() {
    let demand = Demand {
        key_width: KeyWidth::W64,
        max_segment_size: 9,
        num_segments: 1,
        loads: Loads::Plain,
        max_k: 5,
        sorts: false,
    };
    let policy = ClusterPolicy::DEFAULT;
    let limits =
        ClusterLimits { smem_per_block_optin_bytes: 20_000, max_cluster_width: 8, multiprocessors: 132 };
    let required = TileGeometry::of(&policy, KeyWidth::W64, 0).bytes_for_slots(1);
    assert_eq!(
        plan_cluster(&policy, &demand, &limits, |_| unreachable!("nothing fits")),
        Err(NoPlan::TooLittleSharedMemory { required, available: 20_000 })
    );
    let limits = DEVICES[0].limits();
    assert_eq!(plan_cluster(&policy, &demand, &limits, |_| 0), Err(NoPlan::NothingLaunchable));
    // A device that holds a segment at no width that it runs still takes the launch that it runs.
    let long = Demand { max_segment_size: 1 << 20, ..demand };
    let narrow = |shape: LaunchShape| u32::from(shape.cluster_width == 2);
    let plan = plan_cluster(&policy, &long, &limits, narrow).unwrap();
    assert_eq!((plan.shape.cluster_width, plan.reason), (2, WidthReason::LeastTime));
    assert!(!plan.is_resident());
}
