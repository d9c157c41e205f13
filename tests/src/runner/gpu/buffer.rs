//! A buffer on the device, with a guard around it.

use cluster_topk::cudarc::driver::{CudaSlice, CudaStream, CudaView, DevicePtr};
use std::sync::Arc;

/// Bytes of the guard behind a guarded buffer.
const TAIL: usize = 64;

/// Bytes on the device, in the middle of an allocation or filling it.
#[derive(Debug)]
pub(super) struct Buffer {
    device: CudaSlice<u8>,
    /// What was copied to the whole allocation.
    image: Vec<u8>,
    start: usize,
    len: usize,
}

/// What lies around a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard<'g> {
    /// Elements in front, so that the buffer starts at any multiple of its elements' size; 0 leaves nothing behind
    /// either, so that a memory checker sees a read past the end.
    pub(super) lead: usize,
    /// The bytes of one element.
    pub(super) width: usize,
    /// What the guard is filled with, over and over.
    pub(super) fill: &'g [u8],
}

impl Guard<'_> {
    /// The guard of an input: by the request's seed, none or a few elements.
    pub(super) const fn of_input(seed: u64, width: usize, fill: &[u8]) -> Guard<'_> {
        Guard { lead: [0, 1, 3, 16][seed as usize % 4], width, fill }
    }
}

impl Buffer {
    /// Copies an input to the device.
    pub(super) fn input(stream: &Arc<CudaStream>, bytes: &[u8], guard: Guard<'_>) -> Self {
        let tail = if guard.lead == 0 { usize::from(bytes.is_empty()) } else { TAIL };
        Self::new(stream, bytes, guard, tail)
    }

    /// Copies what an output holds before the call; there is always a guard behind it.
    pub(super) fn output(stream: &Arc<CudaStream>, bytes: &[u8], guard: Guard<'_>) -> Self {
        Self::new(stream, bytes, guard, TAIL)
    }

    fn new(stream: &Arc<CudaStream>, bytes: &[u8], guard: Guard<'_>, tail: usize) -> Self {
        let start = guard.lead * guard.width;
        let around = |n| guard.fill.iter().copied().cycle().take(n);
        let image: Vec<u8> = around(start).chain(bytes.iter().copied()).chain(around(tail)).collect();
        let device = stream.clone_htod(&image).expect("the GPU has room for a test");
        Self { device, image, start, len: bytes.len() }
    }

    /// The elements, as a typed view.
    pub(super) fn view<T: bytemuck::Pod>(&self) -> CudaView<'_, T> {
        let view = self.device.slice(self.start..self.start + self.len);
        // SAFETY: any bytes are a `Pod`; allocations are aligned to 256 bytes and `start` is a multiple of the width.
        unsafe { view.transmute(self.len / size_of::<T>()) }.expect("the bytes are there")
    }

    /// The device address of the first byte.
    pub(super) fn address(&self, stream: &CudaStream) -> u64 {
        self.device.device_ptr(stream).0 + self.start as u64
    }

    /// The bytes as they are now.
    ///
    /// # Panics
    ///
    /// When the guard was written.
    pub(super) fn download(&self, stream: &Arc<CudaStream>, name: &str) -> Vec<u8> {
        let mut now = stream.clone_dtoh(&self.device).expect("the GPU failed");
        stream.synchronize().expect("the GPU failed");
        let end = self.start + self.len;
        for at in (0..self.start).chain(end..now.len()) {
            let offset = at as isize - self.start as isize;
            assert!(
                now[at] == self.image[at],
                "byte {offset} of the {} bytes of the {name} was written",
                self.len
            );
        }
        now.truncate(end);
        now.split_off(self.start)
    }

    /// Checks that an input is what it was.
    ///
    /// # Panics
    ///
    /// When it is not.
    pub(super) fn unchanged(&self, stream: &Arc<CudaStream>, name: &str) {
        let now = self.download(stream, name);
        assert!(now == self.image[self.start..self.start + self.len], "the {name} were written");
    }
}
