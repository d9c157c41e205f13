//! A GPU's threads, memories and barriers on the CPU, under a strict, seeded scheduler.
//!
//! Device code that is written against an interface like that of [`device`] runs here without a GPU, and more strictly than on
//! one: an uninitialised read, a race or a missing fence stops the launch and says where, instead of giving a wrong result
//! now and then.
//!
//! ```
//! use cluster_topk_emulate::{Launch, Memory, Mode, Rule, Schedule, Use, device, launch};
//!
//! // Thread 0 writes what all others read. There should be a barrier in between.
//! let kernel = || {
//!     if device::thread_index() == 0 {
//!         device::store(device::own_shared(), 0, 4, 7);
//!     }
//!     device::load(device::own_shared(), 0, 4);
//! };
//! let shape = Launch { blocks: 1, threads: 64, cluster_width: 1, shared_bytes: 16 };
//! let schedule = Schedule { mode: Mode::Random, seed: 1 };
//! let fault = launch(&mut Memory::new(), shape, schedule, kernel).unwrap_err();
//! assert!(matches!(fault.rule, Rule::Race | Rule::Uninitialised));
//! println!("{fault}");
//! ```
//!
//! # How it works
//!
//! Each thread of the GPU is a fiber, and all fibers of a launch run on the thread that calls [`launch()`]. A fiber gives way
//! at an operation on memory when the scheduler says so, and at a barrier or an operation of its warp until those it waits for
//! have come. The scheduler draws from the seed of a [`Schedule`]: mode and seed are the interleaving, which replays from them.
//!
//! # What is checked
//!
//! Every [`Rule`] names one thing. Races are found by happens-before, not by luck: an access conflicts with an earlier one if no
//! chain of barriers, fences and atomic operations orders the two, whichever came first in this interleaving. What the
//! interleaving changes is which code runs at all, and the values that atomic operations leave.
//!
//! * Memory operations take effect in the order in which they are executed. The values that a weaker memory would show are not
//!   seen, only the lack of order that allows them.
//! * Votes, shuffles and reductions of a warp order nothing; `warp::sync` does.
//! * A thread that has exited counts as arrived at the block's and the cluster's barrier, and releases nothing.
//! * Blocks of a cluster start at different times. One block's access to another's shared memory must be ordered after the other's
//!   start, and before the exit of one of its threads.
//! * Bulk copies land late, in pieces, and in any order; never before the copy is issued.
//!
//! # What it does not show
//!
//! Timing, divergence within a warp beyond what the scheduler makes of it, `nanosleep`, textures, and everything that the
//! compiler for the GPU may get wrong. Miri cannot run it: fibers switch stacks by machine code.
//!
//! # Mutations
//!
//! A [`Report`] lists the places in the device code that order others. A launch with a [`Mutation`] takes one of them out: a test
//! suite that does not notice checks too little, or the barrier is not needed.

mod clock;
pub mod device;
mod fault;
mod fiber;
mod launch;
mod machine;
mod memory;
mod operation;
mod schedule;
mod shadow;
mod shared;
mod site;

pub use fault::{Fault, Place, Rule, ThreadId};
pub use launch::{Launch, Mutation, Options, launch};
pub use machine::Report;
pub use memory::{Buffer, Memory, Use};
pub use schedule::{Mode, Schedule};
pub use shadow::Scope;
pub use site::{Op, Site};
