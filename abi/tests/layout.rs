//! The shared-memory layout against an oracle that places chunks one by one, at every base and every start.

use cluster_topk_abi::MAX_SEGMENT_SIZE;
use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::layout::{FixedRegion, TileGeometry, smem_block_tile_layout};
use cluster_topk_abi::policy::{ClusterPolicy, LaunchShape};
use proptest::prelude::*;

const BUDGETS_KIB: [u64; 6] = [48, 96, 99, 160, 163, 227];
const CLUSTER_WIDTHS: [u64; 2] = [8, 16];

/// Chunk size and load alignment, in bytes.
const CHUNKS: [(u32, u32); 7] =
    [(16 << 10, 128), (16 << 10, 16), (8 << 10, 128), (4 << 10, 64), (32 << 10, 128), (48, 16), (384, 128)];

fn policy(chunk_bytes: u32, load_align_bytes: u32) -> ClusterPolicy {
    let policy = ClusterPolicy { chunk_bytes, load_align_bytes, ..ClusterPolicy::DEFAULT };
    assert_eq!(policy.validate(), Ok(()));
    policy
}

fn geometries() -> Vec<TileGeometry> {
    let mut geometries = Vec::new();
    for (chunk_bytes, load_align_bytes) in CHUNKS {
        for width in KeyWidth::ALL {
            let of_policy = TileGeometry::of(&policy(chunk_bytes, load_align_bytes), width, 0);
            geometries.push(of_policy);
            // A fixed region that is no multiple of anything, and an over-aligned key.
            geometries.push(TileGeometry { fixed_bytes: 1001, ..of_policy });
            geometries.push(TileGeometry { key_align_bytes: 256, ..of_policy });
        }
    }
    geometries
}

/// Slots that fit a budget at one base, counted by placing them.
fn placed_slots(geometry: TileGeometry, base: u64, budget: u64) -> u64 {
    let align = geometry.load_align_bytes.max(geometry.key_align_bytes);
    let mut at = base + geometry.fixed_bytes;
    while !at.is_multiple_of(align) {
        at += 1;
    }
    let mut slots = 0;
    while at + (slots + 1) * geometry.chunk_bytes <= base + budget {
        slots += 1;
    }
    slots
}

/// Chunks of a segment that starts `start` bytes past a line, found by walking over its lines.
fn walked_chunks(geometry: TileGeometry, start: u64, len: u64) -> u64 {
    let (align, end) = (geometry.load_align_bytes, start + len * geometry.key_bytes);
    let first_line = start.next_multiple_of(align);
    let (mut chunks, mut at) = (0, first_line);
    while at + align <= end {
        chunks += 1;
        // As many whole lines as a chunk holds.
        let mut taken = 0;
        while taken < geometry.chunk_bytes && at + align <= end {
            taken += align;
            at += align;
        }
    }
    chunks
}

/// Whether a segment is resident at every start: no rank of the cluster gets more chunks than it has slots.
fn fits_everywhere(geometry: TileGeometry, slots: u64, width: u64, len: u64) -> bool {
    (0..geometry.load_align_bytes / geometry.key_bytes).all(|keys| {
        let chunks = walked_chunks(geometry, keys * geometry.key_bytes, len);
        chunks <= slots * width
    })
}

#[test]
fn slots_are_those_of_the_worst_base() {
    for geometry in geometries() {
        for kib in BUDGETS_KIB {
            let budget = kib << 10;
            let layout = smem_block_tile_layout(budget, geometry);
            // Bases of every residue that a multiple of 16 can have.
            let placed = (0..32).map(|step| placed_slots(geometry, 4096 + 16 * step, budget)).min().unwrap();
            assert_eq!(layout.slots, placed, "{geometry:?} {kib}");
            for step in 0..32 {
                let base = 4096 + 16 * step;
                let at = geometry.slots_base(base);
                assert!(
                    at.is_multiple_of(geometry.load_align_bytes)
                        && at.is_multiple_of(geometry.key_align_bytes)
                );
                assert!(at >= base + geometry.fixed_bytes);
                assert!(at - base <= geometry.worst_case_slots_offset());
                assert!(at + layout.slots * geometry.chunk_bytes <= base + budget);
            }
        }
    }
}

