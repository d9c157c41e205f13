//! One variant per cause: what was required, what was given, and of which argument.

use cluster_topk_abi::policy::PolicyError;

/// Why a request was refused. Nothing has been written when one of these comes back from validation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A buffer holds fewer elements than the request reads or writes.
    #[error("{buffer} is too short: {required} elements are needed, {given} are there")]
    BufferTooShort {
        /// Which buffer.
        buffer: BufferName,
        /// The number of elements needed.
        required: u128,
        /// The number of elements given.
        given: u128,
    },
    /// Two neighbouring offsets decrease.
    #[error("offsets are not monotone: segment {segment} starts at {start} and ends at {end}")]
    OffsetsNotMonotone {
        /// The segment between the two offsets.
        segment: usize,
        /// Its first offset.
        start: i128,
        /// Its second offset.
        end: i128,
    },
    /// An offset is negative or lies beyond the keys.
    #[error("offset {index} is {offset}: offsets of these keys lie within 0..={limit}")]
    OffsetOutOfRange {
        /// The position in the offset buffer.
        index: usize,
        /// The offset there.
        offset: i128,
        /// The number of keys.
        limit: u64,
    },
    /// A number lies outside the bounds that were stated for it, or outside what its type allows.
    #[error("{argument}{} is {value}: it must lie within {lo}..={hi}", of_segment(*.segment))]
    OutOfBounds {
        /// Which number.
        argument: ArgumentName,
        /// The segment it belongs to, where there is one number per segment.
        segment: Option<usize>,
        /// The smallest value allowed.
        lo: i128,
        /// The largest value allowed.
        hi: i128,
        /// The value given.
        value: i128,
    },
    /// The bounds stated at run time make no sense: the upper one is outside 0..=2^31 − 1 or below the lower one.
    #[error(
        "the bounds {lo}..={hi} of {argument} are not usable: 0 <= upper <= 2147483647 and lower <= upper are required"
    )]
    BadBounds {
        /// Which number the bounds are for.
        argument: ArgumentName,
        /// The lower bound given.
        lo: i128,
        /// The upper bound given.
        hi: i128,
    },
    /// The rows of the output would overlap.
    #[error("the output pitch is {given}: with more than one segment it must be at least {required}")]
    PitchTooSmall {
        /// The items a row may need.
        required: u64,
        /// The pitch given.
        given: u64,
    },
    /// An element stride of 0 names the same key over and over.
    #[error("the element stride is 0: it must be at least 1")]
    ZeroStride,
    /// More segments than one launch can number.
    #[error("{given} segments are too many: at most {limit} at cluster width {cluster_width}")]
    TooManySegments {
        /// The number of segments given.
        given: u128,
        /// The largest number, (2^31 − 1) / cluster width.
        limit: u64,
        /// The thread blocks that work on one segment.
        cluster_width: u32,
    },
    /// A buffer does not start at a multiple of its elements' alignment.
    #[error("{buffer} starts at address {address:#x}: its elements need an alignment of {required} bytes")]
    Unaligned {
        /// Which buffer.
        buffer: BufferName,
        /// Where it starts.
        address: u64,
        /// The alignment needed, in bytes.
        required: usize,
    },
    /// An output shares memory with an input or with another output.
    #[error("{first} and {second} share memory")]
    Overlap {
        /// One of the two.
        first: BufferName,
        /// The other.
        second: BufferName,
    },
    /// The request needs room in device memory beside its outputs, and was given none.
    #[error(
        "this request needs a workspace of {required} bytes: pass a device buffer of so many `u8`s to `Request::workspace`"
    )]
    WorkspaceMissing {
        /// The bytes needed, as `Request::workspace_bytes` says.
        required: u64,
    },
    /// There is no CUDA driver on this machine.
    #[error("no CUDA driver was found on this machine; `Env::cpu()` and `Env::best_available()` need none")]
    NoDriver,
    /// The CUDA driver knows no device of that number.
    #[error("there is no CUDA device {ordinal}: the driver reports {count}")]
    NoDevice {
        /// The device asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// No backend serves the request on that architecture.
    #[error("compute capability {capability} cannot serve this request: {reason}")]
    UnsupportedArchitecture {
        /// The device's compute capability.
        capability: String,
        /// What is missing, and what would help.
        reason: String,
    },
    /// This version of the GPU engine does not serve the request.
    #[error("the GPU engine cannot serve this request: {reason}")]
    Unsupported {
        /// What is missing, and what would help.
        reason: String,
    },
    /// [`ClusterCaps`](crate::gpu::ClusterCaps) with a field outside its range.
    #[error("these caps of the cluster backend are not usable: {fault}")]
    BadClusterCaps {
        /// The first field that is wrong, and its range.
        fault: PolicyError,
    },
    /// A buffer belongs to another context than the engine's stream.
    #[error("{buffer} belongs to another device or context than the engine's stream")]
    WrongDevice {
        /// Which buffer.
        buffer: BufferName,
    },
    /// A buffer of cust's was borrowed by a scope of another stream than the engine's.
    #[error("{buffer} was borrowed by a scope that waits for another stream than the engine's")]
    WrongStream {
        /// Which buffer.
        buffer: BufferName,
    },
    /// A stream lies in a context of its own, which the engine cannot share.
    #[error(
        "the stream belongs to another context than its device's primary one: make it under `cust::context::Context`, not under a legacy context"
    )]
    NotPrimaryContext,
    /// The stream is capturing while cudarc tracks the buffers' events, which a capture cannot wait for.
    #[error(
        "the stream is being captured while its context tracks events: call `CudaContext::disable_event_tracking` before the buffers are made"
    )]
    TrackedUnderCapture,
    /// This build of the library carries no device code.
    #[error("this build carries no device code; {remedy}")]
    DeviceCodeMissing {
        /// What to do about it.
        remedy: &'static str,
    },
    /// The stream is capturing and the kernels are not loaded yet.
    #[error(
        "the stream is being captured and these kernels are not loaded yet: call `Request::prepare` before the capture begins"
    )]
    NotPrepared,
    /// A call into the CUDA driver failed.
    #[error("{call} failed: {code} ({message})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's error name.
        code: String,
        /// The driver's explanation.
        message: String,
    },
    /// The worker threads could not be started.
    #[error("no pool of {threads} threads could be started: {message}")]
    ThreadPool {
        /// The number of threads asked for.
        threads: usize,
        /// The reason the system gave.
        message: String,
    },
}

fn of_segment(segment: Option<usize>) -> String {
    segment.map(|segment| format!(" of segment {segment}")).unwrap_or_default()
}

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(match self { $(Self::$variant => $text,)* })
            }
        }
    };
}

names! {
    /// The buffers of a request.
    BufferName {
        /// The keys read.
        Keys = "the key buffer",
        /// The values read.
        Values = "the value buffer",
        /// The segment offsets.
        Offsets = "the offset buffer",
        /// The segment sizes.
        Sizes = "the segment size buffer",
        /// The numbers of items to select.
        Ks = "the buffer of k",
        /// The keys written.
        KeysOut = "the key output",
        /// The values written.
        ValuesOut = "the value output",
        /// The indices written.
        IndicesOut = "the index output",
        /// The room beside the outputs, in bytes.
        Workspace = "the workspace",
    }
}

names! {
    /// The numbers of a request.
    ArgumentName {
        /// How many items to select.
        K = "k",
        /// How many keys a segment holds.
        SegmentSize = "the segment size",
        /// How many segments there are.
        SegmentCount = "the number of segments",
    }
}
