//! Launching a kernel.

use crate::fault::{Fault, Rule};
use crate::fiber::{self, Fiber, Who};
use crate::machine::{Machine, Outcome, Report, Step};
use crate::memory::Memory;
use crate::schedule::Schedule;
use crate::site::Site;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid, a multiple of the cluster width.
    pub blocks: u32,
    /// Threads of a block, 1 to 1,024.
    pub threads: u32,
    /// Blocks of a cluster, 1 to 16.
    pub cluster_width: u32,
    /// Bytes of dynamic shared memory of a block, up to 227 KiB.
    pub shared_bytes: u32,
}

/// A fault that is put into the device code on purpose, to see it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The operation is not there. One of those that [`Report::sites`] lists.
    Remove(Site),
    /// The atomic operation has block scope. One of those that [`Report::scoped`] lists.
    Weaken(Site),
}

/// How a launch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The interleaving.
    pub schedule: Schedule,
    /// A fault to put in.
    pub mutation: Option<Mutation>,
    /// Operations in a row that may change nothing, before the launch counts as hung.
    pub patience: u64,
    /// Operations that the launch may take.
    pub max_operations: u64,
}

impl Options {
    /// Under a schedule, without a mutation.
    #[must_use]
    pub const fn new(schedule: Schedule) -> Self {
        Self { schedule, mutation: None, patience: 4_000_000, max_operations: u64::MAX }
    }
}

impl From<Schedule> for Options {
    fn from(schedule: Schedule) -> Self {
        Self::new(schedule)
    }
}

thread_local! {
    static MACHINE: Cell<*const RefCell<Machine>> = const { Cell::new(ptr::null()) };
}

/// Runs `f` on the machine of the launch under way on this thread.
///
/// # Panics
///
/// When there is none.
#[inline]
pub(crate) fn with<R>(f: impl FnOnce(&mut Machine) -> R) -> R {
    let machine = MACHINE.get();
    assert!(!machine.is_null(), "device code runs outside a launch");
    // SAFETY: `launch` sets the pointer to a value that it holds, and takes it back before it returns.
    let machine = unsafe { &*machine };
    f(&mut machine.borrow_mut())
}

/// Names the machine of a launch for as long as it runs.
struct Current;

impl Current {
    fn set(machine: &RefCell<Machine>) -> Self {
        assert!(MACHINE.get().is_null(), "a launch runs within a launch");
        MACHINE.set(machine);
        Self
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        MACHINE.set(ptr::null());
    }
}

/// Runs `kernel` once for every thread of the launch, interleaved as `options` say, until all have returned.
///
/// Threads that a fault leaves in the middle are never resumed: their destructors do not run. So a kernel keeps to what device
/// code does. What it must not do is lend something on its stack to another thread of the CPU, as `std::thread::scope` does.
///
/// # Errors
///
/// The first broken rule. The memory is then as the launch left it.
///
/// # Panics
///
/// When the shape is none that a GPU has, or another launch is under way on this thread.
#[track_caller]
pub fn launch(
    memory: &mut Memory,
    launch: Launch,
    options: impl Into<Options>,
    kernel: impl Fn() + 'static,
) -> Result<Report, Box<Fault>> {
    let Launch { blocks, threads, cluster_width, shared_bytes } = launch;
    assert!((1..=1024).contains(&threads), "{threads} threads in a block");
    assert!((1..=16).contains(&cluster_width), "clusters of {cluster_width}");
    assert!(blocks.is_multiple_of(cluster_width), "{blocks} blocks in clusters of {cluster_width}");
    assert!(shared_bytes <= 227 << 10, "{shared_bytes} bytes of shared memory");
    assert!(
        u64::from(blocks) * u64::from(threads) < 1 << 30,
        "{blocks} blocks are more than can be emulated"
    );

    memory.begin();
    let machine = RefCell::new(Machine::new(launch, options.into(), std::mem::take(memory)));
    let current = Current::set(&machine);
    let kernel: Rc<dyn Fn()> = Rc::new(move || {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(&kernel)) {
            let text = message(&*payload);
            with(|m| m.fault = m.fault.take().or_else(|| Some(m.fault(Rule::Panic, text))));
        }
    });
    let mut fibers: Vec<Option<Fiber>> = (0..blocks * threads).map(|_| None).collect();
    let result = run(&machine, &mut fibers, &kernel);
    fibers.into_iter().flatten().for_each(fiber::recycle);
    drop(current);
    let machine = machine.into_inner();
    *memory = machine.memory;
    result.map(|()| machine.report)
}

fn run(machine: &RefCell<Machine>, fibers: &mut [Option<Fiber>], kernel: &Rc<dyn Fn()>) -> Outcome<()> {
    let Launch { blocks, threads, cluster_width, .. } = machine.borrow().launch;
    loop {
        let step = machine.borrow_mut().next()?;
        match step {
            Step::Done => return Ok(()),
            Step::Start(block) => {
                for index in 0..threads {
                    let who = Who { index, block, threads, blocks, cluster_width };
                    fibers[(block * threads + index) as usize] = Some(fiber::new(who, kernel.clone()));
                }
            }
            Step::Run(tid) => {
                let slot = &mut fibers[tid as usize];
                let ended = slot.as_mut().is_some_and(fiber::resume);
                if let Some(fault) = machine.borrow_mut().fault.take() {
                    return Err(fault);
                }
                if ended {
                    slot.take().into_iter().for_each(fiber::recycle);
                    machine.borrow_mut().exit()?;
                }
            }
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}
