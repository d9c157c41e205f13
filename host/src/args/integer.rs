//! The integer types that an argument may be made of.

use super::{Argument, Immediate, KArg, Lowered, SegmentCount, SizeArg, sealed};
use crate::args::lowered::IntView;
use crate::memory::Memory;

/// An integer: `i8` to `i64`, `u8` to `u64`, `isize`, `usize`.
///
/// Not `bool` and not a float: neither counts anything.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "sizes, counts, offsets and k are integers",
    note = "use i8, i16, i32, i64, isize, u8, u16, u32, u64 or usize"
)]
pub trait Integer: sealed::Sealed + Copy + Send + Sync + core::fmt::Debug + 'static {
    /// The largest value of the type.
    const MAX: i128;
    /// The value, exactly.
    fn widen(self) -> i128;
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
    fn int_view<'a, M: Memory>(view: M::View<'a, Self>) -> IntView<'a, M>;
}

/// An integer type whose whole range is within the limit, so that it needs no bound: `u8`, `i8`, `u16`, `i16`.
#[diagnostic::on_unimplemented(
    message = "a deferred `{Self}` could exceed 2^31 - 1",
    label = "this deferred number needs a bound",
    note = "add `.bounds(0..=max)` with a maximum known at run time, or `.static_bounds::<0, MAX>()` with one known at compile time",
    note = "only u8, i8, u16 and i16 need no bound"
)]
pub trait NarrowInteger: Integer {}

macro_rules! integers {
    ($($t:ty => $variant:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Integer for $t {
            const MAX: i128 = <$t>::MAX as i128;
            fn widen(self) -> i128 {
                self as i128
            }
            #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
            fn int_view<'a, M: Memory>(view: M::View<'a, Self>) -> IntView<'a, M> {
                IntView::$variant(view)
            }
        }
        impl<'a, M: Memory> Argument<'a, M> for $t {
            const STATIC_MAX: i64 = <Immediate<$t> as Argument<'a, M>>::STATIC_MAX;
            #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
            fn lower(self) -> Lowered<'a, M> {
                Immediate::new(self).lower()
            }
        }
        impl<M: Memory> SizeArg<'_, M> for $t {}
        impl<M: Memory> KArg<'_, M> for $t {}
        impl SegmentCount for $t {
            fn count(self) -> i128 {
                Integer::widen(self)
            }
        }
    )*};
}
integers!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, isize => Isize,
          u8 => U8, u16 => U16, u32 => U32, u64 => U64, usize => Usize);

impl NarrowInteger for u8 {}
impl NarrowInteger for i8 {}
impl NarrowInteger for u16 {}
impl NarrowInteger for i16 {}
