//! Fibers: one for each thread of the GPU, all on the thread that launches.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use std::cell::{Cell, RefCell};
use std::ptr;
use std::rc::Rc;

/// Bytes of a fiber's stack: agents keep their keys there, and a panic with a backtrace needs about 24 KiB.
const STACK_BYTES: usize = 64 << 10;
/// Stacks kept for the next launch.
const KEPT: usize = 4096;

pub(crate) type Fiber = Coroutine<(), (), (), DefaultStack>;

/// Where and who a thread is, for the operations that only ask that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    pub(crate) index: u32,
    pub(crate) block: u32,
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
    pub(crate) cluster_width: u32,
}

thread_local! {
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(ptr::null()) };
    static WHO: Cell<Option<Who>> = const { Cell::new(None) };
    static POOL: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// The thread that runs.
pub(crate) fn who() -> Option<Who> {
    WHO.get()
}

/// A fiber that has not begun.
pub(crate) fn new(who: Who, body: Rc<dyn Fn()>) -> Fiber {
    let pooled = POOL.with_borrow_mut(Vec::pop);
    let stack =
        pooled.unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("no memory for a fiber's stack"));
    Coroutine::with_stack(stack, move |yielder, ()| {
        YIELDER.set(yielder);
        WHO.set(Some(who));
        body();
    })
}

/// Leaves the fiber that runs, until it is resumed.
pub(crate) fn suspend() {
    let (yielder, who) = (YIELDER.get(), WHO.get());
    assert!(!yielder.is_null(), "only a fiber can be suspended");
    // SAFETY: a fiber sets the pointer when it begins and after each suspension, so it is that of the fiber that runs here,
    // whose yielder lives as long as it does.
    unsafe { &*yielder }.suspend(());
    YIELDER.set(yielder);
    WHO.set(who);
}

/// Runs a fiber until it suspends itself or ends; whether it has ended.
pub(crate) fn resume(fiber: &mut Fiber) -> bool {
    let ended = fiber.resume(()).as_return().is_some();
    YIELDER.set(ptr::null());
    WHO.set(None);
    ended
}

/// Keeps a fiber's stack for the next one. What a fiber that has not ended holds is leaked, not dropped: destructors are
/// device code, and thousands of unwindings would take longer than the launch.
pub(crate) fn recycle(mut fiber: Fiber) {
    if !fiber.done() {
        if !fiber.started() {
            return;
        }
        // SAFETY: nothing outside the fiber points into its stack: a kernel borrows nothing from outside and, as `launch` asks,
        // lends nothing to other threads; and the operations that suspend it hold no borrow then.
        unsafe { fiber.force_reset() }
    }
    POOL.with_borrow_mut(|pool| {
        if pool.len() < KEPT {
            pool.push(fiber.into_stack());
        }
    });
}
