//! The device code of cluster-topk.
//!
//! Layers, lowest first:
//!
//! * `arch`: what the hardware does, one concept per file. The only place with `asm!` and LLVM intrinsics.
//! * `primitives`: scans, reductions and searches by a warp or a block, in terms of `arch`.
//! * `agents`: what one block (or one cluster) does for its segments, in terms of both.
//! * [`kernels`]: the entry points, each an agent with its compile-time parameters chosen, and the table of their
//!   launch bounds.
//!
//! # How it is compiled
//!
//! `cargo xtask device build` compiles the crate for `nvptx64-nvidia-cuda`, once for every GPU from sm_80 on and once,
//! with the feature `cluster`, for those from sm_90 on. Elsewhere the crate is an ordinary library without entry points:
//! the build tool reads [`KERNELS`] from it, and tests run the agents in a launch of the `cluster-topk-emulate` crate.
//!
//! # Rules for code above `arch`
//!
//! * Shared memory, global memory, barriers and warp operations only through `arch`; no reference into shared memory,
//!   ever: handles are `Copy` and give values.
//! * No path to a panic: no slice indexing by a run-time index, no `unwrap`, no division by a run-time value that the
//!   compiler cannot see to be non-zero. `cargo xtask device check` fails on one.
//! * A kernel's by-value parameter block is read field by field; indexing an array in it at run time would copy it to
//!   local memory. The check fails on that too.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(
        abi_ptx,
        abi_unadjusted,
        asm_experimental_arch,
        core_intrinsics,
        gpu_intrinsics,
        gpu_launch_sized_workgroup_mem,
        link_llvm_intrinsics,
        stdarch_nvptx
    )
)]
// `core`'s intrinsics are the only way to dynamic shared memory; the crate is built with one known compiler.
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

pub mod agents;
pub mod arch;
pub mod kernels;
pub mod params;
pub mod primitives;

pub use kernels::{KERNELS, Kernel};

/// The handler that `no_std` demands. No kernel reaches it: the device check fails on a call to it.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::intrinsics::abort()
}
