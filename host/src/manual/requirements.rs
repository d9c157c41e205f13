//! Which items come back, and in what order.
//!
//! # Two questions
//!
//! A selection answers two questions, and they have nothing to do with one another:
//!
//! 1. **Which items?** Mostly the keys decide it. Only where more items share the k-th key than there are places left does
//!    somebody have to choose. A *determinism* level says how reproducible the choice is, a *tie-break* which items win it.
//! 2. **In what order are they written?** An *output ordering* says it. It moves items about within the output; it never
//!    exchanges one for another.
//!
//! The answers are tokens, given as one tuple to [`Env::require`](crate::Env::require):
//!
//! ```
//! use cluster_topk::prelude::*;
//! let env = Env::cpu().require((GpuToGpu, PreferSmallerIndex, Sorted));
//! # let _ = env;
//! ```
//!
//! # The three axes
//!
//! | axis | token | the caller gets |
//! | --- | --- | --- |
//! | determinism | [`NotGuaranteed`] | any items that are a right answer, perhaps others the next time |
//! | | [`RunToRun`] | the same items whenever this device is given the same keys |
//! | | [`GpuToGpu`] | the same items on every device of an architecture |
//! | tie-break | [`Unspecified`] | the library picks among the items that tie at the boundary |
//! | | [`PreferSmallerIndex`] | those that come first in their segment are kept |
//! | | [`PreferLargerIndex`] | those that come last in their segment are kept |
//! | ordering | [`Unsorted`] | any order, perhaps another one the next time |
//! | | [`Sorted`] | best key first (largest for `max_*`, smallest for `min_*`); equal keys in any order |
//! | | [`StableSorted`] | best key first; equal keys by ascending index, whichever tie-break chose them |
//!
//! # Determinism × tie-break
//!
//! The first question has five answers. Determinism and tie-break are named together, or both are left out.
//!
//! | | `Unspecified` | `PreferSmallerIndex` | `PreferLargerIndex` |
//! | --- | --- | --- | --- |
//! | `NotGuaranteed` | free choice, the fastest | does not compile | does not compile |
//! | `RunToRun` | the library's choice, kept on this device | does not compile | does not compile |
//! | `GpuToGpu` | the library's choice, kept on every device of an architecture | the first ones, **the default** | the last ones |
//!
//! A tie-break that names an index pins the set everywhere, which is what `GpuToGpu` says; the weaker levels beside it would
//! contradict it, so the compiler asks for the level that is meant.
//!
//! # Defaults
//!
//! Each question has a default of its own: the pair (`GpuToGpu`, `PreferSmallerIndex`), the ordering `StableSorted`. Who
//! says nothing gets the strongest contract; less is on request. Tokens may stand in any order.
//!
//! | written | means |
//! | --- | --- |
//! | nothing, or `()` | (`GpuToGpu`, `PreferSmallerIndex`, `StableSorted`) |
//! | an ordering, `Sorted` or `(Sorted,)` | that ordering, with (`GpuToGpu`, `PreferSmallerIndex`) |
//! | a pair, `(Unspecified, RunToRun)` | that pair, with `StableSorted` |
//! | a pair and an ordering | itself |
//!
//! Five pairs or none, times three orderings or none, make 24 spellings; they have 15 meanings, and the empty one is among
//! them by its long name. Counted as requests there are 16: the 15 and the silent default.
//!
//! ```
//! use cluster_topk::prelude::*;
//! use cluster_topk::requirement::{Contract, Requirements};
//! fn meaning<R: Requirements>(_: R) -> Contract {
//!     R::CONTRACT
//! }
//! assert_eq!(meaning(()), meaning((StableSorted, PreferSmallerIndex, GpuToGpu)));
//! assert_eq!(meaning(Sorted), meaning((GpuToGpu, Sorted, PreferSmallerIndex)));
//! assert_eq!(meaning((Unspecified, RunToRun)), meaning((RunToRun, Unspecified, StableSorted)));
//! ```
//!
//! # What determinism promises
//!
//! Determinism is about the *set*. It says nothing of the order: an `Unsorted` result may hold the same items in other places
//! the next time, and a `Sorted` one may exchange equal keys. A *sequence* is fixed by `StableSorted` together with a named
//! tie-break, and then down to the bit, on every device and on every engine of this library. With `Unspecified` an engine
//! makes its own choice; name the tie-break where the CPU and a GPU must agree.
//!
//! At `RunToRun` and `GpuToGpu` the set of a segment is a function of that segment's keys, of `k` and of the direction.
//! It does not depend on the segment's neighbours, its place in the batch, or the batch's size. Run-to-run reproducibility
//! often means less, namely the same answer to the same *whole* call; here a query keeps its answer when the batch around
//! it changes.
//!
//! ```
//! use cluster_topk::prelude::*;
//! let env = Env::cpu().require((RunToRun, Unspecified, StableSorted));
//! let (mut alone, mut batched) = ([0u32; 2], [0u32; 6]);
//! max_indices(&[7, 7, 7], 2, &mut alone).run(&env)?;
//! max_indices(Segments::rows(&[9, 9, 9, 7, 7, 7, 1, 2, 3], 3, 3), 2, &mut batched).run(&env)?;
//! assert_eq!(alone, batched[2..4]);
//! # Ok::<(), cluster_topk::Error>(())
//! ```
//!
//! # The order of floats
//!
//! Keys compare by the total order of IEEE 754, but for one pair: −0.0 and +0.0 are equal, so they tie like any two equal
//! keys and the index decides between them. A NaN has a place by its sign and payload: −NaN < −∞ < … < −0.0 = +0.0 < … <
//! +∞ < +NaN. Whatever is selected comes out with the bits that went in.
//!
//! ```
//! use cluster_topk::prelude::*;
//! let keys = [-0.0f32, 0.0, -f32::NAN, f32::INFINITY, f32::NAN];
//! let mut out = [0.0f32; 5];
//! max_keys(&keys, 5, &mut out).run(&Env::cpu())?;
//! let bits = out.map(f32::to_bits);
//! assert_eq!(bits, [f32::NAN, f32::INFINITY, -0.0, 0.0, -f32::NAN].map(f32::to_bits));
//! # Ok::<(), cluster_topk::Error>(())
//! ```
//!
//! torch and NumPy put every NaN above +∞, whatever its sign. Keys prepared with
//! `if key.is_nan() { f32::NAN } else { key }` give their order here too.
//!
//! # Worked example
//!
//! Six keys, the three largest:
//!
//! | index | 0 | 1 | 2 | 3 | 4 | 5 |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | **key** | 10 | 8 | 8 | 8 | 6 | 5 |
//!
//! The 10 is in. Three 8s, at the indices 1, 2 and 3, compete for the two places that are left: that is the tie. Writing
//! key@index, two runs might write this:
//!
//! | | `Unsorted` | `Sorted` | `StableSorted` |
//! | --- | --- | --- | --- |
//! | `NotGuaranteed, Unspecified` | 8@3 8@2 10@0, then 8@1 10@0 8@3 | 10@0 8@3 8@2, then 10@0 8@1 8@3 | 10@0 8@2 8@3, then 10@0 8@1 8@3 |
//! | `RunToRun` or `GpuToGpu, Unspecified` | 8@2 10@0 8@3, then 10@0 8@3 8@2 | 10@0 8@3 8@2, then 10@0 8@2 8@3 | 10@0 8@2 8@3, both times |
//! | `GpuToGpu, PreferSmallerIndex` | 8@1 8@2 10@0, then 8@2 10@0 8@1 | 10@0 8@2 8@1, then 10@0 8@1 8@2 | 10@0 8@1 8@2, both times |
//! | `GpuToGpu, PreferLargerIndex` | 8@2 10@0 8@3, then 8@3 8@2 10@0 | 10@0 8@3 8@2, then 10@0 8@2 8@3 | 10@0 8@2 8@3, both times |
//!
//! Down a column the set changes and the kind of order stays; along a row the set stays (but in the first one) and the order
//! gets stricter. The last row shows that `PreferLargerIndex` is about who gets in: `StableSorted` still writes 8@2 before
//! 8@3. The sections below assert what each cell promises, no more.
//!
#![doc = include_str!("worked_example.md")]
//!
//! # What you want, and what to write
//!
//! | you want | write |
//! | --- | --- |
//! | the same bytes every time, everywhere: tests, reproducible evaluation, a regression that bisects | nothing: the default |
//! | the best items in order, equal keys may trade places | `Sorted` |
//! | the same items everywhere, the order does not matter (a mask, a sparsifier) | `Unsorted` |
//! | speed alone; any right answer will do | `(NotGuaranteed, Unspecified, Unsorted)` |
//! | candidates of a vector search, re-ranked later by exact distance | `(NotGuaranteed, Unspecified, Unsorted)` |
//! | neighbours of a vector search, shown to a user | `(NotGuaranteed, Unspecified, Sorted)`, or `Sorted` where paging must not repeat items |
//! | the next token of a language model, sampled from the k largest logits with a seed that must replay | nothing: a cumulative sum runs over the sequence, so the order counts |
//! | the same, without replay | `(NotGuaranteed, Unspecified, Sorted)` |
//! | the experts of a mixture, routed alike on every device and in every batch: low-precision gates tie often | `Unsorted` |
//! | gradients to send after sparsifying, on one device, repeatable | `(RunToRun, Unspecified, Unsorted)` |
//! | the most recent of equal items, where the index is a time | `PreferLargerIndex` with `GpuToGpu` and an ordering |
//!
//! # Coming from elsewhere
//!
//! **CUB.** The tokens have the names of `cuda::execution::determinism`, `tie_break` and `output_ordering`, in camel case,
//! and the table of legal pairs is the same. What differs: CUB's batched top-k runs one combination so far, (not_guaranteed,
//! unspecified, unsorted), and rejects the sorted ones and the empty requirement, which is its own default, at compile time.
//! Here all 16 requests run, on every engine, so nothing has to be opted out of; the order of the tokens is free, and the set
//! of a segment does not depend on its batch. A missing requirement is therefore not the fast path: write
//! `(NotGuaranteed, Unspecified, Unsorted)` to keep what a CUB call asked for.
//!
//! **torch.** `torch.topk` promises nothing about ties:
//!
//! | torch | here |
//! | --- | --- |
//! | `topk(x, k)`, `sorted=True` | [`max_keys_and_indices`](crate::max_keys_and_indices), `(NotGuaranteed, Unspecified, Sorted)` or stronger |
//! | `sorted=False` | `(NotGuaranteed, Unspecified, Unsorted)` or stronger |
//! | `largest=False` | [`min_keys_and_indices`](crate::min_keys_and_indices) |
//! | int64 indices | an index buffer of `i64` |
//! | `sort(stable=True)`, then the first k | the default |
//! | `k` larger than the row: an error | the whole row; the rest of the output stays as it was, or is [filled](crate::Request) |
//!
//! **NumPy.** `argpartition` is `(NotGuaranteed, Unspecified, Unsorted)`; `argsort(kind="stable")[:k]` is the default of
//! [`min_indices`](crate::min_indices). Its reverse, `[::-1][:k]`, puts equal keys by *descending* index, which no ordering here does.
//!
//! [`NotGuaranteed`]: crate::requirement::NotGuaranteed
//! [`RunToRun`]: crate::requirement::RunToRun
//! [`GpuToGpu`]: crate::requirement::GpuToGpu
//! [`Unspecified`]: crate::requirement::Unspecified
//! [`PreferSmallerIndex`]: crate::requirement::PreferSmallerIndex
//! [`PreferLargerIndex`]: crate::requirement::PreferLargerIndex
//! [`Unsorted`]: crate::requirement::Unsorted
//! [`Sorted`]: crate::requirement::Sorted
//! [`StableSorted`]: crate::requirement::StableSorted
