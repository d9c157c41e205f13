//! The load, store and atomic instructions for each element type and state space, by macro.
//!
//! Loads are `pure, readonly` to the compiler: it may merge or drop them between two operations that write memory, as it
//! may an ordinary load, but never move them across a store, an atomic operation, a fence or a barrier. What other
//! threads write without a barrier in between is read by the atomic operations.

use crate::arch::Scope;
use core::arch::asm;

/// A state space: which memory an address is about, and how wide the address is.
pub trait Space {
    /// An address in the space.
    type Address: Copy;
}

/// This block's shared memory: `.shared`.
#[derive(Debug)]
pub struct Own;
/// The shared memory of a block of this cluster: `.shared::cluster`.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub struct Peer;
/// Global memory: `.global`.
#[derive(Debug)]
pub struct Device;

impl Space for Own {
    type Address = u32;
}
#[cfg(feature = "cluster")]
impl Space for Peer {
    type Address = u32;
}
impl Space for Device {
    type Address = u64;
}

/// Weak loads and stores in a space.
pub trait AccessIn<S: Space>: Copy {
    /// `ld`.
    ///
    /// # Safety
    ///
    /// An aligned value of the type lies at `address`.
    unsafe fn load(address: S::Address) -> Self;
    /// `st`.
    ///
    /// # Safety
    ///
    /// An aligned value of the type lies at `address`.
    unsafe fn store(address: S::Address, value: Self);
}

/// The element types' loads and stores, in every space there is.
#[cfg(feature = "cluster")]
pub trait Access: AccessIn<Own> + AccessIn<Peer> + AccessIn<Device> + Hinted {}
/// The element types' loads and stores, in every space there is.
#[cfg(not(feature = "cluster"))]
pub trait Access: AccessIn<Own> + AccessIn<Device> + Hinted {}

/// Global loads and stores with a hint.
pub trait Hinted: Copy {
    /// `ld.global.nc.L1::no_allocate`.
    ///
    /// # Safety
    ///
    /// An aligned value of the type lies at `address`, and no thread writes it while the kernel runs.
    unsafe fn load_constant(address: u64) -> Self;
    /// `ld.global.L1::no_allocate`.
    ///
    /// # Safety
    ///
    /// An aligned value of the type lies at `address`.
    unsafe fn load_once(address: u64) -> Self;
    /// `st.global.cs`.
    ///
    /// # Safety
    ///
    /// An aligned value of the type lies at `address`.
    unsafe fn store_streaming(address: u64, value: Self);
}

macro_rules! access_in {
    ($space:ty, $name:literal, $address:ident: $(($t:ty, $suffix:literal, $class:ident))*) => {$(
        impl AccessIn<$space> for $t {
            #[inline(always)]
            unsafe fn load(address: <$space as Space>::Address) -> Self {
                let value: Self;
                // SAFETY: the caller's promise.
                unsafe {
                    asm!(concat!("ld.", $name, ".", $suffix, " {}, [{}];"), out($class) value, in($address) address,
                         options(pure, readonly, nostack, preserves_flags));
                }
                value
            }
            #[inline(always)]
            unsafe fn store(address: <$space as Space>::Address, value: Self) {
                // SAFETY: the caller's promise.
                unsafe {
                    asm!(concat!("st.", $name, ".", $suffix, " [{}], {};"), in($address) address, in($class) value,
                         options(nostack, preserves_flags));
                }
            }
        }
    )*};
}
access_in!(Own, "shared", reg32: (u8, "u8", reg16) (u16, "u16", reg16) (u32, "u32", reg32) (u64, "u64", reg64));
#[cfg(feature = "cluster")]
access_in!(Peer, "shared::cluster", reg32: (u8, "u8", reg16) (u16, "u16", reg16) (u32, "u32", reg32) (u64, "u64", reg64));
access_in!(Device, "global", reg64: (u8, "u8", reg16) (u16, "u16", reg16) (u32, "u32", reg32) (u64, "u64", reg64));

