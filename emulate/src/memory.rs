//! Global memory: buffers that the host makes and a launch reaches by address.
//!
//! Addresses are the emulator's own. Nothing lies between buffers, so that an access that leaves one is seen.

use crate::shadow::Shadow;

/// What a launch may do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Read it.
    Input,
    /// Write each byte at most once, and read back what is written.
    Output,
    /// Read and write it.
    Scratch,
}

/// A buffer of a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer(usize);

#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) name: String,
    pub(crate) base: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) used_as: Use,
    /// Bytes that the last launch wrote; empty for an input.
    pub(crate) written: Vec<bool>,
    pub(crate) shadow: Option<Shadow>,
}

/// The GPU's global memory.
#[derive(Debug)]
pub struct Memory {
    pub(crate) allocations: Vec<Allocation>,
    next: u64,
    /// The allocation found last.
    recent: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self { allocations: Vec::new(), next: 0x7_0000_0000, recent: 0 }
    }
}

/// Buffers are as far apart at least, and begin at multiples of it.
const APART: u64 = 4096;

impl Memory {
    /// Memory without buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer that holds `bytes`; faults call it `name`.
    pub fn add(&mut self, name: &str, used_as: Use, bytes: &[u8]) -> Buffer {
        self.add_at(name, used_as, bytes, 0)
    }

    /// [`add`](Self::add), `past` bytes past a multiple of 4,096.
    ///
    /// # Panics
    ///
    /// When `past` is 4,096 or more.
    pub fn add_at(&mut self, name: &str, used_as: Use, bytes: &[u8], past: u64) -> Buffer {
        assert!(past < APART, "{past} bytes past a multiple of {APART}");
        let base = self.next + past;
        self.next = (base + bytes.len() as u64).next_multiple_of(APART) + APART;
        self.allocations.push(Allocation {
            name: name.to_owned(),
            base,
            bytes: bytes.to_vec(),
            used_as,
            written: Vec::new(),
            shadow: None,
        });
        Buffer(self.allocations.len() - 1)
    }

    /// The device address of a buffer.
    #[must_use]
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.allocations[buffer.0].base
    }

    /// What is in a buffer.
    #[must_use]
    pub fn bytes(&self, buffer: Buffer) -> &[u8] {
        &self.allocations[buffer.0].bytes
    }

    /// What is in a buffer, to be changed between launches.
    pub fn bytes_mut(&mut self, buffer: Buffer) -> &mut [u8] {
        &mut self.allocations[buffer.0].bytes
    }

    /// Which bytes of an output or of scratch the last launch wrote: what it must write and did not is `false` here.
    #[must_use]
    pub fn written(&self, buffer: Buffer) -> &[bool] {
        &self.allocations[buffer.0].written
    }

    /// Forgets what former launches did: they happen before the next one.
    pub(crate) fn begin(&mut self) {
        for allocation in &mut self.allocations {
            if allocation.used_as != Use::Input {
                allocation.written.clear();
                allocation.written.resize(allocation.bytes.len(), false);
                allocation.shadow = Some(Shadow::new(allocation.bytes.len()));
            }
        }
    }

    /// The allocation that holds `address`, and how far into it that is.
    #[inline]
    pub(crate) fn find(&mut self, address: u64) -> Option<(&mut Allocation, usize)> {
        let holds = |a: &Allocation| address.wrapping_sub(a.base) < a.bytes.len() as u64;
        if !self.allocations.get(self.recent).is_some_and(holds) {
            self.recent = self.allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
        }
        let allocation = self.allocations.get_mut(self.recent).filter(|a| holds(a))?;
        let offset = (address - allocation.base) as usize;
        Some((allocation, offset))
    }

    /// The buffer near `address` that a message should name: the one it is in, or just past.
    pub(crate) fn named(&self, address: u64) -> Option<(String, u64)> {
        let found = self.allocations.iter().rev().find(|a| a.base <= address)?;
        let offset = address - found.base;
        (offset < found.bytes.len() as u64 + APART).then(|| (found.name.clone(), offset))
    }
}
