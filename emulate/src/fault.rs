//! What stops a run.

use crate::schedule::Schedule;
use crate::site::Site;
use std::fmt;

/// The rule that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Shared memory, or an output, is read before it is written.
    Uninitialised,
    /// An access leaves its array, its allocation, or the shared memory of the launch.
    OutOfBounds,
    /// An address, or a byte count of a bulk copy, is not the multiple it must be.
    Misaligned,
    /// Two accesses conflict, and neither happens before the other.
    Race,
    /// Two atomic accesses that nothing orders, of which one's scope leaves out the other's thread.
    Scope,
    /// An output is written a second time.
    WrittenTwice,
    /// An input is written.
    InputWritten,
    /// A load that promises constant memory reads what the launch writes.
    NotConstant,
    /// A barrier waits for a thread that waits elsewhere.
    BarrierNotReached,
    /// A warp operation waits for a lane that has exited or waits elsewhere.
    LaneMissing,
    /// Threads that must make one call together make different ones.
    Diverged,
    /// An argument that the operation does not allow.
    Argument,
    /// Shared memory of a block that is not known to have started.
    PeerNotStarted,
    /// Shared memory of a block that nothing keeps from exiting before the access.
    PeerExited,
    /// A barrier in shared memory is used before it is made, after its end, or by an ordinary access.
    MbarrierNotInitialised,
    /// A barrier in shared memory is made where one is in use.
    MbarrierInUse,
    /// A barrier in shared memory is used without the fence that publishes it.
    MbarrierInitFence,
    /// More arrivals than the phase expects.
    MbarrierPhase,
    /// A phase expects other bytes than its copies bring, or too many.
    ExpectTx,
    /// Ordinary accesses to the destination of a bulk copy are not fenced from it.
    ProxyFence,
    /// The destination of a bulk copy is accessed before its phase is seen to complete.
    BulkNotComplete,
    /// A block exits, and none of its threads has seen a bulk copy into it complete.
    BulkInFlight,
    /// Threads wait for each other in loops, or the launch has run longer than it may.
    NoProgress,
    /// The device code panicked.
    Panic,
}

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId {
    /// The block's index in the grid.
    pub block: u32,
    /// The warp's index in the block.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} warp {} lane {}", self.block, self.warp, self.lane)
    }
}

/// Where an access went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte of a block's shared memory.
    Shared {
        /// The block.
        block: u32,
        /// Bytes from the front.
        offset: u32,
    },
    /// A global address.
    Global {
        /// The address.
        address: u64,
        /// The buffer, and the bytes from its front, if it is in one.
        buffer: Option<(String, u64)>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared { block, offset } => write!(f, "shared byte {offset} of block {block}"),
            Self::Global { buffer: Some((name, offset)), .. } => write!(f, "byte {offset} of `{name}`"),
            Self::Global { address, buffer: None } => write!(f, "global address {address:#x}"),
        }
    }
}

/// A broken rule: what, where, who, and how to see it again.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The thread that was at it.
    pub thread: ThreadId,
    /// The operation it was at.
    pub site: Site,
    /// The memory concerned.
    pub place: Option<Place>,
    /// The other party, of a race for instance.
    pub other: Option<(ThreadId, Site)>,
    /// What happened, in words.
    pub detail: String,
    /// The interleaving.
    pub schedule: Schedule,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} by {}", self.rule, self.site, self.thread)?;
        if let Some(place) = &self.place {
            write!(f, ", {place}")?;
        }
        write!(f, ": {}", self.detail)?;
        if let Some((thread, site)) = &self.other {
            write!(f, "; the other is {site} by {thread}")?;
        }
        write!(f, " ({})", self.schedule)
    }
}

impl std::error::Error for Fault {}
