//! Where an operation stands in the source.

use std::fmt;
use std::panic::Location;

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident $text:literal $(, $orders:ident)?;)*) => {
        /// An operation, by the name that the device code calls it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Op { $($name),* }

        impl Op {
            /// The name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// Whether the operation is there to order others: what a mutation test takes out.
            #[must_use]
            pub const fn orders(self) -> bool {
                match self { $(Self::$name => ops!(@ $($orders)?)),* }
            }
        }
    };
    (@) => { false };
    (@ orders) => { true };
}

ops! {
    Start "start of the thread";
    Load "load";
    Load16 "load16";
    LoadConstant "load_constant";
    Store "store";
    Store16 "store16";
    Add "add";
    FetchAdd "fetch_add";
    FetchMin "fetch_min";
    FetchMax "fetch_max";
    FetchOr "fetch_or";
    Exchange "exchange";
    CompareExchange "compare_exchange";
    LoadRelaxed "load_relaxed";
    LoadAcquire "load_acquire";
    StoreRelaxed "store_relaxed";
    StoreRelease "store_release";
    Carve "carve";
    Map "at";
    BlockSync "block::sync", orders;
    BlockCount "block::sync_count", orders;
    BlockAny "block::sync_any", orders;
    BlockAll "block::sync_all", orders;
    NamedSync "named_barrier::sync";
    NamedArrive "named_barrier::arrive";
    ClusterArrive "cluster::arrive", orders;
    ClusterArriveRelaxed "cluster::arrive_relaxed";
    ClusterWait "cluster::wait", orders;
    WarpSync "warp::sync", orders;
    Shuffle "warp::shuffle";
    ShuffleUp "warp::shuffle_up";
    ShuffleDown "warp::shuffle_down";
    ShuffleXor "warp::shuffle_xor";
    Ballot "warp::ballot";
    Any "warp::any";
    All "warp::all";
    MatchAny "warp::match_any";
    ReduceAdd "warp::reduce_add";
    ReduceMin "warp::reduce_min";
    ReduceMax "warp::reduce_max";
    ReduceAnd "warp::reduce_and";
    ReduceOr "warp::reduce_or";
    Elect "warp::elect";
    ActiveMask "warp::active_mask";
    FenceBlock "fence::block", orders;
    FenceCluster "fence::cluster", orders;
    FenceDevice "fence::device", orders;
    FenceProxyAsync "fence::proxy_async", orders;
    FenceInit "mbarrier::fence_init", orders;
    MbarrierInit "Mbarrier::init";
    MbarrierInvalidate "Mbarrier::invalidate";
    MbarrierArrive "Mbarrier::arrive";
    MbarrierArriveExpect "Mbarrier::arrive_expect";
    MbarrierTryWait "Mbarrier::try_wait", orders;
    BulkCopy "bulk::copy";
    BulkPrefetch "bulk::prefetch";
    GridWait "grid::wait_for_previous";
    GridLaunch "grid::launch_dependents";
}

impl Op {
    /// The operation that this one makes no sense without, or itself.
    pub(crate) const fn pair(self) -> Self {
        if matches!(self, Self::ClusterWait) { Self::ClusterArrive } else { self }
    }
}

/// An operation at a place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The operation.
    pub op: Op,
    /// The line that calls it.
    pub at: &'static Location<'static>,
}

impl Site {
    #[track_caller]
    pub(crate) fn here(op: Op) -> Self {
        Self { op, at: Location::caller() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {}:{}", self.op.name(), self.at.file(), self.at.line())
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
