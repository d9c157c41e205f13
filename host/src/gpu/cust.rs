//! Calls on [cust]'s streams and buffers (feature `cust`).
//!
//! ```no_run
//! use cluster_topk::{Gpu, prelude::*};
//! use cust::{memory::DeviceBuffer, stream::{Stream, StreamFlags}};
//!
//! let _context = cust::quick_init()?;
//! let stream: &'static Stream = Box::leak(Box::new(Stream::new(StreamFlags::DEFAULT, None)?));
//! let scores = DeviceBuffer::from_slice(&[0.5f32; 64 * 4096])?;
//! let mut best = DeviceBuffer::from_slice(&[0f32; 64 * 8])?;
//!
//! let gpu = Gpu::on_cust(stream)?;
//! let env = Env::gpu(gpu.clone()).require((NotGuaranteed, Unspecified, Unsorted));
//! gpu.cust_scope(|scope| {
//!     let scores = scope.read(&scores);
//!     let mut best = scope.write(&mut best);
//!     max_keys(Segments::rows(&scores, 64, 4096), 8, &mut best).run(&env) // enqueued, not waited for
//! })?; // waited for
//! let best = best.as_host_vec()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # One context for both
//!
//! cust's `Context` and cudarc's `CudaContext` are the device's primary context, which the driver counts references to; so what one
//! of them makes, the other may use. The engine holds a reference of its own. A stream in a context of
//! [`cust::context::legacy`] is refused: [`Error::NotPrimaryContext`]. A call leaves the engine's context current on the calling
//! thread; with several GPUs on one thread, cust's `CurrentContext::set_current` brings another back.
//!
//! # What keeps a buffer alive
//!
//! A call returns before its work is done, and a `DeviceBuffer` neither knows the streams that work on it nor waits for them
//! when it is freed: its borrow for the call does not suffice. There are two ways:
//!
//! * [`Gpu::cust_scope`]: buffers are borrowed until the scope ends, and it ends when the stream has done the work. Safe.
//! * [`DeviceView::from_cust`], [`DeviceViewMut::from_cust`]: nothing is waited for, and the caller answers for the buffers
//!   until the stream has passed the call. Unsafe, as launches are in cust.
//!
//! Key types that cust cannot copy, such as [`half::f16`], lie in buffers of integers: see [`View::cast`].
#![allow(unsafe_code, reason = "handles pass from one binding of the driver to another")]

use super::Gpu;
use super::driver::{self, failed};
use super::memory::{DeviceMemory, DeviceView, DeviceViewMut, Readable, Source, SourceMut, Writable};
use crate::error::{BufferName, Error};
use crate::memory::{Input, Output};
use ::cust::memory::{DeviceBuffer, DeviceCopy, DeviceSlice};
use ::cust::stream::Stream;
use bytemuck::Pod;
use core::marker::PhantomData;
use cudarc::driver::{CudaContext, CudaStream, SyncOnDrop, result, sys};
use std::sync::Arc;

impl Gpu {
    /// The device of `stream`, on that stream, which is never destroyed (a static, or [leaked](Box::leak)).
    ///
    /// # Errors
    ///
    /// [`Error::NotPrimaryContext`], and those of [`Gpu::on`].
    pub fn on_cust(stream: &'static Stream) -> Result<Self, Error> {
        // SAFETY: a static reference outlives everything.
        unsafe { Self::on_cust_unchecked(stream) }
    }

    /// The device of `stream`, on that stream.
    ///
    /// # Errors
    ///
    /// As [`Gpu::on_cust`].
    ///
    /// # Safety
    ///
    /// The stream, and the context it was made in, outlive the engine, its clones, and everything that holds its
    /// [stream](Gpu::stream): cudarc's buffers and graphs do.
    pub unsafe fn on_cust_unchecked(stream: &Stream) -> Result<Self, Error> {
        if !driver::present() {
            return Err(Error::NoDriver);
        }
        let raw: sys::CUstream = stream.as_inner().cast();
        let context = primary_context_of(raw)?;
        // SAFETY: the stream lives in this context, as was just found out, and for as long as the caller promises.
        // Work from either side is in the order of the calls: there is one stream.
        Self::on(unsafe { context.wrap_borrowed_stream(raw) })
    }

