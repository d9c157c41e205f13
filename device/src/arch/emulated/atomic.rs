//! The atomic methods that every memory handle has.

/// Atomic methods for a handle with `fn at(self, index) -> (Space, u64)`, the space and the address of an element.
macro_rules! atomic_methods {
    ($handle:ident, $index:ty, $ptx:literal) => {
        impl<T: crate::arch::Scalar + super::access::Atomic> $handle<T> {
            #[doc = concat!("Adds to element `index`, for every thread in `scope` at once: PTX `red.relaxed.SCOPE.", $ptx, ".add`. Any thread.")]
            #[track_caller]
            pub fn add(self, index: $index, value: T, scope: crate::arch::Scope) {
                let (space, address) = self.place(index, ::cluster_topk_emulate::Op::Add);
                ::cluster_topk_emulate::device::reduce_add(space, address, T::BYTES, value.widen(), super::scope(scope));
            }

            atomic_methods! { @fetch $index, $ptx;
                fetch_add "add" FetchAdd Add "Adds to element `index`";
                fetch_min "min" FetchMin Min "Lowers element `index` to `value` if that is less";
                fetch_max "max" FetchMax Max "Raises element `index` to `value` if that is greater";
                fetch_or "or" FetchOr Or "Sets the bits of `value` in element `index`";
                exchange "exch" Exchange Exchange "Puts `value` in element `index`";
            }

            #[doc = concat!("Puts `new` in element `index` if `expected` is there, and gives what was there: PTX `atom.relaxed.SCOPE.", $ptx, ".cas`. Any thread.")]
            #[track_caller]
            pub fn compare_exchange(self, index: $index, expected: T, new: T, scope: crate::arch::Scope) -> T {
                let (space, address) = self.place(index, ::cluster_topk_emulate::Op::CompareExchange);
                let what = ::cluster_topk_emulate::device::Atomic::CompareExchange {
                    expected: expected.widen(),
                    new: new.widen(),
                };
                T::truncate(::cluster_topk_emulate::device::atomic(space, address, T::BYTES, what, super::scope(scope)))
            }

            atomic_methods! { @load $index, $ptx;
                load_relaxed "ld.relaxed" LoadRelaxed false "Element `index` as some thread in `scope` left it, now";
                load_acquire "ld.acquire" LoadAcquire true "[`Self::load_relaxed`], and what was written before the release that it reads from is visible afterwards";
            }

            atomic_methods! { @store $index, $ptx;
                store_relaxed "st.relaxed" StoreRelaxed false "Puts `value` in element `index`, to be read by relaxed loads";
                store_release "st.release" StoreRelease true "[`Self::store_relaxed`], releasing all that this thread wrote before";
            }
        }
    };
    (@fetch $index:ty, $ptx:literal; $($name:ident $op:literal $site:ident $what:ident $doc:literal;)*) => {$(
        #[doc = concat!($doc, ", for every thread in `scope` at once, and gives what was there: PTX `atom.relaxed.SCOPE.", $ptx, ".", $op, "`. Any thread.")]
        #[track_caller]
        pub fn $name(self, index: $index, value: T, scope: crate::arch::Scope) -> T {
            let (space, address) = self.place(index, ::cluster_topk_emulate::Op::$site);
            let what = ::cluster_topk_emulate::device::Atomic::$what(value.widen());
            T::truncate(::cluster_topk_emulate::device::atomic(space, address, T::BYTES, what, super::scope(scope)))
        }
    )*};
    (@load $index:ty, $ptx:literal; $($name:ident $op:literal $site:ident $acquire:literal $doc:literal;)*) => {$(
        #[doc = concat!($doc, ": PTX `", $op, ".SCOPE.", $ptx, "`. Any thread.")]
        #[track_caller]
        pub fn $name(self, index: $index, scope: crate::arch::Scope) -> T {
            let (space, address) = self.place(index, ::cluster_topk_emulate::Op::$site);
            let scope = super::scope(scope);
            T::truncate(::cluster_topk_emulate::device::atomic_load(space, address, T::BYTES, scope, $acquire))
        }
    )*};
    (@store $index:ty, $ptx:literal; $($name:ident $op:literal $site:ident $release:literal $doc:literal;)*) => {$(
        #[doc = concat!($doc, ": PTX `", $op, ".SCOPE.", $ptx, "`. Any thread.")]
        #[track_caller]
        pub fn $name(self, index: $index, value: T, scope: crate::arch::Scope) {
            let (space, address) = self.place(index, ::cluster_topk_emulate::Op::$site);
            let scope = super::scope(scope);
            ::cluster_topk_emulate::device::atomic_store(space, address, T::BYTES, value.widen(), scope, $release);
        }
    )*};
}
pub(super) use atomic_methods;
