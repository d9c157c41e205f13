//! This block's shared memory: dynamic, since Rust has no static one.
//!
//! Offsets count from the front of the dynamic shared memory of the launch.

use super::access::{AccessIn, Own};
use super::atomic::atomic_methods;
use crate::arch::{Scalar, Vec16};
use core::arch::asm;
use core::fmt;
use core::marker::PhantomData;

/// The alignment of the front of dynamic shared memory.
pub const BASE_ALIGN: u32 = 128;

#[repr(align(128))]
struct Base(#[allow(dead_code)] [u8; 128]);

/// The 32-bit shared address of the front of dynamic shared memory: PTX `cvta.to.shared.u64`.
#[inline(always)]
fn base() -> u32 {
    let generic = core::intrinsics::gpu::gpu_launch_sized_workgroup_mem::<Base>().addr();
    let address: u64;
    // SAFETY: converts an address, touches no memory.
    unsafe {
        asm!("cvta.to.shared.u64 {}, {};", out(reg64) address, in(reg64) generic,
             options(pure, nomem, nostack, preserves_flags));
    }
    // The shared window is less than 2^32 bytes.
    address as u32
}

/// An array in this block's shared memory.
pub struct Shared<T> {
    address: u32,
    len: u32,
    of: PhantomData<T>,
}

impl<T> Clone for Shared<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
impl<T> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl<T: Scalar> Shared<T> {
    /// The `len` elements that start `offset` bytes into dynamic shared memory. Any thread.
    ///
    /// # Safety
    ///
    /// The launch provides the bytes, and `offset` is a multiple of the element's size. Whoever uses the handle, or one
    /// made from it, keeps indices below its length, reads what has been written, and separates a write from
    /// conflicting accesses by other threads by a barrier (atomic operations at a scope that covers the threads do not
    /// conflict with each other).
    #[inline(always)]
    pub unsafe fn carve(offset: u32, len: u32) -> Self {
        Self { address: base().wrapping_add(offset), len, of: PhantomData }
    }

    /// How many elements.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The `len` elements from `start` on; `start + len` is at most the length.
    #[inline(always)]
    pub fn slice(self, start: u32, len: u32) -> Self {
        Self { address: self.address(start), len, of: PhantomData }
    }

    /// The same bytes as elements of another width; the address is a multiple of it.
    #[inline(always)]
    pub fn cast<U: Scalar>(self) -> Shared<U> {
        Shared { address: self.address, len: self.len.wrapping_mul(T::BYTES) / U::BYTES, of: PhantomData }
    }

    #[inline(always)]
    pub(super) fn address(self, index: u32) -> u32 {
        self.address.wrapping_add(index.wrapping_mul(T::BYTES))
    }

    /// Element `index`: PTX `ld.shared`. Any thread.
    #[inline(always)]
    pub fn load(self, index: u32) -> T {
        // SAFETY: the promise made with the handle.
        unsafe { <T as AccessIn<Own>>::load(self.address(index)) }
    }

    /// Sets element `index`: PTX `st.shared`. Any thread.
    #[inline(always)]
    pub fn store(self, index: u32, value: T) {
        // SAFETY: the promise made with the handle.
        unsafe { <T as AccessIn<Own>>::store(self.address(index), value) }
    }

    /// The 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `ld.shared.v4.u32`. Any thread.
    #[inline(always)]
    pub fn load16(self, index: u32) -> Vec16 {
        let (a, b, c, d);
        // SAFETY: the promise made with the handle.
        unsafe {
            asm!("ld.shared.v4.u32 {{{}, {}, {}, {}}}, [{}];", out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d,
                 in(reg32) self.address(index), options(pure, readonly, nostack, preserves_flags));
        }
        Vec16([a, b, c, d])
    }

    /// Sets the 16 bytes that start at element `index`, whose address is a multiple of 16: PTX `st.shared.v4.u32`. Any
    /// thread.
    #[inline(always)]
    pub fn store16(self, index: u32, Vec16([a, b, c, d]): Vec16) {
        // SAFETY: the promise made with the handle.
        unsafe {
            asm!("st.shared.v4.u32 [{}], {{{}, {}, {}, {}}};", in(reg32) self.address(index), in(reg32) a,
                 in(reg32) b, in(reg32) c, in(reg32) d, options(nostack, preserves_flags));
        }
    }

    /// The same array in the shared memory of the cluster's block `rank`: PTX `mapa.shared::cluster.u32` (sm_90, PTX
    /// ISA 7.8). Any thread.
    ///
    /// `rank` is below the cluster's width. The block must have started before the first access (a cluster barrier
    /// says so) and must not exit before the last.
    #[cfg(feature = "cluster")]
    #[inline(always)]
    pub fn at(self, rank: u32) -> super::cluster::ClusterShared<T> {
        super::cluster::ClusterShared::map(self.address, self.len, rank)
    }
}

atomic_methods!(Shared, Own, u32, "shared");
