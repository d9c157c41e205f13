//! Atomic operations: what they read and write, at which scope.

use super::access::key;
use super::{Machine, Outcome, Slot, Space};
use crate::launch::Mutation;
use crate::shadow::{How, Scope};
use crate::shared::value;

impl Machine {
    /// An atomic operation that reads the old value, and writes what `new` makes of it if that is something.
    pub(crate) fn atomic(
        &mut self,
        (space, address, len): (Space, u64, u32),
        scope: Scope,
        (acquires, releases): (bool, bool),
        new: impl FnOnce(u64) -> Option<u64>,
        reads: bool,
    ) -> Outcome<u64> {
        let scope = self.weakened(scope);
        let old = if !address.is_multiple_of(len.into()) { 0 } else { self.peek(space, address, len) };
        let new = new(old);
        let how = if new.is_some() { How::Atomic(scope) } else { How::AtomicRead(scope) };
        if matches!(how, How::Atomic(_)) && !reads {
            self.mark_stored(space, address, len);
        }
        self.touch(space, address, len, how)?;
        let key = key(space, address);
        if reads {
            self.read_from(key, scope, acquires);
        }
        match new {
            Some(new) => {
                self.written(key, scope, releases, reads);
                self.slice(space, address, len).copy_from_slice(&new.to_le_bytes()[..len as usize]);
                if new == old {
                    self.spin(reads)
                } else {
                    self.spin(false)
                }
                if new != old {
                    self.progress();
                }
            }
            None => self.spin(true),
        }
        Ok(old)
    }

    /// The value at an address if one is there.
    fn peek(&mut self, space: Space, address: u64, len: u32) -> u64 {
        let end = address + u64::from(len);
        match space {
            Space::Shared(block) => match &self.slots[block as usize] {
                Slot::Running(running) if end <= running.shared.bytes.len() as u64 => {
                    value(&running.shared.bytes[address as usize..end as usize]) as u64
                }
                _ => 0,
            },
            Space::Global => match self.memory.find(address) {
                Some((found, offset)) if offset + len as usize <= found.bytes.len() => {
                    value(&found.bytes[offset..offset + len as usize]) as u64
                }
                _ => 0,
            },
        }
    }

    /// An atomic store initialises.
    fn mark_stored(&mut self, space: Space, address: u64, len: u32) {
        if let Space::Shared(block) = space
            && let Slot::Running(running) = &mut self.slots[block as usize]
            && let Some(bytes) =
                running.shared.initialised.get_mut(address as usize..address as usize + len as usize)
        {
            bytes.fill(true);
        }
    }

    /// The scope that a mutation leaves of `scope`.
    fn weakened(&mut self, scope: Scope) -> Scope {
        let site = self.me().site;
        let call = (site.op, std::ptr::from_ref(site.at).addr());
        if scope != Scope::Block && !self.seen.contains(&call) {
            self.seen.push(call);
            self.report.scoped.insert(site);
        }
        if self.options.mutation == Some(Mutation::Weaken(site)) { Scope::Block } else { scope }
    }
}