#[test]
fn the_full_capacity_fits_and_one_key_more_overflows() {
    for geometry in geometries() {
        for kib in BUDGETS_KIB {
            let layout = smem_block_tile_layout(kib << 10, geometry);
            let least = geometry.worst_case_slots_offset() + geometry.chunk_bytes;
            assert_eq!(layout.slots > 0, kib << 10 >= least, "{geometry:?} {kib}");
            if layout.slots == 0 {
                // A chunk of 16 KiB, but none of 32, fits what every GPU gives without being asked.
                assert!(kib == 48 && geometry.chunk_bytes > 16 << 10);
                continue;
            }
            assert_eq!(
                layout.block_tile_capacity(),
                layout.slots * geometry.chunk_bytes / geometry.key_bytes
            );
            for width in CLUSTER_WIDTHS {
                let capacity = layout.resident_capacity(width);
                let by_rank = |len| geometry.worst_case_chunks_per_rank(len, width);
                assert!(by_rank(capacity) <= layout.slots, "{geometry:?} {kib} {width}");
                assert!(by_rank(capacity + 1) > layout.slots, "{geometry:?} {kib} {width}");
                // The same by walking, where walking is affordable.
                if geometry.chunk_bytes >= 8 << 10
                    && geometry.load_align_bytes == 128
                    && geometry.key_bytes >= 4
                {
                    assert!(
                        fits_everywhere(geometry, layout.slots, width, capacity),
                        "{geometry:?} {kib} {width}"
                    );
                    assert!(
                        !fits_everywhere(geometry, layout.slots, width, capacity + 1),
                        "{geometry:?} {kib}"
                    );
                }
            }
        }
    }
}

#[test]
fn known_capacities_of_the_default_policy() {
    // 4-byte keys in chunks of 4,096: the fixed region takes less than 24 KiB, so the budget less that, in 16 KiB steps.
    let geometry = TileGeometry::of(&ClusterPolicy::DEFAULT, KeyWidth::W32, 0);
    for (kib, slots) in [(48, 1), (96, 4), (99, 4), (160, 8), (163, 8), (227, 12)] {
        let layout = smem_block_tile_layout(kib << 10, geometry);
        assert_eq!(layout.slots, slots, "{kib}");
        assert_eq!(layout.resident_capacity(16), 16 * slots * 4096 + 31, "{kib}");
    }
    let portable = LaunchShape::PORTABLE;
    assert_eq!((portable.cluster_width, portable.dynamic_smem_bytes), (8, 49152));
}

#[test]
fn inverse_of_inverse() {
    for geometry in geometries() {
        for slots in 1..=40 {
            let bytes = geometry.bytes_for_slots(slots);
            assert_eq!(smem_block_tile_layout(bytes, geometry).slots, slots);
            assert_eq!(smem_block_tile_layout(bytes - 1, geometry).slots, slots - 1, "one byte fewer");
            let keys = smem_block_tile_layout(bytes, geometry).block_tile_capacity();
            assert_eq!(geometry.bytes_for_block_keys(keys), bytes);
            assert_eq!(geometry.bytes_for_block_keys(keys - 1), bytes);
            assert!(geometry.bytes_for_block_keys(keys + 1) > bytes);
            for width in CLUSTER_WIDTHS {
                let capacity = smem_block_tile_layout(bytes, geometry).resident_capacity(width);
                assert_eq!(geometry.bytes_for_segment(capacity, width), bytes);
                assert!(geometry.bytes_for_segment(capacity + 1, width) > bytes);
            }
        }
    }
}

#[test]
fn a_cap_on_slots_only_lowers() {
    let geometry = TileGeometry::of(&ClusterPolicy::DEFAULT, KeyWidth::W32, 0);
    let layout = smem_block_tile_layout(227 << 10, geometry);
    assert_eq!(layout.capped(None), layout);
    assert_eq!(layout.capped(Some(100)), layout);
    assert_eq!(layout.capped(Some(3)).slots, 3);
    assert_eq!(layout.capped(Some(3)).block_tile_capacity(), 3 * 4096);
}

