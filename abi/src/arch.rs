//! What a GPU of a given compute capability can do.

use core::fmt;
use core::str::FromStr;

/// A compute capability, ordered by major, then minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputeCapability {
    /// Major number: 9 in 9.0.
    pub major: u8,
    /// Minor number: 0 in 9.0. At most 9.
    pub minor: u8,
}

impl ComputeCapability {
    /// The first compute capability with thread-block clusters.
    pub const FIRST_WITH_CLUSTERS: Self = Self::new(9, 0);

    /// `major.minor`.
    #[must_use]
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Whether `self` is `other` or newer: `>=` for `const` contexts.
    #[must_use]
    pub const fn at_least(self, other: Self) -> bool {
        self.major > other.major || (self.major == other.major && self.minor >= other.minor)
    }

    /// Whether this GPU launches thread-block clusters and has distributed shared memory.
    #[must_use]
    pub const fn cluster_capable(self) -> bool {
        self.at_least(Self::FIRST_WITH_CLUSTERS)
    }

    /// What the vendor's table says of this compute capability; see [`DeviceLimits::of`].
    #[must_use]
    pub const fn limits(self) -> Option<DeviceLimits> {
        DeviceLimits::of(self)
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A text that is no compute capability. It should read `9.0`, `90` or `sm_90` (a trailing `a` or `f` is ignored).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseComputeCapabilityError(());

impl fmt::Display for ParseComputeCapabilityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a compute capability: expected a form like `9.0`, `90` or `sm_90`")
    }
}

impl core::error::Error for ParseComputeCapabilityError {}

impl FromStr for ComputeCapability {
    type Err = ParseComputeCapabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const ERROR: ParseComputeCapabilityError = ParseComputeCapabilityError(());
        let digits = |part: &str| {
            // `u8::from_str` would take a plus sign too.
            if part.bytes().all(|byte| byte.is_ascii_digit()) {
                part.parse::<u8>().map_err(|_| ERROR)
            } else {
                Err(ERROR)
            }
        };
        let (major, minor) = match text.split_once('.') {
            Some(parts) => parts,
            None => {
                let number =
                    text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).unwrap_or(text);
                let number = number.strip_suffix(['a', 'f']).unwrap_or(number);
                number.len().checked_sub(1).and_then(|at| number.split_at_checked(at)).ok_or(ERROR)?
            }
        };
        match (digits(major)?, digits(minor)?) {
            (major @ 1.., minor @ 0..=9) => Ok(Self { major, minor }),
            _ => Err(ERROR),
        }
    }
}

/// The cluster width that every GPU with clusters launches without an opt-in.
pub const MAX_PORTABLE_CLUSTER_WIDTH: u32 = 8;

/// The widest cluster any GPU launches, after an opt-in to non-portable sizes.
pub const MAX_CLUSTER_WIDTH: u32 = 16;

/// Dynamic shared memory that a launch may use on any GPU without an opt-in, in bytes: 48 KiB.
pub const PORTABLE_SMEM_BYTES: u32 = 48 << 10;

/// Per-device limits that launch planning needs, in the units of the vendor's table.
///
/// The number of multiprocessors differs between products of one compute capability, so it is not here: it is a
/// run-time figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceLimits {
    /// Most shared memory of one thread block after an opt-in, in bytes.
    pub smem_per_block_optin_bytes: u32,
    /// Shared memory of one multiprocessor, in bytes. Each resident block takes
    /// [`smem_reserved_per_block_bytes`](Self::smem_reserved_per_block_bytes) of it on top of its own.
    pub smem_per_sm_bytes: u32,
    /// Shared memory that the system reserves in each thread block, in bytes.
    pub smem_reserved_per_block_bytes: u32,
    /// Most resident threads of one multiprocessor.
    pub max_threads_per_sm: u32,
    /// Most resident thread blocks of one multiprocessor.
    pub max_blocks_per_sm: u32,
    /// Widest cluster without an opt-in: 8, or 1 where there are no clusters.
    pub max_portable_cluster_width: u32,
    /// Widest cluster with an opt-in to non-portable sizes, as an upper bound: the driver's occupancy query has the last
    /// word, since a product with disabled multiprocessors may hold less.
    pub max_cluster_width: u32,
}

