//! The schedule against an oracle that looks at each key's address.

use cluster_topk_abi::key_order::KeyWidth;
use cluster_topk_abi::layout::TileGeometry;
use cluster_topk_abi::policy::ClusterPolicy;
use cluster_topk_abi::requirement::{Contract, Determinism, OutputOrdering, TieBreak};
use cluster_topk_abi::schedule::{
    ClusterSchedule, RankShare, ScanOrder, SegmentSplit, effective_width, max_chunks_per_rank,
    single_cta_eligible,
};
use proptest::prelude::*;

const LONGEST: u32 = (1 << 31) - 1;

fn geometry(chunk_bytes: u32, load_align_bytes: u32, width: KeyWidth) -> TileGeometry {
    let policy = ClusterPolicy { chunk_bytes, load_align_bytes, ..ClusterPolicy::DEFAULT };
    assert_eq!(policy.validate(), Ok(()));
    TileGeometry::of(&policy, width, 0)
}

fn any_geometry() -> impl Strategy<Value = TileGeometry> {
    let chunks = vec![(64, 16), (48, 16), (128, 128), (384, 128), (256, 32), (16 << 10, 128)];
    (proptest::sample::select(chunks), proptest::sample::select(KeyWidth::ALL.to_vec()))
        .prop_map(|((chunk, align), width)| geometry(chunk, align, width))
}

fn any_order() -> impl Strategy<Value = ScanOrder> {
    proptest::sample::select(vec![ScanOrder::Ascending, ScanOrder::Descending])
}

/// Where a key belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Chunk(u64),
    Tail,
}

/// Where each key belongs, from the address of its line: a key is in a chunk exactly if its whole line is in the segment.
fn parts_by_address(geometry: &TileGeometry, start: u64, len: u64) -> Vec<Part> {
    let (align, key) = (geometry.load_align_bytes, geometry.key_bytes);
    let end = start + len * key;
    let mut first_line = None;
    (0..len)
        .map(|index| {
            let line = (start + index * key) / align;
            if line * align < start {
                Part::Head
            } else if (line + 1) * align > end {
                Part::Tail
            } else {
                let first = *first_line.get_or_insert(line);
                Part::Chunk((line - first) * align / geometry.chunk_bytes)
            }
        })
        .collect()
}

/// Where each key belongs, from the ranges that the split hands out; checks that they cover the keys in order.
fn parts_by_split(split: &SegmentSplit, len: u64) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |first: u32, len: u32, part| {
        assert_eq!(first as usize, parts.len(), "ranges follow one another");
        parts.extend(std::iter::repeat_n(part, len as usize));
    };
    add(split.head().first, split.head().len, Part::Head);
    for chunk in 0..split.chunks {
        let range = split.chunk(chunk);
        assert!(range.len > 0);
        add(range.first, range.len, Part::Chunk(u64::from(chunk)));
    }
    add(split.tail().first, split.tail().len, Part::Tail);
    assert_eq!(parts.len() as u64, len);
    parts
}

#[test]
fn a_segment_inside_one_line_has_no_chunk() {
    let geometry = geometry(16 << 10, 128, KeyWidth::W32);
    for start_key in 0..32u64 {
        for len in 0..=(32 - start_key) as u32 {
            let split = SegmentSplit::aligned(&geometry, 4096 + 4 * start_key, len);
            let whole_line = start_key == 0 && len == 32;
            assert_eq!(split.chunks, u32::from(whole_line), "{start_key} {len}");
            assert_eq!(split.head_keys + split.bulk_keys + split.tail_keys, len);
            let schedule = ClusterSchedule::new(&split, 8, 1, ScanOrder::Ascending);
            assert_eq!((schedule.effective_width, schedule.leader()), (1, 0));
            assert!(schedule.share(0).head && schedule.share(0).tail);
        }
    }
}

