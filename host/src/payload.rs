//! What may travel with a key: a value, or the key's index.

use crate::memory::Memory;

/// A value that travels with a key: plain old data of 1 to 16 bytes.
///
/// Every [`bytemuck::Pod`] type is one (`#[repr(C)]` and `#[derive(bytemuck::Pod, bytemuck::Zeroable)]`); the size is
/// checked when the call is compiled.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot travel with a key",
    label = "not plain old data",
    note = "values are plain old data of 1 to 16 bytes: integers, floats, arrays of them, or a `repr(C)` type that derives `bytemuck::Pod` and `bytemuck::Zeroable`",
    note = "for anything else select indices (`max_indices`, `max_keys_and_indices`) and look the values up"
)]
pub trait Payload: bytemuck::Pod {}
// Otherwise the compiler would go on about what bytemuck asks of the type, and forget the notes above.
#[diagnostic::do_not_recommend]
impl<T: bytemuck::Pod> Payload for T {}

/// The width of a payload in bytes; 0 or more than 16 does not compile.
pub(crate) const fn payload_width<V: Payload>() -> usize {
    const {
        assert!(
            size_of::<V>() >= 1 && size_of::<V>() <= 16,
            "a value that travels with a key has 1 to 16 bytes: for a wider one select indices (`max_indices`, \
             `max_keys_and_indices`) and look the values up, for an empty one select keys alone (`max_keys`)"
        );
    };
    size_of::<V>()
}

mod sealed {
    pub trait Sealed {}
}

/// An integer type that indices are written as: `u32`, `i32`, `i64`.
///
/// Indices count from the start of their segment, so every one of them fits.
#[diagnostic::on_unimplemented(
    message = "indices cannot be written as `{Self}`",
    label = "not an index type",
    note = "give an output buffer of u32, i32 or i64; u32 holds every index, there are at most 2^31 - 1 keys in a segment"
)]
pub trait Index: sealed::Sealed + bytemuck::Pod + Send + Sync {
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
    fn output<'a, M: Memory>(view: M::ViewMut<'a, Self>) -> IndexOut<'a, M>;
    #[doc(hidden)]
    fn widen(self) -> i64;
}

/// An index output of any type.
pub(crate) enum IndexOut<'a, M: Memory> {
    U32(M::ViewMut<'a, u32>),
    I32(M::ViewMut<'a, i32>),
    I64(M::ViewMut<'a, i64>),
}

impl<M: Memory> IndexOut<'_, M> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::U32(view) => M::view_mut_len::<u32>(view),
            Self::I32(view) => M::view_mut_len::<i32>(view),
            Self::I64(view) => M::view_mut_len::<i64>(view),
        }
    }
}

macro_rules! indices {
    ($($t:ty => $variant:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Index for $t {
            #[allow(private_interfaces, reason = "a sealed trait's link to the engines")]
            fn output<'a, M: Memory>(view: M::ViewMut<'a, Self>) -> IndexOut<'a, M> {
                IndexOut::$variant(view)
            }
            fn widen(self) -> i64 {
                self.into()
            }
        }
    )*};
}
indices!(u32 => U32, i32 => I32, i64 => I64);
