//! Operations of a warp.
//!
//! For every function that takes a `mask`: **the lanes in it, and no others, execute the same call together**; a lane
//! that calls is in the mask. Of these only [`sync`] orders memory accesses.

use super::intrinsics;

/// All 32 lanes.
pub const ALL: u32 = u32::MAX;
/// `shfl`'s clamp operand for a segment of 32 lanes, except for `up`.
const LAST_LANE: u32 = 31;

/// Waits for the lanes in `mask` and orders their memory accesses: PTX `bar.warp.sync`.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane is in it.
#[inline(always)]
pub unsafe fn sync(mask: u32) {
    // SAFETY: the caller's promise.
    unsafe { intrinsics::warp_sync(mask) }
}

/// A value that shuffles move.
pub trait Shuffle: Copy {
    /// Applies `f` to each 32-bit word.
    #[doc(hidden)]
    fn by_words(self, f: impl Fn(u32) -> u32) -> Self;
}

impl Shuffle for u32 {
    #[inline(always)]
    fn by_words(self, f: impl Fn(u32) -> u32) -> Self {
        f(self)
    }
}

impl Shuffle for u64 {
    #[inline(always)]
    fn by_words(self, f: impl Fn(u32) -> u32) -> Self {
        u64::from(f(self as u32)) | u64::from(f((self >> 32) as u32)) << 32
    }
}

/// The value of lane `lane` (modulo 32): PTX `shfl.sync.idx.b32`, once per 32-bit word.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane and `lane` are in it.
#[inline(always)]
pub unsafe fn shuffle<T: Shuffle>(mask: u32, value: T, lane: u32) -> T {
    // SAFETY: the caller's promise.
    value.by_words(|w| unsafe { intrinsics::shfl_idx(mask, w, lane, LAST_LANE) })
}

/// The value of the lane `delta` below, or this lane's own where there is none: PTX `shfl.sync.up.b32`.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane and the one read are in it.
#[inline(always)]
pub unsafe fn shuffle_up<T: Shuffle>(mask: u32, value: T, delta: u32) -> T {
    // SAFETY: the caller's promise.
    value.by_words(|w| unsafe { intrinsics::shfl_up(mask, w, delta, 0) })
}

/// The value of the lane `delta` above, or this lane's own where there is none: PTX `shfl.sync.down.b32`.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane and the one read are in it.
#[inline(always)]
pub unsafe fn shuffle_down<T: Shuffle>(mask: u32, value: T, delta: u32) -> T {
    // SAFETY: the caller's promise.
    value.by_words(|w| unsafe { intrinsics::shfl_down(mask, w, delta, LAST_LANE) })
}

/// The value of the lane whose index differs in the bits `lanes`: PTX `shfl.sync.bfly.b32`.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane and the one read are in it; `lanes < 32`.
#[inline(always)]
pub unsafe fn shuffle_xor<T: Shuffle>(mask: u32, value: T, lanes: u32) -> T {
    // SAFETY: the caller's promise.
    value.by_words(|w| unsafe { intrinsics::shfl_xor(mask, w, lanes, LAST_LANE) })
}

macro_rules! collective {
    ($($(#[$doc:meta])* $name:ident($value:ident: $t:ty) -> $r:ty = |$m:ident| $call:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// The lanes in `mask` execute this call together; the calling lane is in it.
        #[inline(always)]
        pub unsafe fn $name($m: u32, $value: $t) -> $r {
            // SAFETY: the caller's promise.
            unsafe { $call }
        }
    )*};
}

collective! {
    /// The lanes of `mask` that passed `true`, as a mask: PTX `vote.sync.ballot.b32`.
    ballot(predicate: bool) -> u32 = |mask| intrinsics::vote_ballot(mask, predicate);
    /// Whether some lane of `mask` passed `true`: PTX `vote.sync.any.pred`.
    any(predicate: bool) -> bool = |mask| intrinsics::vote_any(mask, predicate);
    /// Whether all lanes of `mask` passed `true`: PTX `vote.sync.all.pred`.
    all(predicate: bool) -> bool = |mask| intrinsics::vote_all(mask, predicate);
    /// The lanes of `mask` that passed the same value as this one: PTX `match.any.sync.b32`.
    match_any(value: u32) -> u32 = |mask| intrinsics::match_any(mask, value);
    /// The wrapping sum over `mask`: PTX `redux.sync.add.u32` (sm_80).
    reduce_add(value: u32) -> u32 = |mask| intrinsics::redux_add(value, mask);
    /// The least value over `mask`: PTX `redux.sync.min.u32` (sm_80).
    reduce_min(value: u32) -> u32 = |mask| intrinsics::redux_min(value, mask);
    /// The greatest value over `mask`: PTX `redux.sync.max.u32` (sm_80).
    reduce_max(value: u32) -> u32 = |mask| intrinsics::redux_max(value, mask);
    /// The bits that all lanes of `mask` have set: PTX `redux.sync.and.b32` (sm_80).
    reduce_and(value: u32) -> u32 = |mask| intrinsics::redux_and(value, mask);
    /// The bits that some lane of `mask` has set: PTX `redux.sync.or.b32` (sm_80).
    reduce_or(value: u32) -> u32 = |mask| intrinsics::redux_or(value, mask);
}

/// Whether this lane is the one that the warp elected among `mask`: PTX `elect.sync` (sm_90, PTX ISA 8.0).
///
/// The lane elected is the same at every call with the same mask.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane is in it.
#[cfg(feature = "cluster")]
#[inline(always)]
pub unsafe fn elect(mask: u32) -> bool {
    // SAFETY: the caller's promise.
    let elected = unsafe { intrinsics::elect(mask) };
    elected.this
}

/// The lanes that happen to execute this call together: PTX `activemask.b32`. Any thread.
///
/// A hint and no more: lanes that the program would bring here together need not arrive together.
#[inline(always)]
pub fn active_mask() -> u32 {
    intrinsics::activemask()
}

/// The lanes below this one, as a mask: PTX `%lanemask_lt`. Any thread.
#[inline(always)]
pub fn lanes_below() -> u32 {
    intrinsics::lanemask_lt()
}

/// This lane and those below: PTX `%lanemask_le`. Any thread.
#[inline(always)]
pub fn lanes_to() -> u32 {
    intrinsics::lanemask_le()
}

/// The lanes above this one: PTX `%lanemask_gt`. Any thread.
#[inline(always)]
pub fn lanes_above() -> u32 {
    intrinsics::lanemask_gt()
}

/// This lane and those above: PTX `%lanemask_ge`. Any thread.
#[inline(always)]
pub fn lanes_from() -> u32 {
    intrinsics::lanemask_ge()
}