impl DeviceLimits {
    /// The limits of a compute capability, or `None` for one that the table does not hold (too old, or newer than this
    /// library): ask the driver instead.
    ///
    /// Source: CUDA C++ Programming Guide, "Compute Capabilities", technical specifications per compute capability, and
    /// "Thread Block Clusters" for the widths. 99, 163 and 227 KiB are the opt-in limits of one block; 100, 164 and
    /// 228 KiB are per multiprocessor, 1 KiB of which the system keeps per block.
    #[must_use]
    pub const fn of(cc: ComputeCapability) -> Option<Self> {
        const KIB: u32 = 1 << 10;
        // (opt-in KiB per block, KiB per multiprocessor, threads, blocks, widest cluster)
        let (block_kib, sm_kib, threads, blocks, width) = match (cc.major, cc.minor) {
            (8, 0) => (163, 164, 2048, 32, 1),
            (8, 6) => (99, 100, 1536, 16, 1),
            (8, 7) => (163, 164, 1536, 16, 1),
            (8, 9) => (99, 100, 1536, 24, 1),
            (9, 0) => (227, 228, 2048, 32, MAX_CLUSTER_WIDTH),
            (10, 0 | 3) => (227, 228, 2048, 32, MAX_CLUSTER_WIDTH),
            // Wider than the portable width is undocumented for these: keep to it.
            (11, 0) => (227, 228, 1536, 24, MAX_PORTABLE_CLUSTER_WIDTH),
            (12, 0 | 1) => (99, 100, 1536, 24, MAX_PORTABLE_CLUSTER_WIDTH),
            _ => return None,
        };
        Some(Self {
            smem_per_block_optin_bytes: block_kib * KIB,
            smem_per_sm_bytes: sm_kib * KIB,
            smem_reserved_per_block_bytes: KIB,
            max_threads_per_sm: threads,
            max_blocks_per_sm: blocks,
            max_portable_cluster_width: if cc.cluster_capable() { MAX_PORTABLE_CLUSTER_WIDTH } else { 1 },
            max_cluster_width: width,
        })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn order_is_major_then_minor() {
        let ascending = [(8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0)];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                let (a, b) = (ComputeCapability::new(a.0, a.1), ComputeCapability::new(b.0, b.1));
                assert_eq!(a >= b, i >= j, "{a} {b}");
                assert_eq!(a.at_least(b), i >= j, "{a} {b}");
            }
        }
    }

    #[test]
    fn text_round_trips() {
        for (text, major, minor) in [
            ("9.0", 9, 0),
            ("90", 9, 0),
            ("sm_90a", 9, 0),
            ("sm_120", 12, 0),
            ("compute_103f", 10, 3),
            ("12.1", 12, 1),
        ] {
            assert_eq!(text.parse(), Ok(ComputeCapability::new(major, minor)), "{text}");
        }
        for text in
            ["", ".", "9", "9.", ".0", "nine", "9.0.0", "+9.0", "9.10", "-90", "0.5", "sm_", "sm_9é", "3000"]
        {
            assert!(text.parse::<ComputeCapability>().is_err(), "{text}");
        }
        assert_eq!(ComputeCapability::new(10, 3).to_string(), "10.3");
    }

    #[test]
    fn limits_per_block() {
        for (major, minor, kib) in
            [(8, 0, 163), (8, 7, 163), (8, 6, 99), (8, 9, 99), (12, 0, 99), (9, 0, 227), (10, 0, 227)]
        {
            let cc = ComputeCapability::new(major, minor);
            let limits = cc.limits().unwrap();
            assert_eq!(limits.smem_per_block_optin_bytes, kib * 1024, "{cc}");
            // One block must fit its multiprocessor together with what the system keeps.
            assert_eq!(
                limits.smem_per_block_optin_bytes + limits.smem_reserved_per_block_bytes,
                limits.smem_per_sm_bytes,
                "{cc}"
            );
            assert_eq!(limits.max_portable_cluster_width > 1, cc.cluster_capable(), "{cc}");
            assert!(limits.max_cluster_width >= limits.max_portable_cluster_width, "{cc}");
        }
        assert_eq!(ComputeCapability::new(7, 0).limits(), None);
        assert_eq!(ComputeCapability::new(99, 0).limits(), None);
    }
}
