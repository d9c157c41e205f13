//! Loads, stores and atomic operations.

use super::order::GLOBAL;
use super::{Machine, Outcome, Slot};
use crate::clock::ENGINE;
use crate::fault::{Place, Rule};
use crate::memory::Use;
use crate::shadow::{Access, Accessor, How};
use crate::shared::value;

/// Which memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// The shared memory of a block, by its index in the grid.
    Shared(u32),
    /// Global memory.
    Global,
}

impl Machine {
    #[cold]
    pub(super) fn global_place(&self, address: u64) -> Place {
        Place::Global { address, buffer: self.memory.named(address) }
    }

    #[cold]
    fn place(&self, space: Space, address: u64) -> Place {
        match space {
            Space::Shared(block) => Place::Shared { block, offset: address as u32 },
            Space::Global => self.global_place(address),
        }
    }

    #[cold]
    fn race(&self, space: Space, address: u64, old: Access) -> Box<crate::fault::Fault> {
        let scoped = |how| matches!(how, How::Atomic(_) | How::AtomicRead(_));
        let place = self.place(space, address);
        if old.tid >= ENGINE {
            return self.fault_at(
                Rule::BulkNotComplete,
                place,
                "the phase of a bulk copy into it has not been seen to complete",
            );
        }
        // Two atomic accesses conflict by their scopes only: the shadow says so by giving an atomic one to an atomic one.
        let (rule, detail) = if scoped(old.how) && self.atomic_now() {
            (
                Rule::Scope,
                "the scope of one of two atomic accesses leaves out the other's thread, and nothing orders them",
            )
        } else {
            (Rule::Race, "nothing orders it after a conflicting access")
        };
        let mut fault = self.fault_at(rule, place, format!("{detail} ({:?})", old.how));
        fault.other = Some((self.name(old.tid), old.site));
        fault
    }

    fn atomic_now(&self) -> bool {
        use crate::site::Op;
        let op = self.threads[self.current as usize].site.op;
        (Op::Add..=Op::StoreRelease).contains(&op)
    }

    /// Checks that `len` aligned bytes are there, and notes the access.
    #[inline]
    pub(super) fn touch(&mut self, space: Space, address: u64, len: u32, how: How) -> Outcome<()> {
        if !address.is_multiple_of(len.into()) {
            return Err(self.fault_at(
                Rule::Misaligned,
                self.place(space, address),
                format!("{len} bytes lie at a multiple of {len}"),
            ));
        }
        match space {
            Space::Shared(block) => self.touch_shared(block, address, len, how),
            Space::Global => self.touch_global(address, len, how),
        }
    }

