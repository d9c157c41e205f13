//! What a launch hands to a kernel, by value.

/// The parameters of the probe kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ProbeParams {
    /// Device address of the keys: segments of `segment_len`, one after the other.
    pub keys: u64,
    /// Device address of one `u64` per segment, which receives the k-th key.
    pub out: u64,
    /// Keys in a segment.
    pub segment_len: u32,
    /// Segments; one block each, or one cluster.
    pub segments: u32,
    /// Which key: 1 for the least, up to `segment_len`.
    pub k: u32,
}