#[test]
fn too_small_a_budget_has_no_slot() {
    for geometry in geometries() {
        for budget in [0, 1, geometry.fixed_bytes, geometry.bytes_for_slots(1) - 1] {
            let layout = smem_block_tile_layout(budget, geometry);
            assert_eq!((layout.slots, layout.block_tile_capacity()), (0, 0));
        }
        // What fits without any slot: less than a line.
        assert_eq!(
            smem_block_tile_layout(0, geometry).resident_capacity(8),
            geometry.load_align_bytes / geometry.key_bytes - 1
        );
    }
}

#[test]
fn the_longest_segment_overflows_nothing() {
    for geometry in geometries() {
        for width in [1, 8, 16] {
            // In 128 bits, from the definition.
            let lines = u128::from(MAX_SEGMENT_SIZE) * u128::from(geometry.key_bytes)
                / u128::from(geometry.load_align_bytes);
            let per_chunk = u128::from(geometry.chunk_bytes / geometry.load_align_bytes);
            let chunks = lines.div_ceil(per_chunk);
            assert_eq!(u128::from(geometry.worst_case_chunks(MAX_SEGMENT_SIZE)), chunks);
            let per_rank = geometry.worst_case_chunks_per_rank(MAX_SEGMENT_SIZE, width);
            assert_eq!(u128::from(per_rank), chunks.div_ceil(u128::from(width)));
            let bytes = geometry.bytes_for_segment(MAX_SEGMENT_SIZE, width);
            assert!(bytes < 1 << 36);
            let layout = smem_block_tile_layout(bytes, geometry);
            assert_eq!(layout.slots, per_rank);
            assert!(layout.resident_capacity(width) >= MAX_SEGMENT_SIZE);
        }
    }
}

#[test]
fn parts_of_the_fixed_region_are_disjoint_and_large_enough() {
    for (chunk_bytes, load_align_bytes) in CHUNKS {
        for width in KeyWidth::ALL {
            for (stages, threads, bits, scratch) in
                [(8, 512, 11, 0), (1, 32, 1, 4), (32, 1024, 12, 100), (3, 96, 5, 16)]
            {
                let policy = ClusterPolicy {
                    pipeline_stages: stages,
                    threads_per_block: threads,
                    bits_per_pass: bits,
                    ..policy(chunk_bytes, load_align_bytes)
                };
                let region = FixedRegion::of(&policy, width, scratch);
                let buckets = 2u32.pow(bits.min(8 * width.bytes()));
                let parts = [
                    (region.barriers, 8 * stages),
                    (region.state, FixedRegion::STATE_BYTES),
                    (region.histogram, 4 * (buckets + 1)),
                    (region.head_edge, load_align_bytes - width.bytes()),
                    (region.tail_edge, load_align_bytes - width.bytes()),
                    (region.scan, 8 * threads / 32),
                    (region.scratch, scratch),
                    (region.bytes, 0),
                ];
                for pair in parts.windows(2) {
                    assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{region:?}");
                }
                assert!(parts.iter().all(|part| part.0 % 16 == 0), "{region:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// The worst case over all starts is the worst case: never exceeded, and reached.
    #[test]
    fn worst_case_chunks_by_walking(
        (chunk_bytes, align) in proptest::sample::select(CHUNKS.to_vec()),
        width in proptest::sample::select(KeyWidth::ALL.to_vec()),
        len in 0u64..20_000,
    ) {
        let geometry = TileGeometry::of(&policy(chunk_bytes, align), width, 0);
        let walked = (0..geometry.line_keys())
            .map(|keys| walked_chunks(geometry, keys * geometry.key_bytes, len))
            .max()
            .unwrap();
        prop_assert_eq!(geometry.worst_case_chunks(len), walked);
    }

    /// Whatever the numbers, nothing panics and nothing wraps into something plausible.
    #[test]
    fn garbage_saturates(budget: u64, fixed: u64, chunk: u64, align: u64, key: u64, len: u64, slots: u64, width: u64) {
        let geometry = TileGeometry {
            fixed_bytes: fixed, chunk_bytes: chunk, load_align_bytes: align, key_bytes: key, key_align_bytes: key,
        };
        let layout = smem_block_tile_layout(budget, geometry);
        prop_assert!(u128::from(layout.slots) * u128::from(chunk) <= u128::from(budget));
        let _ = (layout.resident_capacity(width), geometry.bytes_for_slots(slots), geometry.slots_base(budget));
        let _ = (geometry.bytes_for_segment(len, width), geometry.bytes_for_block_keys(len));
    }
}