macro_rules! hinted {
    ($(($t:ty, $suffix:literal, $class:ident))*) => {$(
        impl Access for $t {}
        impl Hinted for $t {
            #[inline(always)]
            unsafe fn load_constant(address: u64) -> Self {
                let value: Self;
                // SAFETY: the caller's promise.
                unsafe {
                    asm!(concat!("ld.global.nc.L1::no_allocate.", $suffix, " {}, [{}];"), out($class) value,
                         in(reg64) address, options(pure, readonly, nostack, preserves_flags));
                }
                value
            }
            #[inline(always)]
            unsafe fn load_once(address: u64) -> Self {
                let value: Self;
                // SAFETY: the caller's promise.
                unsafe {
                    asm!(concat!("ld.global.L1::no_allocate.", $suffix, " {}, [{}];"), out($class) value,
                         in(reg64) address, options(pure, readonly, nostack, preserves_flags));
                }
                value
            }
            #[inline(always)]
            unsafe fn store_streaming(address: u64, value: Self) {
                // SAFETY: the caller's promise.
                unsafe {
                    asm!(concat!("st.global.cs.", $suffix, " [{}], {};"), in(reg64) address, in($class) value,
                         options(nostack, preserves_flags));
                }
            }
        }
    )*};
}
hinted!((u8, "u8", reg16)(u16, "u16", reg16)(u32, "u32", reg32)(u64, "u64", reg64));

/// Relaxed atomic operations in a space, and the two that order.
///
/// For every method: an aligned value of the type lies at `address`.
#[allow(clippy::missing_safety_doc)] // One contract for all, above.
pub trait AtomicIn<S: Space>: Copy {
    /// `red.relaxed.add`: an addition whose old value nobody wants.
    unsafe fn add(address: S::Address, value: Self, scope: Scope);
    /// `atom.relaxed.add`.
    unsafe fn fetch_add(address: S::Address, value: Self, scope: Scope) -> Self;
    /// `atom.relaxed.min`, unsigned.
    unsafe fn fetch_min(address: S::Address, value: Self, scope: Scope) -> Self;
    /// `atom.relaxed.max`, unsigned.
    unsafe fn fetch_max(address: S::Address, value: Self, scope: Scope) -> Self;
    /// `atom.relaxed.or`.
    unsafe fn fetch_or(address: S::Address, value: Self, scope: Scope) -> Self;
    /// `atom.relaxed.exch`.
    unsafe fn exchange(address: S::Address, value: Self, scope: Scope) -> Self;
    /// `atom.relaxed.cas`: stores `new` if `expected` is there; the old value.
    unsafe fn compare_exchange(address: S::Address, expected: Self, new: Self, scope: Scope) -> Self;
    /// `ld.relaxed`.
    unsafe fn load_relaxed(address: S::Address, scope: Scope) -> Self;
    /// `ld.acquire`.
    unsafe fn load_acquire(address: S::Address, scope: Scope) -> Self;
    /// `st.relaxed`.
    unsafe fn store_relaxed(address: S::Address, value: Self, scope: Scope);
    /// `st.release`.
    unsafe fn store_release(address: S::Address, value: Self, scope: Scope);
}

/// One instruction, with the scope written into it.
macro_rules! scoped {
    ($scope:ident, $before:expr, $after:expr, $($operand:tt)*) => {
        match $scope {
            // SAFETY: the caller's promise.
            Scope::Block => unsafe { asm!(concat!($before, ".cta", $after), $($operand)*) },
            #[cfg(feature = "cluster")]
            // SAFETY: the caller's promise.
            Scope::Cluster => unsafe { asm!(concat!($before, ".cluster", $after), $($operand)*) },
            // SAFETY: the caller's promise.
            Scope::Device => unsafe { asm!(concat!($before, ".gpu", $after), $($operand)*) },
        }
    };
}

