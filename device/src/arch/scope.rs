//! Memory scopes.

/// The threads among which an atomic operation is one.
///
/// Always given as a constant: the match on it is gone after inlining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The threads of this block: PTX `.cta`.
    Block,
    /// The threads of all blocks of this cluster: PTX `.cluster` (sm_90, PTX ISA 7.8).
    #[cfg(feature = "cluster")]
    Cluster,
    /// All threads on this GPU: PTX `.gpu`.
    Device,
}
