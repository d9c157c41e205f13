//! Programmatic dependent launch (sm_90). Launches follow one another here, so there is nothing to wait for.

/// Waits until the grids that this one depends on have completed and their writes are visible: PTX
/// `griddepcontrol.wait`. Any thread that reads what they wrote.
pub fn wait_for_previous() {}

/// Says that the grids which depend on this one may start, once every block has said so or exited: PTX
/// `griddepcontrol.launch_dependents`. Any thread; the first of a block counts.
pub fn launch_dependents() {}
