//! The architecture that NVIDIA GPUs have: `core::arch::nvptx`, LLVM's NVPTX intrinsics, and `asm!`.
//!
//! Each function's documentation names its PTX instruction, the least architecture and PTX ISA version (nothing where
//! sm_80 and PTX ISA 7.0 suffice), and which threads must call it.

pub(in crate::arch) mod access;
mod atomic;
mod intrinsics;

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
