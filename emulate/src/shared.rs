//! The shared memory of one block.

use crate::clock::Tid;
use crate::shadow::Shadow;
use crate::site::Site;

/// A part of shared memory that a bulk copy has yet to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    pub(crate) from: u32,
    pub(crate) len: u32,
    /// Who started the copy, where.
    pub(crate) by: Tid,
    pub(crate) site: Site,
    /// Names the copy.
    pub(crate) copy: u64,
}

/// The bytes, and what is known of them.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) bytes: Vec<u8>,
    pub(crate) initialised: Vec<bool>,
    pub(crate) shadow: Shadow,
    pub(crate) awaited: Vec<Awaited>,
}

impl Shared {
    pub(crate) fn new(bytes: u32) -> Self {
        let bytes = bytes as usize;
        Self {
            bytes: vec![0xA5; bytes],
            initialised: vec![false; bytes],
            shadow: Shadow::new(bytes),
            awaited: Vec::new(),
        }
    }

    /// The copy that has yet to write one of `len` bytes from `from` on.
    pub(crate) fn awaits(&self, from: u32, len: u32) -> Option<Awaited> {
        self.awaited.iter().find(|a| from < a.from + a.len && a.from < from + len).copied()
    }
}

/// The little-endian value of up to 16 bytes.
pub(crate) fn value(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}
