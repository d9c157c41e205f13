//! Fences: they order this thread's memory accesses and wait for nobody. Any thread.

use cluster_topk_emulate::{Scope, device};

/// Orders this thread's accesses for the block: PTX `fence.acq_rel.cta`.
#[track_caller]
pub fn block() {
    device::fence(Scope::Block);
}

/// Orders this thread's accesses for the cluster: PTX `fence.acq_rel.cluster`.
#[cfg(feature = "cluster")]
#[track_caller]
pub fn cluster() {
    device::fence(Scope::Cluster);
}

/// Orders this thread's accesses for the GPU: PTX `fence.acq_rel.gpu`.
#[track_caller]
pub fn device() {
    device::fence(Scope::Device);
}

/// Orders this thread's ordinary accesses to shared memory and the bulk copies that it or, after a barrier, another
/// thread starts: PTX `fence.proxy.async.shared::cta`.
#[cfg(feature = "cluster")]
#[track_caller]
pub fn proxy_async() {
    device::fence_proxy_async();
}
