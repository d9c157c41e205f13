//! Global memory.

use super::access::{AccessIn, Device, Hinted};
use super::atomic::atomic_methods;
use crate::arch::{Scalar, Vec16};
use core::arch::asm;
use core::fmt;
use core::marker::PhantomData;

/// An array in global memory.
pub struct Global<T> {
    address: u64,
    len: u64,
    of: PhantomData<T>,
}

impl<T> Clone for Global<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Global<T> {}
impl<T> fmt::Debug for Global<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Global").finish_non_exhaustive()
    }
}

impl<T: Scalar> Global<T> {
    /// The `len` elements at `address`. Any thread.
    ///
    /// # Safety
    ///
    /// The elements lie in memory of this GPU for as long as the kernel runs, and `address` is a multiple of the
    /// element's size. Whoever uses the handle, or one made from it, keeps indices below its length and separates a
    /// write from conflicting accesses by other threads by a barrier of their block or cluster (atomic operations at a
    /// scope that covers the threads do not conflict with each other).
    #[inline(always)]
    pub unsafe fn new(address: u64, len: u64) -> Self {
        Self { address, len, of: PhantomData }
    }

    /// How many elements.
    #[inline(always)]
    pub fn len(self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The `len` elements from `start` on; `start + len` is at most the length.
    #[inline(always)]
    pub fn slice(self, start: u64, len: u64) -> Self {
        Self { address: self.address(start), len, of: PhantomData }
    }

    /// How many elements lie before the first whose address is a multiple of 16; at most 15.
    #[inline(always)]
    pub fn elements_to_align16(self) -> u32 {
        ((self.address as u32).wrapping_neg() & 15) / T::BYTES
    }

    #[inline(always)]
    pub(super) fn address(self, index: u64) -> u64 {
        self.address.wrapping_add(index.wrapping_mul(u64::from(T::BYTES)))
    }

    /// Element `index`: PTX `ld.global`. Any thread.
    #[inline(always)]
    pub fn load(self, index: u64) -> T {
        // SAFETY: the promise made with the handle.
        unsafe { <T as AccessIn<Device>>::load(self.address(index)) }
    }

    /// Element `index`, wanted once: PTX `ld.global.L1::no_allocate` (PTX ISA 7.4). Any thread.
    #[inline(always)]
    pub fn load_once(self, index: u64) -> T {
        // SAFETY: the promise made with the handle.
        unsafe { <T as Hinted>::load_once(self.address(index)) }
    }

    /// Element `index`, wanted once, which no thread has written or will write since this grid was launched: PTX
    /// `ld.global.nc.L1::no_allocate` (PTX ISA 7.4). Any thread.
    ///
    /// Not for what a grid writes that this one waits for by programmatic dependent launch: it may be running still when this
    /// one is launched, and such a load is not coherent with its writes.
    #[inline(always)]
    pub fn load_constant(self, index: u64) -> T {
        // SAFETY: the promise made with the handle.
        unsafe { <T as Hinted>::load_constant(self.address(index)) }
    }

    /// Sets element `index`: PTX `st.global`. Any thread.
    #[inline(always)]
    pub fn store(self, index: u64, value: T) {
        // SAFETY: the promise made with the handle.
        unsafe { <T as AccessIn<Device>>::store(self.address(index), value) }
    }

    /// Sets element `index`, which this kernel does not read again: PTX `st.global.cs`. Any thread.
    #[inline(always)]
    pub fn store_streaming(self, index: u64, value: T) {
        // SAFETY: the promise made with the handle.
        unsafe { <T as Hinted>::store_streaming(self.address(index), value) }
    }

    /// The 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `ld.global.v4.u32`. Any thread.
    #[inline(always)]
    pub fn load16(self, index: u64) -> Vec16 {
        let (a, b, c, d);
        // SAFETY: the promise made with the handle.
        unsafe {
            asm!("ld.global.v4.u32 {{{}, {}, {}, {}}}, [{}];", out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d,
                 in(reg64) self.address(index), options(pure, readonly, nostack, preserves_flags));
        }
        Vec16([a, b, c, d])
    }

    /// [`Self::load_once`] of 16 bytes, as [`Self::load16`]: PTX `ld.global.L1::no_allocate.v4.u32` (PTX ISA 7.4). Any
    /// thread.
    #[inline(always)]
    pub fn load16_once(self, index: u64) -> Vec16 {
        let (a, b, c, d);
        // SAFETY: the promise made with the handle.
        unsafe {
            asm!("ld.global.L1::no_allocate.v4.u32 {{{}, {}, {}, {}}}, [{}];", out(reg32) a, out(reg32) b,
                 out(reg32) c, out(reg32) d, in(reg64) self.address(index),
                 options(pure, readonly, nostack, preserves_flags));
        }
        Vec16([a, b, c, d])
    }

    /// [`Self::load_constant`] of 16 bytes, as [`Self::load16`]: PTX `ld.global.nc.L1::no_allocate.v4.u32` (PTX ISA 7.4).
    /// Any thread.
    #[inline(always)]
    pub fn load16_constant(self, index: u64) -> Vec16 {
        let (a, b, c, d);
        // SAFETY: the promise made with the handle.
        unsafe {
            asm!("ld.global.nc.L1::no_allocate.v4.u32 {{{}, {}, {}, {}}}, [{}];", out(reg32) a, out(reg32) b,
                 out(reg32) c, out(reg32) d, in(reg64) self.address(index),
                 options(pure, readonly, nostack, preserves_flags));
        }
        Vec16([a, b, c, d])
    }

    /// Sets the 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `st.global.v4.u32`. Any
    /// thread.
    #[inline(always)]
    pub fn store16(self, index: u64, Vec16([a, b, c, d]): Vec16) {
        // SAFETY: the promise made with the handle.
        unsafe {
            asm!("st.global.v4.u32 [{}], {{{}, {}, {}, {}}};", in(reg64) self.address(index), in(reg32) a,
                 in(reg32) b, in(reg32) c, in(reg32) d, options(nostack, preserves_flags));
        }
    }
}

atomic_methods!(Global, Device, u64, "global");
