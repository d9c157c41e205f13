//! From a call in device code to the machine: where threads give way, wait, and stop.

use crate::fiber;
use crate::launch::with;
use crate::machine::{Flow, Machine, Outcome};
use crate::site::{Op, Site};

/// Whether the thread unwinds: destructors are device code, but must neither wait nor touch anything.
fn unwinding() -> bool {
    std::thread::panicking()
}

/// The launch stops here; this fiber is never resumed.
#[cold]
fn stop(fault: Box<crate::Fault>) -> ! {
    with(|m| m.fault = Some(fault));
    loop {
        fiber::suspend();
    }
}

/// An operation that does not wait. Other threads may run before it.
#[track_caller]
#[inline]
pub(crate) fn step<R: Default>(op: Op, f: impl FnOnce(&mut Machine) -> Outcome<R>) -> R {
    let site = Site::here(op);
    if unwinding() {
        return R::default();
    }
    let done = with(|m| if m.begin(site) { Err(f) } else { Ok(f(m)) });
    let outcome = match done {
        Ok(outcome) => outcome,
        Err(f) => {
            fiber::suspend();
            with(f)
        }
    };
    match outcome {
        Ok(result) => result,
        Err(fault) => stop(fault),
    }
}

/// [`step`] for an operation that orders others and that a mutation may take out; nothing if it is.
#[track_caller]
#[inline]
pub(crate) fn order<R: Default>(op: Op, f: impl FnOnce(&mut Machine) -> Outcome<R>) -> R {
    let site = Site::here(op);
    step(op, |m| if m.removed(site) { Ok(R::default()) } else { f(m) })
}

/// An operation that may wait for other threads; what it gives.
#[track_caller]
#[inline]
pub(crate) fn rendezvous(op: Op, f: impl FnOnce(&mut Machine) -> Outcome<Flow>) -> u64 {
    let site = Site::here(op);
    let waits = step(op, |m| {
        if op.orders() && m.removed(site) {
            m.me().result = 1;
            return Ok(false);
        }
        Ok(f(m)? == Flow::Wait)
    });
    if unwinding() {
        return 0;
    }
    if waits {
        fiber::suspend();
    }
    with(|m| m.me().result)
}