#[test]
fn the_longest_segment() {
    for width in KeyWidth::ALL {
        let geometry = geometry(16 << 10, 128, width);
        for start_key in 0..geometry.line_keys() {
            let split = SegmentSplit::aligned(&geometry, start_key * geometry.key_bytes, LONGEST);
            let sum = u64::from(split.head_keys) + u64::from(split.bulk_keys) + u64::from(split.tail_keys);
            assert_eq!(sum, u64::from(LONGEST));
            let last = split.chunk(split.chunks - 1);
            assert_eq!(last.end(), split.tail().first);
            assert_eq!(split.tail().end(), LONGEST);
            assert_eq!(split.chunk(split.chunks).len, 0);
            assert_eq!(split.chunk(u32::MAX).len, 0);
            let schedule = ClusterSchedule::new(&split, 16, 1, ScanOrder::Ascending);
            let RankShare { first_chunk, chunks, .. } = schedule.share(15);
            assert_eq!(first_chunk + chunks, split.chunks);
        }
        assert_eq!(SegmentSplit::generic(&geometry, LONGEST).bulk_keys, LONGEST);
    }
}

#[test]
fn scan_order_follows_the_tie_break() {
    let contract =
        |determinism, tie_break| Contract { determinism, tie_break, ordering: OutputOrdering::Unsorted };
    for (determinism, tie_break, order) in [
        (Determinism::NotGuaranteed, TieBreak::Unspecified, ScanOrder::Descending),
        (Determinism::RunToRun, TieBreak::Unspecified, ScanOrder::Ascending),
        (Determinism::GpuToGpu, TieBreak::Unspecified, ScanOrder::Ascending),
        (Determinism::GpuToGpu, TieBreak::PreferSmallerIndex, ScanOrder::Ascending),
        (Determinism::GpuToGpu, TieBreak::PreferLargerIndex, ScanOrder::Descending),
    ] {
        assert_eq!(ScanOrder::of(contract(determinism, tie_break)), order);
    }
}

#[test]
fn the_effective_width_by_search() {
    for chunks in 0..60 {
        for cluster_width in 1..=16 {
            for min_chunks in 1..=5 {
                let width = effective_width(chunks, cluster_width, min_chunks);
                // The most ranks that all get enough, when dealt out one by one.
                let searched = (1..=cluster_width)
                    .filter(|&ranks| {
                        let mut dealt = vec![0; ranks as usize];
                        (0..chunks).for_each(|chunk| dealt[(chunk % ranks) as usize] += 1);
                        dealt.iter().all(|&count| count >= min_chunks)
                    })
                    .max()
                    .unwrap_or(1);
                assert_eq!(width, searched, "{chunks} {cluster_width} {min_chunks}");
            }
        }
    }
    assert_eq!(effective_width(5, 0, 0), 1);
    assert_eq!(effective_width(5, 8, 0), 5);
}

#[test]
fn the_most_chunks_of_any_rank_by_search() {
    let geometry = geometry(64, 16, KeyWidth::W32);
    for cluster_width in 1..=16 {
        for min_chunks in 1..=5 {
            let mut most = 0;
            for chunks in 0..80u32 {
                let split = SegmentSplit::aligned(&geometry, 0, chunks * 16);
                assert_eq!(split.chunks, chunks);
                let schedule = ClusterSchedule::new(&split, cluster_width, min_chunks, ScanOrder::Ascending);
                most = (0..cluster_width).map(|rank| schedule.share(rank).chunks).max().unwrap().max(most);
                assert_eq!(
                    max_chunks_per_rank(chunks, cluster_width, min_chunks),
                    most,
                    "{chunks} {cluster_width} {min_chunks}"
                );
                if min_chunks == 1 {
                    let len = u64::from(chunks) * 16;
                    let most = u64::from(most);
                    assert_eq!(geometry.worst_case_chunks_per_rank(len, cluster_width.into()), most);
                }
            }
        }
    }
}

