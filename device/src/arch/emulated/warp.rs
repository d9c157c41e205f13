//! Operations of a warp.
//!
//! For every function that takes a `mask`: **the lanes in it, and no others, execute the same call together**; a lane
//! that calls is in the mask. Of these only [`sync`] orders memory accesses.

use super::thread;
use cluster_topk_emulate::device::{self, From, Vote};

/// All 32 lanes.
pub const ALL: u32 = u32::MAX;

/// Waits for the lanes in `mask` and orders their memory accesses: PTX `bar.warp.sync`.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane is in it.
#[track_caller]
pub unsafe fn sync(mask: u32) {
    device::warp_sync(mask);
}

/// A value that shuffles move.
pub trait Shuffle: Copy {
    #[doc(hidden)]
    fn to_bits(self) -> u64;
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
}

macro_rules! shuffle {
    ($($t:ty)*) => {$(
        impl Shuffle for $t {
            fn to_bits(self) -> u64 {
                self.into()
            }
            fn from_bits(bits: u64) -> Self {
                bits as $t
            }
        }
    )*};
}
shuffle!(u32 u64);

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident($arg:ident) = $from:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// The lanes in `mask` execute this call together; the calling lane and the one read are in it.
        #[track_caller]
        pub unsafe fn $name<T: Shuffle>(mask: u32, value: T, $arg: u32) -> T {
            T::from_bits(device::shuffle(mask, value.to_bits(), $from))
        }
    )*};
}

shuffles! {
    /// The value of lane `lane` (modulo 32): PTX `shfl.sync.idx.b32`, once per 32-bit word.
    shuffle(lane) = From::Lane(lane);
    /// The value of the lane `delta` below, or this lane's own where there is none: PTX `shfl.sync.up.b32`.
    shuffle_up(delta) = From::Below(delta);
    /// The value of the lane `delta` above, or this lane's own where there is none: PTX `shfl.sync.down.b32`.
    shuffle_down(delta) = From::Above(delta);
    /// The value of the lane whose index differs in the bits `lanes`, which is below 32: PTX `shfl.sync.bfly.b32`.
    shuffle_xor(lanes) = From::Xor(lanes);
}

macro_rules! collective {
    ($($(#[$doc:meta])* $name:ident($value:ident: $t:ty) -> $r:ty = $vote:ident, |$out:ident| $of:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// The lanes in `mask` execute this call together; the calling lane is in it.
        #[track_caller]
        pub unsafe fn $name(mask: u32, $value: $t) -> $r {
            let $out = device::vote(mask, Vote::$vote, $value.into());
            $of
        }
    )*};
}

collective! {
    /// The lanes of `mask` that passed `true`, as a mask: PTX `vote.sync.ballot.b32`.
    ballot(predicate: bool) -> u32 = Ballot, |lanes| lanes;
    /// Whether some lane of `mask` passed `true`: PTX `vote.sync.any.pred`.
    any(predicate: bool) -> bool = Any, |any| any != 0;
    /// Whether all lanes of `mask` passed `true`: PTX `vote.sync.all.pred`.
    all(predicate: bool) -> bool = All, |all| all != 0;
    /// The lanes of `mask` that passed the same value as this one: PTX `match.any.sync.b32`.
    match_any(value: u32) -> u32 = MatchAny, |lanes| lanes;
    /// The wrapping sum over `mask`: PTX `redux.sync.add.u32`.
    reduce_add(value: u32) -> u32 = Add, |sum| sum;
    /// The least value over `mask`: PTX `redux.sync.min.u32`.
    reduce_min(value: u32) -> u32 = Min, |least| least;
    /// The greatest value over `mask`: PTX `redux.sync.max.u32`.
    reduce_max(value: u32) -> u32 = Max, |most| most;
    /// The bits that all lanes of `mask` have set: PTX `redux.sync.and.b32`.
    reduce_and(value: u32) -> u32 = And, |bits| bits;
    /// The bits that some lane of `mask` has set: PTX `redux.sync.or.b32`.
    reduce_or(value: u32) -> u32 = Or, |bits| bits;
}

/// Whether this lane is the one that the warp elected among `mask`: PTX `elect.sync`.
///
/// The lane elected is the same at every call with the same mask.
///
/// # Safety
///
/// The lanes in `mask` execute this call together; the calling lane is in it.
#[cfg(feature = "cluster")]
#[track_caller]
pub unsafe fn elect(mask: u32) -> bool {
    device::vote(mask, Vote::Elect, 0) != 0
}

/// The lanes that happen to execute this call together: PTX `activemask.b32`. Any thread.
///
/// A hint and no more: here, the calling lane alone.
pub fn active_mask() -> u32 {
    1 << thread::lane()
}

/// The lanes below this one, as a mask: PTX `%lanemask_lt`. Any thread.
pub fn lanes_below() -> u32 {
    (1 << thread::lane()) - 1
}

/// This lane and those below: PTX `%lanemask_le`. Any thread.
pub fn lanes_to() -> u32 {
    lanes_below() | 1 << thread::lane()
}

/// The lanes above this one: PTX `%lanemask_gt`. Any thread.
pub fn lanes_above() -> u32 {
    !lanes_to()
}

/// This lane and those above: PTX `%lanemask_ge`. Any thread.
pub fn lanes_from() -> u32 {
    !lanes_below()
}
