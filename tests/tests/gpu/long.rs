//! Calls over one long segment on the GPU.

use cluster_topk::Gpu;
use cluster_topk::cudarc::driver::{CudaView, DeviceRepr, ValidAsZeroBits};
use cluster_topk::env::ForceCluster;
use cluster_topk::gpu::Streaming;
use cluster_topk::plan::Plan;
use cluster_topk::prelude::*;
use cluster_topk::requirement::Requirements;
use cluster_topk_tests::expected::Expected;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::request::{Direction, Pair};
use cluster_topk_tests::runner::gpu::of_gpu;

/// Keys that cudarc's buffers hold.
pub(crate) trait LongKey: TestKey + DeviceRepr + ValidAsZeroBits {}
impl<K: TestKey + DeviceRepr + ValidAsZeroBits> LongKey for K {}

/// One segment, every `stride`-th key of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Long<'d, K> {
    pub(crate) gpu: &'d Gpu,
    pub(crate) keys: &'d CudaView<'d, K>,
    pub(crate) stride: usize,
}

/// What a call wrote, and how it was planned.
#[derive(Debug)]
pub(crate) struct Selected<K> {
    pub(crate) plan: Plan,
    pub(crate) keys: Vec<K>,
    pub(crate) indices: Vec<u32>,
}

impl<K: LongKey> Long<'_, K> {
    /// Selects by the cluster backend.
    pub(crate) fn select(&self, pair: Pair, direction: Direction, k: usize) -> Selected<K> {
        match pair {
            Pair::NotGuaranteed => self.under((NotGuaranteed, Unspecified, Unsorted), direction, k),
            Pair::RunToRun => self.under((RunToRun, Unspecified, Unsorted), direction, k),
            Pair::GpuToGpu => self.under((GpuToGpu, Unspecified, Unsorted), direction, k),
            Pair::Smaller => self.under((GpuToGpu, PreferSmallerIndex, Unsorted), direction, k),
            Pair::Larger => self.under((GpuToGpu, PreferLargerIndex, Unsorted), direction, k),
        }
    }

    fn under<R: Requirements>(&self, requirement: R, direction: Direction, k: usize) -> Selected<K> {
        let env = Env::gpu(self.gpu.clone()).require(requirement).backend(ForceCluster);
        let stream = self.gpu.stream();
        let mut keys = stream.alloc_zeros::<K>(k).expect("the GPU has room");
        let mut indices = stream.alloc_zeros::<u32>(k).expect("the GPU has room");
        let segment = || Segments::single(self.keys).element_stride(self.stride);
        let plan = match direction {
            Direction::Largest => {
                let request = max_keys_and_indices(segment(), k, &mut keys, &mut indices);
                let plan = request.plan(&env).expect("it is planned");
                request.run(&env).expect("it is served");
                plan
            }
            Direction::Smallest => {
                let request = min_keys_and_indices(segment(), k, &mut keys, &mut indices);
                let plan = request.plan(&env).expect("it is planned");
                request.run(&env).expect("it is served");
                plan
            }
        };
        let keys = stream.clone_dtoh(&keys).expect("the GPU failed");
        let indices = stream.clone_dtoh(&indices).expect("the GPU failed");
        stream.synchronize().expect("the GPU failed");
        Selected { plan, keys, indices }
    }

    /// Selects and checks, and prints once what stayed in shared memory; the plan under the last of the pairs.
    pub(crate) fn check(
        &self,
        name: &str,
        pairs: &[Pair],
        direction: Direction,
        expected: &Expected<K>,
    ) -> Plan {
        let mut last = None;
        for &pair in pairs {
            let Selected { plan, keys, indices } = self.select(pair, direction, expected.k);
            let name = format!("{name} {} {direction:?} k = {}", K::NAME, expected.k);
            if last.is_none() {
                println!("# {name}: {}", residency(&plan));
            }
            let items = indices.into_iter().zip(keys).collect();
            expected.check(items, pair).unwrap_or_else(|wrong| panic!("{name} {pair:?}: {wrong}"));
            last = Some(plan);
        }
        last.expect("there is a pair")
    }
}

/// Asserts that chunks pass through the slots if they always are to, and are more than these; for large k they do in any case.
pub(crate) fn heeds(plan: &Plan, streaming: Streaming) {
    let gpu = of_gpu(plan);
    let too_many = gpu.cluster.as_ref().is_some_and(|cluster| cluster.reread_chunks > 0);
    if streaming == Streaming::Always {
        let is_large = gpu.kernel.starts_with("large_");
        assert_eq!(gpu.kernel.starts_with("stream_"), too_many && !is_large, "{plan}");
    }
}

/// What each block of a cluster keeps of its share, by the plan.
pub(crate) fn residency(plan: &Plan) -> String {
    let gpu = of_gpu(plan);
    let cluster = gpu.cluster.as_ref().expect("the cluster backend is forced");
    format!(
        "{} blocks, each with up to {} chunks, {} in shared memory and {} beyond, {} ({})",
        gpu.cluster_width,
        cluster.chunks_per_block,
        cluster.resident_chunks,
        cluster.reread_chunks,
        gpu.kernel,
        cluster.width_reason
    )
}