    /// Runs `work`, then waits for the engine's stream, so that buffers borrowed from cust are not freed before they
    /// have been worked on. It waits, too, when `work` fails or panics.
    ///
    /// # Errors
    ///
    /// Those of `work`, or [`Error::Driver`] if the work it enqueued fails.
    pub fn cust_scope<'env, R>(
        &self,
        work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let waiting = Waiting(&self.stream);
        let answer = work(&Scope { stream: self.stream.clone(), scope: PhantomData, env: PhantomData });
        core::mem::forget(waiting);
        let done = wait(&self.stream);
        let answer = answer?;
        done.map(|()| answer)
    }
}

/// The primary context of the device that `stream` is on, if the stream lies in it.
fn primary_context_of(stream: sys::CUstream) -> Result<Arc<CudaContext>, Error> {
    let mut own = core::ptr::null_mut();
    // SAFETY: the handle is that of a live stream, and the place is there to be written.
    unsafe { sys::cuStreamGetCtx(stream, &raw mut own) }.result().map_err(failed("cuStreamGetCtx"))?;
    let before = result::ctx::get_current().map_err(failed("cuCtxGetCurrent"))?;
    let shared = device_of(own)
        .and_then(|ordinal| CudaContext::new(ordinal).map_err(failed("cuDevicePrimaryCtxRetain")))
        .and_then(
            |context| if context.cu_ctx() == own { Ok(context) } else { Err(Error::NotPrimaryContext) },
        );
    if shared.is_err() {
        // SAFETY: this context, or none, was current when the function was called.
        let back = unsafe { result::ctx::set_current(before.unwrap_or(core::ptr::null_mut())) };
        back.map_err(failed("cuCtxSetCurrent"))?;
    }
    shared
}

/// The ordinal of a context's device. Makes the context current.
fn device_of(context: sys::CUcontext) -> Result<usize, Error> {
    // SAFETY: the driver has just named the context as a live stream's.
    unsafe { result::ctx::set_current(context) }.map_err(failed("cuCtxSetCurrent"))?;
    let mut device = 0;
    // SAFETY: a context is current, and the place is there to be written.
    unsafe { sys::cuCtxGetDevice(&raw mut device) }.result().map_err(failed("cuCtxGetDevice"))?;
    let count = CudaContext::device_count().map_err(failed("cuDeviceGetCount"))?;
    let is_it = |ordinal: &i32| result::device::get(*ordinal).is_ok_and(|other| other == device);
    let found = (0..count).find(is_it).ok_or(Error::NotPrimaryContext)?;
    Ok(found.unsigned_abs() as usize)
}

/// Waits for the stream. Not by cudarc's method, which may report an older error instead.
fn wait(stream: &CudaStream) -> Result<(), Error> {
    // SAFETY: the stream holds its context alive.
    unsafe { result::ctx::set_current(stream.context().cu_ctx()) }.map_err(failed("cuCtxSetCurrent"))?;
    // SAFETY: the handle is the stream's own.
    unsafe { result::stream::synchronize(stream.cu_stream()) }.map_err(failed("cuStreamSynchronize"))
}

/// Waits for a stream when dropped, be it by a panic.
struct Waiting<'a>(&'a CudaStream);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // An error is one of the stream's work, which is over then.
        let _ = wait(self.0);
    }
}

