//! Buffers in the memory of a GPU.

use crate::error::{BufferName, Error};
use crate::memory::{Input, Memory, Output};
use core::marker::PhantomData;
use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop};

/// The memory of a CUDA device: cudarc's slices and views, and [raw pointers](DeviceView::from_raw).
///
/// # What keeps a buffer alive
///
/// A GPU call returns before the work is done. Buffers of cudarc's types may be dropped or reused right after the call: their
/// memory is freed in stream order, and where several streams are in play cudarc's events make the streams wait for each
/// other. Whoever passes a raw pointer keeps the memory alive, and away from other work, until the stream has passed the call.
/// So does whoever passes a buffer of cust's (feature `cust`), unless it is borrowed by a scope, which waits: see `gpu::cust`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceMemory;

/// A shared borrow of `len` elements in device memory.
pub struct DeviceView<'a, T> {
    pub(super) source: Source<'a>,
    pub(super) len: usize,
    pub(super) elements: PhantomData<&'a [T]>,
}

/// An exclusive borrow of `len` elements in device memory.
pub struct DeviceViewMut<'a, T> {
    pub(super) source: SourceMut<'a>,
    pub(super) len: usize,
    pub(super) elements: PhantomData<&'a mut [T]>,
}

#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Managed(&'a dyn Readable),
    Raw(u64),
}

pub(super) enum SourceMut<'a> {
    Managed(&'a mut dyn Writable),
    Raw(u64),
}

/// A buffer that a stream may read once it has waited for the last writer.
pub(super) trait Readable {
    /// Refuses a stream that cannot work on the buffer; `name` is the buffer's in the error.
    fn check(&self, stream: &CudaStream, name: BufferName) -> Result<(), Error>;
    fn acquire<'s>(&'s self, stream: &'s CudaStream) -> (u64, SyncOnDrop<'s>);
}

/// A buffer that a stream may write once it has waited for the last readers and writer.
pub(super) trait Writable {
    /// As [`Readable::check`].
    fn check(&self, stream: &CudaStream, name: BufferName) -> Result<(), Error>;
    fn acquire_mut<'s>(&'s mut self, stream: &'s CudaStream) -> (u64, SyncOnDrop<'s>);
}

impl<T> DeviceView<'_, T> {
    /// How many elements.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The `len` elements at the device address `address`.
    ///
    /// # Safety
    ///
    /// The elements lie in memory of the device that the engine runs on, initialised, aligned to `T`, and nobody frees or
    /// writes them until the engine's stream has passed every call that the view was given to.
    #[allow(unsafe_code, reason = "the caller vouches for an address that nothing can check")]
    #[must_use]
    pub const unsafe fn from_raw(address: u64, len: usize) -> Self {
        Self { source: Source::Raw(address), len, elements: PhantomData }
    }
}

impl<T> DeviceViewMut<'_, T> {
    /// How many elements.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The `len` elements at the device address `address`.
    ///
    /// # Safety
    ///
    /// The elements lie in memory of the device that the engine runs on, aligned to `T`, and nobody else frees, reads or
    /// writes them until the engine's stream has passed the call that the view was given to.
    #[allow(unsafe_code, reason = "the caller vouches for an address that nothing can check")]
    #[must_use]
    pub const unsafe fn from_raw(address: u64, len: usize) -> Self {
        Self { source: SourceMut::Raw(address), len, elements: PhantomData }
    }
}

impl<T> Clone for DeviceView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DeviceView<'_, T> {}

impl<T> core::fmt::Debug for DeviceView<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DeviceView").field("len", &self.len).finish_non_exhaustive()
    }
}
impl<T> core::fmt::Debug for DeviceViewMut<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DeviceViewMut").field("len", &self.len).finish_non_exhaustive()
    }
}

impl crate::memory::Sealed for DeviceMemory {}
impl Memory for DeviceMemory {
    type View<'a, T: Copy + 'a> = DeviceView<'a, T>;
    type ViewMut<'a, T: Copy + 'a> = DeviceViewMut<'a, T>;
    const NAME: &'static str = "device memory";

    fn view_len<'a, T: Copy + 'a>(view: &DeviceView<'a, T>) -> usize {
        view.len
    }
    fn view_mut_len<'a, T: Copy + 'a>(view: &DeviceViewMut<'a, T>) -> usize {
        view.len
    }
    fn bytes<'a, T: bytemuck::Pod + 'a>(view: DeviceView<'a, T>) -> DeviceView<'a, u8> {
        DeviceView { source: view.source, len: view.len * size_of::<T>(), elements: PhantomData }
    }
    fn bytes_mut<'a, T: bytemuck::Pod + 'a>(view: DeviceViewMut<'a, T>) -> DeviceViewMut<'a, u8> {
        DeviceViewMut { source: view.source, len: view.len * size_of::<T>(), elements: PhantomData }
    }
}

impl<'a, T: Copy + 'a> Input<'a> for DeviceView<'a, T> {
    type Elem = T;
    type Memory = DeviceMemory;
    fn into_view(self) -> Self {
        self
    }
}
impl<'a, T: Copy + 'a> Output<'a> for DeviceViewMut<'a, T> {
    type Elem = T;
    type Memory = DeviceMemory;
    fn into_view_mut(self) -> Self {
        self
    }
}

fn same_context(own: &CudaStream, stream: &CudaStream, buffer: BufferName) -> Result<(), Error> {
    if own.context() == stream.context() { Ok(()) } else { Err(Error::WrongDevice { buffer }) }
}

macro_rules! readable {
    ($($buffer:ty),*) => {$(
        impl<T> Readable for $buffer {
            fn check(&self, stream: &CudaStream, name: BufferName) -> Result<(), Error> {
                same_context(cudarc::driver::DeviceSlice::stream(self), stream, name)
            }
            fn acquire<'s>(&'s self, stream: &'s CudaStream) -> (u64, SyncOnDrop<'s>) {
                self.device_ptr(stream)
            }
        }
        impl<'a, T: Copy + 'a> Input<'a> for &'a $buffer {
            type Elem = T;
            type Memory = DeviceMemory;
            fn into_view(self) -> DeviceView<'a, T> {
                DeviceView { source: Source::Managed(self), len: self.len(), elements: PhantomData }
            }
        }
    )*};
}
readable!(CudaSlice<T>, CudaView<'_, T>);

macro_rules! writable {
    ($($buffer:ty),*) => {$(
        impl<T> Writable for $buffer {
            fn check(&self, stream: &CudaStream, name: BufferName) -> Result<(), Error> {
                same_context(cudarc::driver::DeviceSlice::stream(self), stream, name)
            }
            fn acquire_mut<'s>(&'s mut self, stream: &'s CudaStream) -> (u64, SyncOnDrop<'s>) {
                self.device_ptr_mut(stream)
            }
        }
        impl<'a, T: Copy + 'a> Output<'a> for &'a mut $buffer {
            type Elem = T;
            type Memory = DeviceMemory;
            fn into_view_mut(self) -> DeviceViewMut<'a, T> {
                let len = self.len();
                DeviceViewMut { source: SourceMut::Managed(self), len, elements: PhantomData }
            }
        }
    )*};
}
writable!(CudaSlice<T>, CudaViewMut<'_, T>);
