//! The hardware, one concept per file.
//!
//! Everything that threads share goes through here: [`shared`] and [`global`] memory, the [`block`], [`named_barrier`]
//! and [`warp`] operations, and on sm_90 (feature `cluster`) [`cluster`], [`mbarrier`], [`bulk`] and [`grid`]. On a GPU
//! the modules below come from `nvptx`, elsewhere from `emulated`, which runs the same agents on a CPU and checks what they
//! promise. Both offer the same names and signatures, and no code above can tell.
//!
//! # Who promises what
//!
//! * **Collective operations are `unsafe fn`s.** Their contract is about control flow: which threads must arrive. The
//!   argument belongs where the call is, since it is there that one sees whether a branch or a loop bound is uniform.
//! * **Memory handles are made by `unsafe fn`s and used by safe ones.** [`shared::Shared`] and [`global::Global`] carry
//!   their length. Whoever makes one promises that the memory is there, and that the code which is handed it keeps
//!   every index below the length and separates conflicting accesses by barriers. Loads and stores are opaque to the
//!   compiler and every element type accepts every bit pattern, so a race gives a wrong value and nothing worse; an
//!   implementation that runs on a CPU checks both promises at every access.
//! * **A peer's shared memory has a type of its own** ([`cluster::ClusterShared`], an address of type
//!   [`cluster::ClusterAddr`]). Neither converts to a pointer nor to a local handle.
//!
//! # Convergence
//!
//! The compiler must neither duplicate nor move an operation that threads execute together. LLVM knows that of its own
//! intrinsics and of no `asm!`, so those operations are intrinsics; `asm!` serves those which a thread executes for
//! itself.

#[cfg(not(target_arch = "nvptx64"))]
mod emulated;
#[cfg(target_arch = "nvptx64")]
mod nvptx;
/// The implementation that is compiled.
#[cfg(not(target_arch = "nvptx64"))]
use emulated as machine;
#[cfg(target_arch = "nvptx64")]
use nvptx as machine;
mod scalar;
mod scope;

pub use machine::fence;
pub use machine::opaque::opaque;
pub use machine::{block, global, named_barrier, shared, thread, warp};
#[cfg(feature = "cluster")]
pub use machine::{bulk, cluster, grid, mbarrier};
pub use scalar::{Scalar, Vec16};
pub use scope::Scope;