    fn touch_shared(&mut self, block: u32, address: u64, len: u32, how: How) -> Outcome<()> {
        let space = Space::Shared(block);
        if address + u64::from(len) > u64::from(self.launch.shared_bytes) {
            let detail = format!("the launch has {} bytes of shared memory", self.launch.shared_bytes);
            return Err(self.fault_at(Rule::OutOfBounds, self.place(space, address), detail));
        }
        let offset = address as u32;
        if block != self.block_of(self.current) {
            self.visit(block, offset)?;
        }
        if self.is_mbarrier(block, offset, len) {
            return Err(self.fault_at(
                Rule::MbarrierInUse,
                self.place(space, address),
                "a barrier lies there",
            ));
        }
        let thread = &self.threads[self.current as usize];
        let by = Accessor {
            tid: self.current,
            clock: thread.clock,
            site: thread.site,
            view: &thread.view,
            threads: self.launch.threads,
            cluster_width: self.launch.cluster_width,
        };
        let Slot::Running(running) = &mut self.slots[block as usize] else {
            unreachable!("`visit` found the block running");
        };
        let shared = &mut running.shared;
        if !shared.awaited.is_empty()
            && let Some(awaited) = shared.awaits(offset, len)
        {
            let other = (self.name(awaited.by), awaited.site);
            let mut fault = self.fault_at(
                Rule::BulkNotComplete,
                self.place(space, address),
                "a bulk copy into it is on its way",
            );
            fault.other = Some(other);
            return Err(fault);
        }
        if let Err(old) = shared.shadow.access(offset as usize, len as usize, how, &by) {
            return Err(self.race(space, address, old));
        }
        let bytes = offset as usize..(offset + len) as usize;
        let initialised = &mut shared.initialised[bytes];
        match how {
            How::Write => initialised.fill(true),
            _ if initialised.contains(&false) => {
                return Err(self.fault_at(
                    Rule::Uninitialised,
                    self.place(space, address),
                    "nobody has written it",
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn touch_global(&mut self, address: u64, len: u32, how: How) -> Outcome<()> {
        let thread = &self.threads[self.current as usize];
        let by = Accessor {
            tid: self.current,
            clock: thread.clock,
            site: thread.site,
            view: &thread.view,
            threads: self.launch.threads,
            cluster_width: self.launch.cluster_width,
        };
        let Some((found, offset)) =
            self.memory.find(address).filter(|(a, at)| at + len as usize <= a.bytes.len())
        else {
            return Err(self.fault_at(
                Rule::OutOfBounds,
                self.global_place(address),
                format!("{len} bytes are not in a buffer"),
            ));
        };
        let (used_as, bytes) = (found.used_as, offset..offset + len as usize);
        let reads = matches!(how, How::Read | How::AtomicRead(_));
        match used_as {
            Use::Input if reads => return Ok(()),
            Use::Input => {
                return Err(self.fault_at(Rule::InputWritten, self.global_place(address), "it is an input"));
            }
            Use::Output | Use::Scratch => {}
        }
        if let Some(shadow) = &mut found.shadow
            && let Err(old) = shadow.access(offset, len as usize, how, &by)
        {
            return Err(self.race(Space::Global, address, old));
        }
        let written = &mut found.written[bytes];
        let fault = match used_as {
            Use::Output if reads && written.contains(&false) => {
                Some((Rule::Uninitialised, "this launch has not written it"))
            }
            Use::Output if !reads && written.contains(&true) => {
                Some((Rule::WrittenTwice, "this launch wrote it before"))
            }
            _ => None,
        };
        if !reads {
            written.fill(true);
        }
        match fault {
            Some((rule, detail)) => Err(self.fault_at(rule, self.global_place(address), detail)),
            None => Ok(()),
        }
    }

    /// The bytes of an access that [`Self::touch`] has checked.
    pub(super) fn slice(&mut self, space: Space, address: u64, len: u32) -> &mut [u8] {
        match space {
            Space::Shared(block) => match &mut self.slots[block as usize] {
                Slot::Running(running) => &mut running.shared.bytes[address as usize..][..len as usize],
                _ => unreachable!("checked"),
            },
            Space::Global => match self.memory.find(address) {
                Some((found, offset)) => &mut found.bytes[offset..offset + len as usize],
                None => unreachable!("checked"),
            },
        }
    }

    /// A plain load; `constant` if it promises that the launch writes nothing there.
    pub(crate) fn load(&mut self, space: Space, address: u64, len: u32, constant: bool) -> Outcome<u128> {
        self.touch(space, address, len, How::Read)?;
        if constant
            && let Some((found, offset)) = self.memory.find(address)
            && found.used_as != Use::Input
            && found.written[offset..offset + len as usize].contains(&true)
        {
            return Err(self.fault_at(Rule::NotConstant, self.global_place(address), "this launch wrote it"));
        }
        Ok(value(self.slice(space, address, len)))
    }

    /// A plain store.
    pub(crate) fn store(&mut self, space: Space, address: u64, len: u32, new: u128) -> Outcome<()> {
        self.touch(space, address, len, How::Write)?;
        self.progress();
        self.spin(false);
        self.slice(space, address, len).copy_from_slice(&new.to_le_bytes()[..len as usize]);
        self.released.remove(&key(space, address));
        Ok(())
    }

    /// A write to shared memory by an operation that is not a store.
    pub(super) fn plain_write(&mut self, block: u32, offset: u32, bytes: &[u8]) -> Outcome<()> {
        let (space, address, len) = (Space::Shared(block), u64::from(offset), bytes.len() as u32);
        self.touch(space, address, len, How::Write)?;
        self.slice(space, address, len).copy_from_slice(bytes);
        Ok(())
    }
}

/// How releases are found again.
pub(super) const fn key(space: Space, address: u64) -> (u32, u64) {
    match space {
        Space::Shared(block) => (block, address),
        Space::Global => (GLOBAL, address),
    }
}
