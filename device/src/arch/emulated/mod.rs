//! The architecture that any CPU can stand in for: the threads of a launch are fibers, and every operation is checked.
//!
//! The machine itself is the crate `cluster-topk-emulate`; here are the names and signatures of `nvptx` in front of it. They
//! work inside one of that crate's launches. What each instruction is, and who must call it, is said in `nvptx`; what
//! becomes of someone who does not is a fault of the launch that names the line.

pub(in crate::arch) mod access;
mod atomic;

pub mod block;
#[cfg(feature = "cluster")]
pub mod bulk;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod fence;
pub mod global;
#[cfg(feature = "cluster")]
pub mod grid;
#[cfg(feature = "cluster")]
pub mod mbarrier;
pub mod named_barrier;
pub(super) mod opaque;
pub mod shared;
pub mod thread;
pub mod warp;

/// The emulator's name for a scope.
fn scope(scope: crate::arch::Scope) -> cluster_topk_emulate::Scope {
    use crate::arch::Scope;
    match scope {
        Scope::Block => cluster_topk_emulate::Scope::Block,
        #[cfg(feature = "cluster")]
        Scope::Cluster => cluster_topk_emulate::Scope::Cluster,
        Scope::Device => cluster_topk_emulate::Scope::Device,
    }
}