#[test]
fn single_block_eligibility_at_both_limits() {
    let geometry = geometry(64, 16, KeyWidth::W32);
    // Two slots of 16 keys and a tail of three.
    assert!(single_cta_eligible(&geometry, 35, 2, 100));
    assert!(!single_cta_eligible(&geometry, 36, 2, 100));
    assert!(single_cta_eligible(&geometry, 35, 2, 35));
    assert!(!single_cta_eligible(&geometry, 35, 2, 34));
    assert!(single_cta_eligible(&geometry, 0, 0, 0));
    assert!(!single_cta_eligible(&geometry, LONGEST, 13, LONGEST));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn every_key_has_one_place(geometry in any_geometry(), start_key in 0u64..300, len in 0u32..3000) {
        let start = 4096 + start_key * geometry.key_bytes;
        let split = SegmentSplit::aligned(&geometry, start, len);
        let by_address = parts_by_address(&geometry, start, u64::from(len));
        prop_assert_eq!(parts_by_split(&split, u64::from(len)), by_address);
        // A number congruent to the address serves as well.
        prop_assert_eq!(SegmentSplit::aligned(&geometry, start % geometry.load_align_bytes, len), split);
        prop_assert!(u64::from(split.chunks) <= geometry.worst_case_chunks(u64::from(len)));
        prop_assert!(u64::from(split.head_keys) < geometry.line_keys());
        prop_assert!(u64::from(split.tail_keys) < geometry.line_keys());
        for chunk in 0..split.chunks {
            let address = start + u64::from(split.chunk(chunk).first) * geometry.key_bytes;
            prop_assert_eq!(address % geometry.load_align_bytes, 0);
            let bytes = u64::from(split.chunk(chunk).len) * geometry.key_bytes;
            prop_assert_eq!(bytes % 16, 0);
        }
        let generic = SegmentSplit::generic(&geometry, len);
        let parts = parts_by_split(&generic, u64::from(len));
        prop_assert!(parts.iter().all(|part| matches!(part, Part::Chunk(_))));
    }

    #[test]
    fn every_chunk_has_one_rank(
        geometry in any_geometry(), len in 0u32..60_000, width in 1u32..=16, min_chunks in 1u32..4, order in any_order(),
    ) {
        let split = SegmentSplit::aligned(&geometry, 0, len);
        let schedule = ClusterSchedule::new(&split, width, min_chunks, order);
        let mut next = 0;
        let (mut heads, mut tails, mut working) = (Vec::new(), Vec::new(), Vec::new());
        for rank in 0..width {
            let share = schedule.share(rank);
            if share.head { heads.push(rank); }
            if share.tail { tails.push(rank); }
            if !schedule.is_idle(rank) {
                working.push(rank);
                prop_assert_eq!(share.first_chunk, next, "runs follow one another");
                next += share.chunks;
            } else {
                prop_assert_eq!(share, RankShare::IDLE);
            }
        }
        prop_assert_eq!(next, split.chunks);
        prop_assert_eq!(&heads, &vec![working[0]]);
        prop_assert_eq!(&tails, &vec![*working.last().unwrap()]);
        prop_assert!(working.len() == 1 || working.iter().all(|&rank| schedule.share(rank).chunks >= min_chunks));
        let shares: Vec<u32> = working.iter().map(|&rank| schedule.share(rank).chunks).collect();
        prop_assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1, "even");

        // The leader works, and is the one rank without a successor.
        let leader = schedule.leader();
        prop_assert!(!schedule.is_idle(leader));
        for &rank in &working {
            let (begin, end) = order.successors(rank, schedule.effective_width);
            prop_assert_eq!(begin >= end, rank == leader);
            let after: Vec<u32> = working
                .iter()
                .copied()
                .filter(|&other| if order == ScanOrder::Ascending { other > rank } else { other < rank })
                .collect();
            prop_assert_eq!((begin..end).collect::<Vec<_>>(), after);
        }
    }

    #[test]
    fn eligibility_does_not_depend_on_the_start(geometry in any_geometry(), start_key in 0u64..300, len in 0u32..3000, slots in 0u32..9) {
        let split = SegmentSplit::aligned(&geometry, start_key * geometry.key_bytes, len);
        if single_cta_eligible(&geometry, len, slots, LONGEST) {
            prop_assert!(split.chunks <= slots);
        }
    }
}
