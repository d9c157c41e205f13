//! Scratch memory, kept by the worker thread that used it last.

use super::select::{Bare, Placed};
use crate::key::Ranked;
use core::cell::Cell;

/// The buffers of one selection.
pub struct Scratch<R: Ranked> {
    /// The largest rank of each group.
    pub(super) delegates: Vec<R>,
    /// A copy of the delegates, or a sample of the keys, that may be reordered.
    pub(super) reordered: Vec<R>,
    /// The candidates, in the end the winners.
    pub(super) placed: Vec<Placed<R>>,
    /// The same, where nobody asks for their places.
    pub(super) bare: Vec<Bare<R>>,
}

/// More than this stays with no thread: a single huge segment must not pin memory for good.
const KEPT_BYTES: usize = 4 << 20;

impl<R: Ranked> Scratch<R> {
    const fn new() -> Self {
        Self { delegates: Vec::new(), reordered: Vec::new(), placed: Vec::new(), bare: Vec::new() }
    }

    fn bytes(&self) -> usize {
        (self.delegates.capacity() + self.reordered.capacity() + self.bare.capacity()) * size_of::<R>()
            + self.placed.capacity() * size_of::<R::Packed>()
    }
}

impl<R: Ranked> core::fmt::Debug for Scratch<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Scratch").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Widths of rank that a thread keeps scratch memory for.
pub trait Pooled: Ranked + bytemuck::Pod {
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
