//! Operations that threads execute together.

use crate::machine::{Collective, Reduction};
use crate::operation::{order, rendezvous, step};
use crate::site::Op;

macro_rules! block {
    ($($(#[$doc:meta])* $name:ident($predicate:ident) -> $r:ty = $op:ident, $reduction:ident, |$out:ident| $of:expr;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name($predicate: bool) -> $r {
            let $out = rendezvous(Op::$op, |m| m.arrive(0, None, true, (Reduction::$reduction, $predicate)));
            $of
        }
    )*};
}

/// `barrier.sync 0`.
#[track_caller]
pub fn block_sync() {
    rendezvous(Op::BlockSync, |m| m.arrive(0, None, true, (Reduction::None, false)));
}

block! {
    /// [`block_sync`], and how many threads passed `true`.
    block_count(predicate) -> u32 = BlockCount, Count, |count| count as u32;
    /// [`block_sync`], and whether one thread passed `true`.
    block_any(predicate) -> bool = BlockAny, Any, |any| any != 0;
    /// [`block_sync`], and whether all threads passed `true`.
    block_all(predicate) -> bool = BlockAll, All, |all| all != 0;
}

/// `barrier.sync id, threads`.
#[track_caller]
pub fn named_sync(id: u32, threads: u32) {
    rendezvous(Op::NamedSync, |m| m.arrive(id, Some(threads), true, (Reduction::None, false)));
}

/// `barrier.arrive id, threads`.
#[track_caller]
pub fn named_arrive(id: u32, threads: u32) {
    step(Op::NamedArrive, |m| m.arrive(id, Some(threads), false, (Reduction::None, false)).map(drop));
}

/// `barrier.cluster.arrive`, releasing or not.
#[track_caller]
pub fn cluster_arrive(release: bool) {
    if release {
        order(Op::ClusterArrive, |m| m.cluster_arrive(true));
    } else {
        step(Op::ClusterArriveRelaxed, |m| m.cluster_arrive(false));
    }
}

/// `barrier.cluster.wait`.
#[track_caller]
pub fn cluster_wait() {
    rendezvous(Op::ClusterWait, |m| m.cluster_wait());
}

/// `bar.warp.sync`.
#[track_caller]
pub fn warp_sync(mask: u32) {
    rendezvous(Op::WarpSync, |m| m.collective(Collective::Sync, mask, 0, 0));
}

/// How a shuffle names the lane that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// By its index, modulo 32.
    Lane(u32),
    /// This many below.
    Below(u32),
    /// This many above.
    Above(u32),
    /// By the bits in which its index differs.
    Xor(u32),
}

/// `shfl.sync`.
#[track_caller]
pub fn shuffle(mask: u32, value: u64, from: From) -> u64 {
    let (op, what, arg) = match from {
        From::Lane(lane) => (Op::Shuffle, Collective::Shuffle, lane),
        From::Below(delta) => (Op::ShuffleUp, Collective::ShuffleUp, delta),
        From::Above(delta) => (Op::ShuffleDown, Collective::ShuffleDown, delta),
        From::Xor(bits) => (Op::ShuffleXor, Collective::ShuffleXor, bits),
    };
    rendezvous(op, |m| m.collective(what, mask, value, arg))
}

/// What lanes compute of a value each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Vote {
    Ballot,
    Any,
    All,
    MatchAny,
    Add,
    Min,
    Max,
    And,
    Or,
    Elect,
}

/// `vote.sync`, `match.sync`, `redux.sync` and `elect.sync`, over 32-bit values; a predicate is 0 or 1.
#[track_caller]
pub fn vote(mask: u32, vote: Vote, value: u32) -> u32 {
    let (op, what) = match vote {
        Vote::Ballot => (Op::Ballot, Collective::Ballot),
        Vote::Any => (Op::Any, Collective::Any),
        Vote::All => (Op::All, Collective::All),
        Vote::MatchAny => (Op::MatchAny, Collective::MatchAny),
        Vote::Add => (Op::ReduceAdd, Collective::ReduceAdd),
        Vote::Min => (Op::ReduceMin, Collective::ReduceMin),
        Vote::Max => (Op::ReduceMax, Collective::ReduceMax),
        Vote::And => (Op::ReduceAnd, Collective::ReduceAnd),
        Vote::Or => (Op::ReduceOr, Collective::ReduceOr),
        Vote::Elect => (Op::Elect, Collective::Elect),
    };
    rendezvous(op, |m| m.collective(what, mask, value.into(), 0)) as u32
}
