//! Kernels that must stop with one rule, or must not stop, under every schedule.
#![allow(dead_code, reason = "no test file needs all of it")]

use cluster_topk_emulate::device::{self, Space};
use cluster_topk_emulate::{Fault, Launch, Memory, Mode, Report, Rule, Schedule, launch};

/// Seeds a mode.
pub(crate) const SEEDS: u64 = 20;

pub(crate) const fn blocks(blocks: u32, threads: u32) -> Launch {
    Launch { blocks, threads, cluster_width: 1, shared_bytes: 1024 }
}

pub(crate) const fn cluster(width: u32, threads: u32) -> Launch {
    Launch { blocks: width, threads, cluster_width: width, shared_bytes: 1024 }
}

/// All schedules that tests try: 100 of them.
pub(crate) fn schedules() -> impl Iterator<Item = Schedule> {
    Mode::ALL.into_iter().flat_map(|mode| (0..SEEDS).map(move |seed| Schedule { mode, seed }))
}

/// The fault that every schedule ends in.
#[track_caller]
pub(crate) fn stops<R: 'static>(
    shape: Launch,
    rule: Rule,
    kernel: impl Fn() -> R + Clone + 'static,
) -> Fault {
    stops_with(shape, &[rule], kernel, |_| ())
}

/// [`stops`] with one of several rules: which one is seen first is the schedule's choice. `memory` makes the buffers.
#[track_caller]
pub(crate) fn stops_with<R: 'static, B>(
    shape: Launch,
    rules: &[Rule],
    kernel: impl Fn() -> R + Clone + 'static,
    memory: impl Fn(&mut Memory) -> B,
) -> Fault {
    let mut last = None;
    for schedule in schedules() {
        let mut buffers = Memory::new();
        memory(&mut buffers);
        match launch(&mut buffers, shape, schedule, quiet(&kernel)) {
            Ok(_) => panic!("no fault under {schedule}"),
            Err(fault) => {
                assert!(rules.contains(&fault.rule), "expected one of {rules:?}: {fault}");
                assert_eq!(fault.schedule, schedule);
                last = Some(*fault);
            }
        }
    }
    last.expect("there are schedules")
}

/// The report of the last of all schedules, none of which ends in a fault.
#[track_caller]
pub(crate) fn runs<R: 'static>(shape: Launch, kernel: impl Fn() -> R + Clone + 'static) -> Report {
    runs_with(shape, kernel, |_| ())
}

#[track_caller]
pub(crate) fn runs_with<R: 'static, B>(
    shape: Launch,
    kernel: impl Fn() -> R + Clone + 'static,
    memory: impl Fn(&mut Memory) -> B,
) -> Report {
    let mut last = None;
    for schedule in schedules() {
        let mut buffers = Memory::new();
        memory(&mut buffers);
        match launch(&mut buffers, shape, schedule, quiet(&kernel)) {
            Ok(report) => last = Some(report),
            Err(fault) => panic!("{fault}"),
        }
    }
    last.expect("there are schedules")
}

/// The kernel without what it returns.
fn quiet<R>(kernel: &(impl Fn() -> R + Clone + 'static)) -> impl Fn() + 'static {
    let kernel = kernel.clone();
    move || {
        kernel();
    }
}

pub(crate) fn me() -> u32 {
    device::thread_index()
}

pub(crate) fn own() -> Space {
    device::own_shared()
}

/// Word `index` of the block's shared memory.
#[track_caller]
pub(crate) fn get(index: u32) -> u32 {
    device::load(own(), u64::from(index) * 4, 4) as u32
}

#[track_caller]
pub(crate) fn put(index: u32, value: u32) {
    device::store(own(), u64::from(index) * 4, 4, value.into());
}

/// A global address, as in [`Memory`] with one buffer.
pub(crate) const FIRST: u64 = 0x7_0000_0000;
