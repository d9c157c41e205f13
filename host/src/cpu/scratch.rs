//! Scratch memory, kept by the worker thread that used it last.

use crate::key::Ranked;
use core::cell::Cell;

/// The buffers of one selection.
#[derive(Debug)]
pub struct Scratch<R: Ranked> {
    /// The largest rank of each group.
    pub(super) delegates: Vec<R>,
    /// A copy of the delegates that may be reordered.
    pub(super) reordered: Vec<R>,
    /// The candidates, in the end the winners.
    pub(super) winners: Vec<R::Packed>,
}

/// More than this stays with no thread: a single huge segment must not pin memory for good.
const KEPT_BYTES: usize = 4 << 20;

impl<R: Ranked> Scratch<R> {
    const fn new() -> Self {
        Self { delegates: Vec::new(), reordered: Vec::new(), winners: Vec::new() }
    }

    fn bytes(&self) -> usize {
        (self.delegates.capacity() + self.reordered.capacity()) * size_of::<R>()
            + self.winners.capacity() * size_of::<R::Packed>()
    }
}

/// Widths of rank that a thread keeps scratch memory for.
pub trait Pooled: Ranked {
    /// Lends this thread's scratch memory to `f`.
    ///
    /// It is taken out, not borrowed: while `f` waits for other threads, this one may be handed another segment, which then
    /// finds nothing and starts afresh.
    fn with_scratch<T>(f: impl FnOnce(&mut Scratch<Self>) -> T) -> T;
}

macro_rules! pooled {
    ($($rank:ty)*) => {$(
        impl Pooled for $rank {
            fn with_scratch<T>(f: impl FnOnce(&mut Scratch<Self>) -> T) -> T {
                thread_local! {
                    static KEPT: Cell<Scratch<$rank>> = const { Cell::new(Scratch::new()) };
                }
                let mut scratch = KEPT.replace(Scratch::new());
                let result = f(&mut scratch);
                if scratch.bytes() <= KEPT_BYTES {
                    KEPT.set(scratch);
                }
                result
            }
        }
    )*};
}
pooled!(u8 u16 u32 u64);
