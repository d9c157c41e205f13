//! Large k, for which winners fit no list: against the host, by kernels that their names tell.

use super::device::Device;
use super::harness::{Outcome, Tests};
use super::limits::has_room;
use super::long::{Long, LongKey};
use super::special::DIRECTIONS;
use cluster_topk::gpu::ClusterCaps;
use cluster_topk_tests::cover::PAIRS;
use cluster_topk_tests::expected::Expected;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::runner::gpu::of_gpu;
use half::{bf16, f16};

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("quick::large_k", |device| {
        device.has_clusters()?;
        let caps =
            |width| ClusterCaps { max_cluster_width: Some(width), max_slots: Some(2), ..ClusterCaps::NONE };
        of_every_key(device, 30_011, &[caps(2)], false)
    });
    tests.add_skippable("large_k::every_key_and_arrangement", |device| {
        device.has_clusters()?;
        let caps = |width| ClusterCaps { max_cluster_width: Some(width), ..ClusterCaps::NONE };
        of_every_key(device, 200_003, &[ClusterCaps::NONE, caps(8), caps(1)], true)
    });
    tests.add_skippable("large_k::millions", |device| {
        has_room(device, 64 << 20)?;
        of::<f32>(device, 2 << 20, &[ClusterCaps::NONE], true);
        of::<f32>(device, 5_000_001, &[ClusterCaps::NONE], false);
        Ok(())
    });
}

fn of_every_key(device: &Device, len: usize, caps: &[ClusterCaps], all: bool) -> Outcome {
    of::<u8>(device, len, caps, all);
    of::<f16>(device, len, caps, all);
    of::<bf16>(device, len, caps, all);
    of::<f32>(device, len, caps, all);
    of::<u64>(device, len, caps, all);
    Ok(())
}

/// Keys of any bits in any order, in both sorted ones, so that some block holds all winners or all that is near the k-th, and few
/// distinct ones.
fn arrangements<K: TestKey>(len: usize) -> [(&'static str, Vec<K>); 4] {
    let any: Vec<K> = keys(&mut rng(3), Distribution::Bits, len);
    let mut ascending = any.clone();
    ascending.sort_by(|left, right| left.order(*right));
    let descending = ascending.iter().rev().copied().collect();
    let few = keys(&mut rng(4), Distribution::FewDistinct, len);
    [("any order", any), ("ascending", ascending), ("descending", descending), ("few distinct", few)]
}

/// A segment that starts within a line; with `all`, every arrangement and both directions.
fn of<K: LongKey>(device: &Device, len: usize, caps: &[ClusterCaps], all: bool) {
    for (arrangement, keys) in arrangements::<K>(len + 1).into_iter().take(if all { 4 } else { 2 }) {
        let buffer = device.stream().clone_htod(&keys).expect("the GPU has room");
        for caps in caps {
            let runner = device.runner.on_clusters(*caps);
            let segment = Long { gpu: runner.gpu(), keys: &buffer.slice(1..), stride: 1 };
            for (k, direction) in [len / 5, len / 2, len - 1].into_iter().zip(DIRECTIONS.into_iter().cycle())
            {
                let expected = Expected::of(&keys[1..], k, direction);
                let plan = segment.check(arrangement, &PAIRS, direction, &expected);
                // Of fewer keys than all lists hold, all are listed.
                let gpu = of_gpu(&plan);
                let listed = 1920 * gpu.cluster_width as usize;
                assert_eq!(gpu.kernel.starts_with("large_"), 3 * k > 2 * listed, "{plan}");
            }
        }
    }
}
