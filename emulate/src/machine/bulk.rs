//! Bulk copies: they land late, in pieces, and in any order.

use super::{Machine, Outcome, Slot};
use crate::clock::{ENGINE, Tid};
use crate::fault::{Place, Rule};
use crate::memory::Use;
use crate::shadow::How;
use crate::shared::Awaited;
use crate::site::Site;

/// What addresses and byte counts are multiples of.
const ALIGN: u32 = 16;

/// A copy on its way.
#[derive(Debug)]
pub(super) struct Copy {
    id: u64,
    block: u32,
    by: Tid,
    site: Site,
    barrier: u32,
    engine: Tid,
    phase: u32,
    /// What has yet to land: offset in shared memory, and address.
    pieces: Vec<(u32, u64, u32)>,
}

impl Machine {
    fn bulk_source(&mut self, address: u64, bytes: u32) -> Outcome<()> {
        let place = self.global_place(address);
        if !address.is_multiple_of(ALIGN.into()) || !bytes.is_multiple_of(ALIGN) {
            let detail = format!("the source and {bytes} bytes are to be multiples of {ALIGN}");
            return Err(self.fault_at(Rule::Misaligned, place, detail));
        }
        if bytes == 0 {
            return Err(self.fault_at(Rule::Argument, place, "no bytes to copy"));
        }
        let inside =
            self.memory.find(address).is_some_and(|(a, offset)| offset + bytes as usize <= a.bytes.len());
        if !inside {
            return Err(self.fault_at(
                Rule::OutOfBounds,
                place,
                format!("the source of {bytes} bytes leaves its buffer"),
            ));
        }
        Ok(())
    }

    /// `cp.async.bulk.prefetch.L2.global`.
    pub(crate) fn prefetch(&mut self, address: u64, bytes: u32) -> Outcome<()> {
        self.bulk_source(address, bytes)
    }

    /// `cp.async.bulk.shared::cluster.global` into `bytes` of the `room` bytes at `to`.
    pub(crate) fn bulk_copy(
        &mut self,
        to: u32,
        room: u32,
        address: u64,
        bytes: u32,
        barrier: u32,
    ) -> Outcome<()> {
        self.bulk_source(address, bytes)?;
        let block = self.block_of(self.current);
        let place = Place::Shared { block, offset: to };
        if !to.is_multiple_of(ALIGN) {
            return Err(self.fault_at(
                Rule::Misaligned,
                place,
                format!("the destination is to be a multiple of {ALIGN}"),
            ));
        }
        if bytes > room || u64::from(to) + u64::from(bytes) > u64::from(self.launch.shared_bytes) {
            return Err(self.fault_at(
                Rule::OutOfBounds,
                place,
                format!("{bytes} bytes into an array of {room}"),
            ));
        }
        if let Some((source, offset)) = self.memory.find(address)
            && source.used_as != Use::Input
            && source.written[offset..offset + bytes as usize].contains(&true)
        {
            let place = self.global_place(address);
            return Err(self.fault_at(
                Rule::NotConstant,
                place,
                "the source of a bulk copy was written by this launch",
            ));
        }
        let of = self.mbarrier(barrier, true)?;
        let (engine, phase) = (of.engine, of.phase);
        if of.phase > u32::MAX / 2 {
            return Err(self.fault(Rule::NoProgress, "a barrier has seen 2^31 phases"));
        }
        if self.is_mbarrier(block, to, bytes) {
            return Err(self.fault_at(Rule::MbarrierInUse, place, "the destination holds a barrier"));
        }
        self.fenced_destination(block, to, bytes)?;
        if let Some(awaited) = self.own_block().shared.awaits(to, bytes) {
            let mut fault =
                self.fault_at(Rule::BulkNotComplete, place, "another copy into these bytes is on its way");
            fault.other = Some((self.name(awaited.by), awaited.site));
            return Err(fault);
        }
        self.serial += 1;
        let (id, by, site) = (self.serial, self.current, self.me().site);
        let of = self.mbarrier(barrier, true)?;
        of.copies += 1;
        of.last = Some((phase, by, site));
        self.own_block().shared.awaited.push(Awaited { from: to, len: bytes, by, site, copy: id });
        let piece = ALIGN << self.rng.below(8);
        let pieces = (0..bytes)
            .step_by(piece as usize)
            .map(|at| (to + at, address + u64::from(at), piece.min(bytes - at)))
            .collect();
        self.copies.push(Copy { id, block, by, site, barrier, engine, phase, pieces });
        self.report.bulk_copies += 1;
        Ok(())
    }

    /// Every ordinary access to the destination must come before, and what it has written be fenced.
    fn fenced_destination(&mut self, block: u32, to: u32, bytes: u32) -> Outcome<()> {
        for access in self.own_block().shared.shadow.accesses(to as usize, bytes as usize) {
            let (tid, clock, site, how) = (access.tid, access.clock, access.site, access.how);
            let ordered = self.accessor().knows(tid, clock);
            let fenced = tid >= ENGINE
                || matches!(how, How::Read | How::AtomicRead(_))
                || self.fenced(tid, clock, |order| &order.proxy_fences);
            if ordered && fenced {
                continue;
            }
            let (rule, detail) = if ordered {
                (
                    Rule::ProxyFence,
                    "fence::proxy_async is missing between a write to the destination and the copy",
                )
            } else if tid >= ENGINE {
                (Rule::BulkNotComplete, "the last copy into these bytes has not been seen to complete")
            } else {
                (Rule::Race, "nothing orders an access to the destination before the copy")
            };
            let mut fault = self.fault_at(rule, Place::Shared { block, offset: to }, detail);
            fault.other = (tid < ENGINE).then(|| (self.name(tid), site));
            return Err(fault);
        }
        Ok(())
    }

    /// One piece of one copy lands.
    pub(super) fn land_some(&mut self) -> Outcome<()> {
        let at = self.rng.below(self.copies.len() as u32) as usize;
        let copy = &mut self.copies[at];
        let piece = self.rng.below(copy.pieces.len() as u32) as usize;
        let (to, address, len) = copy.pieces.swap_remove(piece);
        let last = copy.pieces.is_empty();
        let (id, block, by, site, barrier, engine, phase) =
            (copy.id, copy.block, copy.by, copy.site, copy.barrier, copy.engine, copy.phase);
        if last {
            self.copies.swap_remove(at);
        }
        let bytes = match self.memory.find(address) {
            Some((source, offset)) => source.bytes[offset..offset + len as usize].to_vec(),
            None => unreachable!("buffers stay while a launch runs"),
        };
        let Slot::Running(own) = &mut self.slots[block as usize] else {
            unreachable!("a block does not end before its copies");
        };
        let (from, until) = (to as usize, (to + len) as usize);
        own.shared.bytes[from..until].copy_from_slice(&bytes);
        own.shared.initialised[from..until].fill(true);
        own.shared.shadow.engine_write(from, len as usize, engine, phase + 1, site);
        if last {
            own.shared.awaited.retain(|awaited| awaited.copy != id);
        }
        // Should this end in a fault it is the copy's.
        self.current = by;
        self.bring(block, barrier, len, last)
    }
}
