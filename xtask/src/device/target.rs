//! What is compiled for.

/// A set of GPUs that one compilation serves.
#[derive(Debug)]
pub(crate) struct Target {
    /// The architecture compiled for, and the name of the target.
    pub(crate) name: &'static str,
    /// The PTX ISA version: the oldest that has what the kernels use, so that the oldest drivers load them.
    pub(crate) ptx: &'static str,
    /// Whether there are clusters.
    pub(crate) cluster: bool,
    /// The architectures that the check assembles the modules for.
    pub(crate) assembled_for: &'static [&'static str],
}

pub(crate) const TARGETS: &[Target] = &[
    // 7.4 has the `L1::no_allocate` hint.
    Target { name: "sm_80", ptx: "ptx74", cluster: false, assembled_for: &["sm_80"] },
    // 8.0 has bulk copies, and acquire and release on cluster barriers.
    Target { name: "sm_90", ptx: "ptx80", cluster: true, assembled_for: &["sm_90", "sm_100", "sm_120"] },
];
