//! The launch that every device with clusters takes: 8 blocks of at most 48 KiB, planned without a question to anyone.

use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::layout::{TileGeometry, smem_block_tile_layout};
use cluster_topk_abi::plan::{ClusterLimits, ClusterPlan, Demand, Loads, NoPlan, WidthReason, plan_cluster};
use cluster_topk_abi::policy::{ClusterPolicy, ClusterSizing};
use cluster_topk_abi::{MAX_GRID_BLOCKS, MAX_SEGMENT_SIZE};
use proptest::prelude::*;

const BUDGET: u64 = 48 << 10;
const POLICY: ClusterPolicy = ClusterPolicy { sizing: ClusterSizing::Portable, ..ClusterPolicy::DEFAULT };

/// Plans on a device that answers nothing and, by its limits, launches nothing.
fn plan(policy: &ClusterPolicy, demand: &Demand) -> Result<ClusterPlan, NoPlan> {
    let limits = ClusterLimits { smem_per_block_optin_bytes: 0, max_cluster_width: 0, multiprocessors: 1 };
    plan_cluster(policy, demand, &limits, |shape| unreachable!("asked about {shape:?}"))
}

/// What a block may have without asking holds a chunk, to keep or to pass others through, beside the fixed region.
#[test]
fn a_chunk_fits_at_every_key_width() {
    let slots = KeyWidth::ALL.map(|width| {
        let geometry = TileGeometry::of(&ClusterPolicy::DEFAULT, width, 0);
        let mut slots = 0;
        while geometry.bytes_for_slots(slots + 1) <= BUDGET {
            slots += 1;
        }
        assert_eq!(smem_block_tile_layout(BUDGET, geometry).slots, slots);
        slots
    });
    // The histogram of 8-bit keys is small; wider keys leave a chunk and most of another.
    assert_eq!(slots, [2, 1, 1, 1]);
}

#[test]
fn the_longest_segments() {
    for key_width in KeyWidth::ALL {
        for loads in [Loads::Bulk, Loads::Plain] {
            let num_segments = MAX_GRID_BLOCKS / 8;
            let demand = Demand {
                key_width,
                max_segment_size: MAX_SEGMENT_SIZE,
                num_segments,
                loads,
                max_k: 1,
                sorts: false,
            };
            let plan = plan(&POLICY, &demand).unwrap();
            assert_eq!((plan.shape.cluster_width, plan.reason, plan.waves), (8, WidthReason::Portable, None));
            // 2^31 keys but one, in chunks of 16 KiB, an eighth of them: all full, or short of a key or a line.
            let chunks = (u64::from(key_width.bytes()) << 31) / (16 << 10) / 8;
            assert_eq!(u64::from(plan.chunks_per_rank), chunks);
            assert!(!plan.is_resident() && plan.slots >= 1 && !plan.streams);
        }
    }
}

#[test]
fn grids_have_an_end() {
    for segments in [0, 1, MAX_GRID_BLOCKS / 8, MAX_GRID_BLOCKS / 8 + 1, MAX_GRID_BLOCKS, u64::MAX] {
        for max_segment_size in [0, 1, MAX_SEGMENT_SIZE] {
            let demand = Demand {
                key_width: KeyWidth::W16,
                max_segment_size,
                num_segments: segments,
                loads: Loads::Bulk,
                max_k: 1,
                sorts: false,
            };
            let refused = NoPlan::TooManySegments { given: segments, limit: (1 << 28) - 1, cluster_width: 8 };
            match plan(&POLICY, &demand) {
                Ok(plan) => assert!(segments * 8 < 1 << 31 && plan.shape.cluster_width == 8),
                Err(reason) => assert!(reason == refused && segments > 268_435_455),
            }
        }
    }
}

#[test]
fn a_policy_whose_chunk_does_not_fit() {
    let policy = ClusterPolicy { chunk_bytes: 32 << 10, ..POLICY };
    let demand = Demand {
        key_width: KeyWidth::W32,
        max_segment_size: 9,
        num_segments: 1,
        loads: Loads::Bulk,
        max_k: 1,
        sorts: false,
    };
    let required = TileGeometry::of(&policy, KeyWidth::W32, 0).bytes_for_slots(1);
    assert_eq!(plan(&policy, &demand), Err(NoPlan::TooLittleSharedMemory { required, available: 49_152 }));
}

proptest! {
    #[test]
    fn slots_keep_to_the_budget_and_the_caps(
        key_width in proptest::sample::select(KeyWidth::ALL.to_vec()),
        max_slots in proptest::option::of(1u32..4),
        min_chunks_per_block in 1u32..5,
        max_segment_size in prop_oneof![0u64..200_000, 0..=MAX_SEGMENT_SIZE],
        loads in proptest::sample::select(vec![Loads::Bulk, Loads::Plain]),
    ) {
        let policy = ClusterPolicy { max_slots, min_chunks_per_block, ..POLICY };
        prop_assert_eq!(policy.validate(), Ok(()));
        let plan = plan(&policy, &Demand { key_width, max_segment_size, num_segments: 3, loads, max_k: 1, sorts: false }).unwrap();
        let bytes = TileGeometry::of(&policy, key_width, 0).bytes_for_slots(plan.slots.into());
        prop_assert_eq!(u64::from(plan.shape.dynamic_smem_bytes), bytes);
        prop_assert!(bytes <= BUDGET);
        prop_assert!(plan.slots <= max_slots.unwrap_or(u32::MAX) && plan.slots >= 1);
        prop_assert!(!plan.streams);
        // No block has room that no segment fills.
        prop_assert!(plan.slots == 1 || plan.slots <= plan.chunks_per_rank);
        prop_assert!(plan.is_resident() == (plan.chunks_per_rank <= plan.slots));
    }
}
