//! What every form of a number comes down to.

use crate::memory::{HostMemory, Memory};

/// A number with its source and its bounds, the forms' types gone.
#[derive(Debug)]
pub(crate) struct Lowered<'a, M: Memory> {
    /// Where the number is.
    pub(crate) source: Source<'a, M>,
    /// The smallest value stated.
    pub(crate) lo: i128,
    /// The largest value stated.
    pub(crate) hi: i128,
}

impl<M: Memory> Clone for Lowered<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Memory> Copy for Lowered<'_, M> {}

/// Where a number is.
pub(crate) enum Source<'a, M: Memory> {
    /// The host knows it.
    Immediate(i128),
    /// One number in memory.
    Deferred(IntView<'a, M>),
    /// One number per segment in memory.
    Sequence(IntView<'a, M>),
}

impl<M: Memory> Clone for Source<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Memory> Copy for Source<'_, M> {}

impl<M: Memory> core::fmt::Debug for Source<'_, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Immediate(value) => write!(f, "{value}"),
            Self::Deferred(_) => write!(f, "one number in {}", M::NAME),
            Self::Sequence(_) => write!(f, "one number per segment in {}", M::NAME),
        }
    }
}

macro_rules! int_view {
    ($($variant:ident($t:ty)),*) => {
        /// A run of integers of any type.
        pub(crate) enum IntView<'a, M: Memory> {
            $(#[allow(missing_docs)] $variant(M::View<'a, $t>),)*
        }
        impl<M: Memory> Clone for IntView<'_, M> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<M: Memory> Copy for IntView<'_, M> {}

        impl<M: Memory> IntView<'_, M> {
            /// The number of integers.
            pub(crate) fn len(&self) -> usize {
                match self {
                    $(Self::$variant(view) => M::view_len::<$t>(view),)*
                }
            }
        }
        impl IntView<'_, HostMemory> {
            /// The `i`-th integer, exactly; `None` past the end.
            pub(crate) fn get(&self, i: usize) -> Option<i128> {
                match self {
                    $(Self::$variant(view) => view.get(i).map(|&value| value as i128),)*
                }
            }
        }
    };
}
int_view!(
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    Isize(isize),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    Usize(usize)
);
