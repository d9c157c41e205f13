//! The validity check of a policy: either side of every limit.

use cluster_topk_abi::policy::{ClusterPolicy, ClusterSizing, PolicyError, Streaming};

const DEFAULT: ClusterPolicy = ClusterPolicy::DEFAULT;

#[test]
fn the_default_policy() {
    assert_eq!(DEFAULT.validate(), Ok(()));
    assert_eq!(
        DEFAULT,
        ClusterPolicy {
            threads_per_block: 512,
            histogram_items_per_thread: 8,
            tie_break_items_per_thread: 8,
            copy_items_per_thread: 8,
            pipeline_stages: 16,
            chunk_bytes: 16384,
            load_align_bytes: 128,
            bits_per_pass: 11,
            list_capacity: 1920,
            min_blocks_per_sm: 2,
            sizing: ClusterSizing::Searched,
            streaming: Streaming::Estimated,
            single_block_max_seg_size: 8192,
            min_chunks_per_block: 1,
            max_cluster_width: None,
            max_slots: None,
        }
    );
}

#[test]
fn a_tiny_policy_for_tests_is_valid() {
    let tiny = ClusterPolicy {
        threads_per_block: 32,
        histogram_items_per_thread: 1,
        tie_break_items_per_thread: 1,
        copy_items_per_thread: 1,
        pipeline_stages: 1,
        chunk_bytes: 16,
        load_align_bytes: 16,
        bits_per_pass: 1,
        list_capacity: 1,
        min_blocks_per_sm: 32,
        sizing: ClusterSizing::Searched,
        streaming: Streaming::Never,
        single_block_max_seg_size: 0,
        min_chunks_per_block: 3,
        max_cluster_width: Some(1),
        max_slots: Some(1),
    };
    assert_eq!(tiny.validate(), Ok(()));
}

macro_rules! limits {
    ($($test:ident: $field:ident, good $good:tt, bad $bad:tt => $error:ident;)*) => {$(
        #[test]
        fn $test() {
            for good in $good {
                let policy = ClusterPolicy { $field: good, ..DEFAULT };
                assert_eq!(policy.validate(), Ok(()), "{good}");
                assert!(policy.is_valid());
            }
            for bad in $bad {
                let policy = ClusterPolicy { $field: bad, ..DEFAULT };
                assert_eq!(policy.validate(), Err(PolicyError::$error(bad)));
                assert!(!policy.is_valid());
                let text = policy.validate().unwrap_err().to_string();
                assert!(text.contains(stringify!($field)) && text.ends_with(&format!("not {bad}")), "{text}");
            }
        }
    )*};
}

limits! {
    threads: threads_per_block, good [32, 96, 1024], bad [0, 1, 31, 33, 1056, u32::MAX] => ThreadsPerBlock;
    histogram: histogram_items_per_thread, good [1, 64], bad [0, 65] => HistogramItemsPerThread;
    tie_break: tie_break_items_per_thread, good [1, 64], bad [0, 65] => TieBreakItemsPerThread;
    copy: copy_items_per_thread, good [1, 64], bad [0, 65] => CopyItemsPerThread;
    stages: pipeline_stages, good [1, 32], bad [0, 33] => PipelineStages;
    alignment: load_align_bytes, good [16, 128, 1024], bad [0, 1, 8, 24, 96, 2048] => LoadAlignBytes;
    digit: bits_per_pass, good [1, 12], bad [0, 13] => BitsPerPass;
    list: list_capacity, good [1, 1920, 16_384], bad [0, 16_385, u32::MAX] => ListCapacity;
    blocks: min_blocks_per_sm, good [1, 4], bad [0, 5, 33, u32::MAX] => MinBlocksPerSm;
    single_block: single_block_max_seg_size, good [0, 0x7FFF_FFFF], bad [0x8000_0000] => SingleBlockMaxSegSize;
}

#[test]
fn chunks_and_caps() {
    for (chunk_bytes, valid) in [
        (0, false),
        (64, false),
        (128, true),
        (192, false),
        (16384, true),
        ((1 << 20) - 128, true),
        (1 << 20, false),
    ] {
        let policy = ClusterPolicy { chunk_bytes, ..DEFAULT };
        let expected =
            if valid { Ok(()) } else { Err(PolicyError::ChunkBytes { chunk_bytes, load_align_bytes: 128 }) };
        assert_eq!(policy.validate(), expected);
    }
    let fault = |policy: ClusterPolicy| policy.validate().unwrap_err();
    assert_eq!(fault(ClusterPolicy { min_chunks_per_block: 0, ..DEFAULT }), PolicyError::MinChunksPerBlock);
    assert_eq!(fault(ClusterPolicy { max_slots: Some(0), ..DEFAULT }), PolicyError::MaxSlots);
    for width in [0, 17] {
        let policy = ClusterPolicy { max_cluster_width: Some(width), ..DEFAULT };
        assert_eq!(fault(policy), PolicyError::MaxClusterWidth(width));
    }
    assert!(ClusterPolicy { max_cluster_width: Some(16), ..DEFAULT }.is_valid());
    for width in [0, 1, 7, 8, 16, 17] {
        let policy =
            ClusterPolicy { sizing: ClusterSizing::Portable, max_cluster_width: Some(width), ..DEFAULT };
        let expected = match width {
            1..=7 => Err(PolicyError::PortableWidth(width)),
            8..=16 => Ok(()),
            _ => Err(PolicyError::MaxClusterWidth(width)),
        };
        assert_eq!(policy.validate(), expected);
    }
}