macro_rules! fetch {
    ($fn:ident, $op:literal, $space:ty, $name:literal, $address:ident, $t:ty, $suffix:literal, $class:ident) => {
        #[inline(always)]
        unsafe fn $fn(address: <$space as Space>::Address, value: Self, scope: Scope) -> Self {
            let old: Self;
            scoped!(scope, "atom.relaxed", concat!(".", $name, ".", $op, ".", $suffix, " {}, [{}], {};"),
                out($class) old, in($address) address, in($class) value, options(nostack, preserves_flags));
            old
        }
    };
}

macro_rules! load_ordered {
    ($fn:ident, $op:literal, $space:ty, $name:literal, $address:ident, $suffix:literal, $class:ident) => {
        #[inline(always)]
        unsafe fn $fn(address: <$space as Space>::Address, scope: Scope) -> Self {
            let value: Self;
            scoped!(scope, $op, concat!(".", $name, ".", $suffix, " {}, [{}];"),
                out($class) value, in($address) address, options(nostack, preserves_flags));
            value
        }
    };
}

macro_rules! store_ordered {
    ($fn:ident, $op:literal, $space:ty, $name:literal, $address:ident, $suffix:literal, $class:ident) => {
        #[inline(always)]
        unsafe fn $fn(address: <$space as Space>::Address, value: Self, scope: Scope) {
            scoped!(scope, $op, concat!(".", $name, ".", $suffix, " [{}], {};"),
                in($address) address, in($class) value, options(nostack, preserves_flags));
        }
    };
}

macro_rules! atomic_in {
    ($space:ty, $name:literal, $address:ident, $t:ty, $u:literal, $b:literal, $class:ident) => {
        impl AtomicIn<$space> for $t {
            #[inline(always)]
            unsafe fn add(address: <$space as Space>::Address, value: Self, scope: Scope) {
                scoped!(scope, "red.relaxed", concat!(".", $name, ".add.", $u, " [{}], {};"),
                    in($address) address, in($class) value, options(nostack, preserves_flags));
            }
            fetch!(fetch_add, "add", $space, $name, $address, $t, $u, $class);
            fetch!(fetch_min, "min", $space, $name, $address, $t, $u, $class);
            fetch!(fetch_max, "max", $space, $name, $address, $t, $u, $class);
            fetch!(fetch_or, "or", $space, $name, $address, $t, $b, $class);
            fetch!(exchange, "exch", $space, $name, $address, $t, $b, $class);
            #[inline(always)]
            unsafe fn compare_exchange(
                address: <$space as Space>::Address,
                expected: Self,
                new: Self,
                scope: Scope,
            ) -> Self {
                let old: Self;
                scoped!(scope, "atom.relaxed", concat!(".", $name, ".cas.", $b, " {}, [{}], {}, {};"),
                    out($class) old, in($address) address, in($class) expected, in($class) new,
                    options(nostack, preserves_flags));
                old
            }
            load_ordered!(load_relaxed, "ld.relaxed", $space, $name, $address, $u, $class);
            load_ordered!(load_acquire, "ld.acquire", $space, $name, $address, $u, $class);
            store_ordered!(store_relaxed, "st.relaxed", $space, $name, $address, $u, $class);
            store_ordered!(store_release, "st.release", $space, $name, $address, $u, $class);
        }
    };
}
atomic_in!(Own, "shared", reg32, u32, "u32", "b32", reg32);
atomic_in!(Own, "shared", reg32, u64, "u64", "b64", reg64);
#[cfg(feature = "cluster")]
atomic_in!(Peer, "shared::cluster", reg32, u32, "u32", "b32", reg32);
#[cfg(feature = "cluster")]
atomic_in!(Peer, "shared::cluster", reg32, u64, "u64", "b64", reg64);
atomic_in!(Device, "global", reg64, u32, "u32", "b32", reg32);
atomic_in!(Device, "global", reg64, u64, "u64", "b64", reg64);