/// Borrows buffers until the work on them is done: see [`Gpu::cust_scope`].
///
/// What it borrows is for calls on the engine's stream, directly: another stream is [`Error::WrongStream`], and a capture, whose
/// replays nobody waits for here, [`Error::Unsupported`].
///
/// Neither can a borrow outlive its scope nor a scope the buffers:
///
/// ```compile_fail,E0521
/// # fn escapes(gpu: &cluster_topk::Gpu, keys: &cust::memory::DeviceBuffer<f32>) {
/// let mut escaped = None;
/// let _ = gpu.cust_scope(|scope| {
///     escaped = Some(scope.read(keys));
///     Ok(())
/// });
/// # }
/// ```
///
/// ```compile_fail,E0597
/// # fn too_short(gpu: &cluster_topk::Gpu, keys: cust::memory::DeviceBuffer<f32>) {
/// let _ = gpu.cust_scope(|scope| {
///     let inside = keys;
///     scope.read(&inside);
///     Ok(())
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    stream: Arc<CudaStream>,
    /// Both lifetimes may not shrink, as with [`std::thread::Scope`].
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Borrows a buffer to be read.
    pub fn read<T: DeviceCopy>(&'scope self, buffer: &'env DeviceBuffer<T>) -> View<'scope, T> {
        View { borrowed: self.borrow(buffer), elements: PhantomData }
    }

    /// Borrows a buffer to be written, and read by later calls.
    pub fn write<T: DeviceCopy>(&'scope self, buffer: &'env mut DeviceBuffer<T>) -> ViewMut<'scope, T> {
        ViewMut { borrowed: self.borrow(buffer), elements: PhantomData }
    }

    fn borrow<T: DeviceCopy>(&'scope self, buffer: &DeviceBuffer<T>) -> Borrowed<'scope> {
        let (address, len) = (buffer.as_device_ptr().as_raw(), buffer.len());
        let here = len == 0 || lies_in(address, self.stream.context());
        Borrowed { stream: &self.stream, address, len, here }
    }
}

/// Whether memory was allocated in `context`, or, where it belongs to none (from a pool), on its device.
fn lies_in(address: u64, context: &CudaContext) -> bool {
    use sys::CUpointer_attribute::{CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    let mut own: sys::CUcontext = core::ptr::null_mut();
    let place = (&raw mut own).cast();
    // SAFETY: the place has the type that the attribute is of.
    let known = unsafe { sys::cuPointerGetAttribute(place, CU_POINTER_ATTRIBUTE_CONTEXT, address) }.result();
    if known.is_ok() && !own.is_null() {
        return own == context.cu_ctx();
    }
    let mut ordinal = -1i32;
    let place = (&raw mut ordinal).cast();
    // SAFETY: as above.
    let known = unsafe { sys::cuPointerGetAttribute(place, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) };
    known.result().is_ok() && usize::try_from(ordinal) == Ok(context.ordinal())
}

/// The driver's handle of the calling thread's default stream, `CU_STREAM_PER_THREAD`.
const PER_THREAD: usize = 2;

/// What is known of a buffer that a scope borrowed.
#[derive(Clone, Copy, Debug)]
struct Borrowed<'scope> {
    /// The stream that the scope waits for.
    stream: &'scope CudaStream,
    address: u64,
    len: usize,
    /// Whether it lies in the stream's context.
    here: bool,
}

impl Borrowed<'_> {
    fn check(&self, stream: &CudaStream, buffer: BufferName) -> Result<(), Error> {
        if !self.here {
            return Err(Error::WrongDevice { buffer });
        }
        // The per-thread stream is another one on each thread, and the scope waits on its own only.
        if stream != self.stream || stream.cu_stream() as usize == PER_THREAD {
            return Err(Error::WrongStream { buffer });
        }
        if driver::is_capturing(stream)? {
            let reason =
                "a scope does not wait for the replays of a graph: capture calls on `DeviceView::from_cust`";
            return Err(Error::Unsupported { reason: reason.into() });
        }
        Ok(())
    }

    /// The address, and no guard: on one stream, work is in order.
    fn acquire<'s>(&self) -> (u64, SyncOnDrop<'s>) {
        (self.address, SyncOnDrop::Record(None))
    }
}

/// A buffer of cust's, borrowed by a [`Scope`] to be read.
#[derive(Clone, Copy, Debug)]
pub struct View<'scope, T> {
    borrowed: Borrowed<'scope>,
    elements: PhantomData<&'scope [T]>,
}

