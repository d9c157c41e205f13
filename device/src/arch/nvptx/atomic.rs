//! The atomic methods that every memory handle has.

/// Atomic methods for a handle with `fn address(self, index) -> Address`.
macro_rules! atomic_methods {
    ($handle:ident, $space:ty, $index:ty, $ptx:literal) => {
        impl<T: crate::arch::Scalar + super::access::AtomicIn<$space>> $handle<T> {
            #[doc = concat!("Adds to element `index`, for every thread in `scope` at once: PTX `red.relaxed.SCOPE.", $ptx, ".add`. Any thread.")]
            #[inline(always)]
            pub fn add(self, index: $index, value: T, scope: crate::arch::Scope) {
                // SAFETY: the promise made with the handle.
                unsafe { T::add(self.address(index), value, scope) }
            }

            atomic_methods! { @fetch $space, $index, $ptx;
                fetch_add "add" "Adds to element `index`";
                fetch_min "min" "Lowers element `index` to `value` if that is less";
                fetch_max "max" "Raises element `index` to `value` if that is greater";
                fetch_or "or" "Sets the bits of `value` in element `index`";
                exchange "exch" "Puts `value` in element `index`";
            }

            #[doc = concat!("Puts `new` in element `index` if `expected` is there, and gives what was there: PTX `atom.relaxed.SCOPE.", $ptx, ".cas`. Any thread.")]
            #[inline(always)]
            pub fn compare_exchange(self, index: $index, expected: T, new: T, scope: crate::arch::Scope) -> T {
                // SAFETY: the promise made with the handle.
                unsafe { T::compare_exchange(self.address(index), expected, new, scope) }
            }

            #[doc = concat!("Element `index` as some thread in `scope` left it, now: PTX `ld.relaxed.SCOPE.", $ptx, "`. Any thread.")]
            #[inline(always)]
            pub fn load_relaxed(self, index: $index, scope: crate::arch::Scope) -> T {
                // SAFETY: the promise made with the handle.
                unsafe { T::load_relaxed(self.address(index), scope) }
            }

            #[doc = concat!("[`Self::load_relaxed`], and what was written before the release that it reads from is visible afterwards: PTX `ld.acquire.SCOPE.", $ptx, "`. Any thread.")]
            #[inline(always)]
            pub fn load_acquire(self, index: $index, scope: crate::arch::Scope) -> T {
                // SAFETY: the promise made with the handle.
                unsafe { T::load_acquire(self.address(index), scope) }
            }

            #[doc = concat!("Puts `value` in element `index`, to be read by relaxed loads: PTX `st.relaxed.SCOPE.", $ptx, "`. Any thread.")]
            #[inline(always)]
            pub fn store_relaxed(self, index: $index, value: T, scope: crate::arch::Scope) {
                // SAFETY: the promise made with the handle.
                unsafe { T::store_relaxed(self.address(index), value, scope) }
            }

            #[doc = concat!("[`Self::store_relaxed`], releasing all that this thread wrote before: PTX `st.release.SCOPE.", $ptx, "`. Any thread.")]
            #[inline(always)]
            pub fn store_release(self, index: $index, value: T, scope: crate::arch::Scope) {
                // SAFETY: the promise made with the handle.
                unsafe { T::store_release(self.address(index), value, scope) }
            }
        }
    };
    (@fetch $space:ty, $index:ty, $ptx:literal; $($name:ident $op:literal $what:literal;)*) => {$(
        #[doc = concat!($what, ", for every thread in `scope` at once, and gives what was there: PTX `atom.relaxed.SCOPE.", $ptx, ".", $op, "`. Any thread.")]
        #[inline(always)]
        pub fn $name(self, index: $index, value: T, scope: crate::arch::Scope) -> T {
            // SAFETY: the promise made with the handle.
            unsafe { T::$name(self.address(index), value, scope) }
        }
    )*};
}
pub(super) use atomic_methods;
