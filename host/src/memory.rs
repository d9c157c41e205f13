//! Where buffers live, and what the library accepts as one.
//!
//! An engine reads and writes one kind of memory. The argument types are generic over it, so that moving a call from the
//! CPU to a GPU changes the engine and the buffers and nothing else, and so that a buffer of the wrong kind does not
//! compile.

pub(crate) use sealed::Sealed;
mod sealed {
    pub trait Sealed {}
}

/// A kind of memory: what a borrowed, typed run of elements looks like there.
///
/// Sealed: the engines know every kind.
pub trait Memory: sealed::Sealed + Copy + core::fmt::Debug + 'static {
    /// A shared borrow of `T`s in this memory.
    type View<'a, T: Copy + 'a>: Copy + 'a;
    /// An exclusive borrow of `T`s in this memory.
    type ViewMut<'a, T: Copy + 'a>: 'a;
    /// The kind in an error's or a plan's words.
    const NAME: &'static str;

    /// The number of elements of a view.
    fn view_len<'a, T: Copy + 'a>(view: &Self::View<'a, T>) -> usize;
    /// The number of elements of an exclusive view.
    fn view_mut_len<'a, T: Copy + 'a>(view: &Self::ViewMut<'a, T>) -> usize;
    /// The bytes of a view.
    fn bytes<'a, T: bytemuck::Pod + 'a>(view: Self::View<'a, T>) -> Self::View<'a, u8>;
    /// The bytes of an exclusive view.
    fn bytes_mut<'a, T: bytemuck::Pod + 'a>(view: Self::ViewMut<'a, T>) -> Self::ViewMut<'a, u8>;
}

/// Ordinary memory of this process: slices, vectors, arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostMemory;
impl sealed::Sealed for HostMemory {}
impl Memory for HostMemory {
    type View<'a, T: Copy + 'a> = &'a [T];
    type ViewMut<'a, T: Copy + 'a> = &'a mut [T];
    const NAME: &'static str = "host memory";

    fn view_len<'a, T: Copy + 'a>(view: &&'a [T]) -> usize {
        view.len()
    }
    fn view_mut_len<'a, T: Copy + 'a>(view: &&'a mut [T]) -> usize {
        view.len()
    }
    fn bytes<'a, T: bytemuck::Pod + 'a>(view: &'a [T]) -> &'a [u8] {
        bytemuck::must_cast_slice(view)
    }
    fn bytes_mut<'a, T: bytemuck::Pod + 'a>(view: &'a mut [T]) -> &'a mut [u8] {
        bytemuck::must_cast_slice_mut(view)
    }
}

/// A buffer the library can read: `&[T]`, `&Vec<T>`, `&[T; N]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer that can be read",
    label = "expected a borrowed buffer",
    note = "pass a borrowed slice, vector or array of plain numbers, for example `&keys`",
    note = "for a buffer of one number write `&[number]`; elements that are not `Copy` cannot be read by an engine"
)]
pub trait Input<'a> {
    /// What the buffer holds.
    type Elem: Copy + 'a;
    /// Where it lives.
    type Memory: Memory;
    /// The borrow the engine works on.
    fn into_view(self) -> <Self::Memory as Memory>::View<'a, Self::Elem>;
}

/// A buffer the library can write: `&mut [T]`, `&mut Vec<T>`, `&mut [T; N]`.
///
/// A vector is written in place: its length is the room there is, it never grows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer that can be written",
    label = "expected an exclusively borrowed buffer",
    note = "pass a mutably borrowed slice, vector or array of plain numbers, for example `&mut out`"
)]
pub trait Output<'a> {
    /// What the buffer holds.
    type Elem: Copy + 'a;
    /// Where it lives.
    type Memory: Memory;
    /// The exclusive borrow the engine works on.
    fn into_view_mut(self) -> <Self::Memory as Memory>::ViewMut<'a, Self::Elem>;
}

macro_rules! host_buffers {
    ($([$($generics:tt)*] $buffer:ty;)*) => {$(
        impl<'a, T: Copy + 'a, $($generics)*> Input<'a> for &'a $buffer {
            type Elem = T;
            type Memory = HostMemory;
            fn into_view(self) -> &'a [T] {
                self
            }
        }
        impl<'a, T: Copy + 'a, $($generics)*> Output<'a> for &'a mut $buffer {
            type Elem = T;
            type Memory = HostMemory;
            fn into_view_mut(self) -> &'a mut [T] {
                self
            }
        }
    )*};
}
host_buffers! {
    [] [T];
    [] Vec<T>;
    [const N: usize] [T; N];
}