/// A buffer of cust's, borrowed by a [`Scope`] to be written.
#[derive(Debug)]
pub struct ViewMut<'scope, T> {
    borrowed: Borrowed<'scope>,
    elements: PhantomData<&'scope mut [T]>,
}

/// Refuses to compile for types of different layout.
const fn same_layout<T, U>() {
    assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>(), "the layouts differ");
}

impl<'scope, T: Pod> View<'scope, T> {
    /// The same bits as another type of the same size and alignment, such as `u16` as [`half::f16`].
    #[must_use]
    pub fn cast<U: Pod>(self) -> View<'scope, U> {
        const { same_layout::<T, U>() }
        View { borrowed: self.borrowed, elements: PhantomData }
    }
}

impl<'scope, T: Pod> ViewMut<'scope, T> {
    /// As [`View::cast`].
    #[must_use]
    pub fn cast<U: Pod>(self) -> ViewMut<'scope, U> {
        const { same_layout::<T, U>() }
        ViewMut { borrowed: self.borrowed, elements: PhantomData }
    }
}

macro_rules! readable {
    ($($view:ident),*) => {$(
        impl<T> Readable for $view<'_, T> {
            fn check(&self, stream: &CudaStream, name: BufferName) -> Result<(), Error> {
                self.borrowed.check(stream, name)
            }
            fn acquire<'s>(&'s self, _: &'s CudaStream) -> (u64, SyncOnDrop<'s>) {
                self.borrowed.acquire()
            }
        }
        impl<'a, T: Copy + 'a> Input<'a> for &'a $view<'_, T> {
            type Elem = T;
            type Memory = DeviceMemory;
            fn into_view(self) -> DeviceView<'a, T> {
                DeviceView { source: Source::Managed(self), len: self.borrowed.len, elements: PhantomData }
            }
        }
    )*};
}
readable!(View, ViewMut);

impl<T> Writable for ViewMut<'_, T> {
    fn check(&self, stream: &CudaStream, name: BufferName) -> Result<(), Error> {
        self.borrowed.check(stream, name)
    }
    fn acquire_mut<'s>(&'s mut self, _: &'s CudaStream) -> (u64, SyncOnDrop<'s>) {
        self.borrowed.acquire()
    }
}
impl<'a, T: Copy + 'a> Output<'a> for &'a mut ViewMut<'_, T> {
    type Elem = T;
    type Memory = DeviceMemory;
    fn into_view_mut(self) -> DeviceViewMut<'a, T> {
        let len = self.borrowed.len;
        DeviceViewMut { source: SourceMut::Managed(self), len, elements: PhantomData }
    }
}

impl<'a, T: DeviceCopy> DeviceView<'a, T> {
    /// A buffer of cust's, or a slice of one.
    ///
    /// # Safety
    ///
    /// As [`from_raw`](DeviceView::from_raw): the slice lies in memory of the device that the engine runs on, and nobody frees or
    /// writes it until the engine's stream has passed every call that the view was given to. The borrow does not see to that.
    #[must_use]
    pub unsafe fn from_cust(slice: &'a DeviceSlice<T>) -> Self {
        // SAFETY: the slice's elements are initialised and aligned, by cust's own contract; the rest the caller promises.
        unsafe { Self::from_raw(slice.as_device_ptr().as_raw(), slice.len()) }
    }
}

impl<'a, T: DeviceCopy> DeviceViewMut<'a, T> {
    /// A buffer of cust's, or a slice of one.
    ///
    /// # Safety
    ///
    /// As [`from_raw`](DeviceViewMut::from_raw): the slice lies in memory of the device that the engine runs on, and nobody else
    /// frees, reads or writes it until the engine's stream has passed the call. The borrow does not see to that.
    #[must_use]
    pub unsafe fn from_cust(slice: &'a mut DeviceSlice<T>) -> Self {
        // SAFETY: as for a shared view.
        unsafe { Self::from_raw(slice.as_device_ptr().as_raw(), slice.len()) }
    }
}
