//! Programmatic dependent launch (sm_90): a kernel that starts while the one before it in its stream still runs.

use core::arch::asm;

/// Waits until the grids that this one depends on have completed and their writes are visible: PTX
/// `griddepcontrol.wait` (sm_90, PTX ISA 7.8). Any thread that reads what they wrote; returns at once where the launch
/// is an ordinary one.
#[inline(always)]
pub fn wait_for_previous() {
    // SAFETY: waits, touches no memory of its own.
    unsafe { asm!("griddepcontrol.wait;", options(nostack, preserves_flags)) }
}

/// Says that the grids which depend on this one may start, once every block has said so or exited: PTX
/// `griddepcontrol.launch_dependents` (sm_90, PTX ISA 7.8). Any thread; the first of a block counts.
#[inline(always)]
pub fn launch_dependents() {
    // SAFETY: a hint to the scheduler.
    unsafe { asm!("griddepcontrol.launch_dependents;", options(nostack, preserves_flags)) }
}
