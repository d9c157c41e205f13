//! Transaction barriers in shared memory: phases, arrivals and bytes.

use super::{Flow, Machine, Outcome, State};
use crate::clock::{ENGINE, Gather, Tid, View};
use crate::fault::{Fault, Place, Rule};
use crate::site::Site;
use std::rc::Rc;

/// The most bytes that a phase may wait for.
const MAX_BYTES: i64 = (1 << 20) - 1;
/// The most arrivals of a phase.
const MAX_ARRIVALS: u32 = (1 << 20) - 1;

/// A barrier in shared memory.
#[derive(Debug)]
pub(super) struct Mbarrier {
    /// Names its copies to the race detector.
    pub(super) engine: Tid,
    /// Who made it, at which clock.
    made: (Tid, u32),
    arrivals: u32,
    pending: u32,
    /// Bytes expected and not yet brought; brought and not yet expected if negative.
    bytes: i64,
    /// The number of the current phase.
    pub(super) phase: u32,
    gather: Gather,
    /// What the last phase released.
    released: Rc<View>,
    waiting: Vec<Tid>,
    /// Copies of the current phase that have yet to bring bytes.
    pub(super) copies: u32,
    /// The last copy: its phase, and who started it where.
    pub(super) last: Option<(u32, Tid, Site)>,
}

impl Machine {
    const fn mbarrier_place(&self, offset: u32) -> Place {
        Place::Shared { block: self.block_of(self.current), offset }
    }

    fn mbarrier_checked(&mut self, offset: u32) -> Outcome<()> {
        let place = self.mbarrier_place(offset);
        if !offset.is_multiple_of(8) {
            return Err(self.fault_at(Rule::Misaligned, place, "a barrier lies at a multiple of 8"));
        }
        if u64::from(offset) + 8 > u64::from(self.launch.shared_bytes) {
            return Err(self.fault_at(Rule::OutOfBounds, place, "the launch has no shared memory there"));
        }
        Ok(())
    }

    /// Whether `len` bytes of `block` from `offset` on have a barrier among them.
    pub(super) fn is_mbarrier(&self, block: u32, offset: u32, len: u32) -> bool {
        let super::Slot::Running(block) = &self.slots[block as usize] else { return false };
        !block.mbarriers.is_empty()
            && block.mbarriers.range(offset.saturating_sub(7)..offset + len).next().is_some()
    }

    /// The barrier at `offset`, made visible to whoever is at it: the copy engine, or the current thread.
    pub(super) fn mbarrier(&mut self, offset: u32, for_engine: bool) -> Outcome<&mut Mbarrier> {
        self.mbarrier_checked(offset)?;
        let place = self.mbarrier_place(offset);
        let Some(barrier) = self.own_block().mbarriers.get(&offset) else {
            return Err(self.fault_at(Rule::MbarrierNotInitialised, place, "no barrier is in use there"));
        };
        let (maker, clock) = barrier.made;
        if maker != self.current && !self.accessor().knows(maker, clock) {
            let mut fault =
                self.fault_at(Rule::MbarrierNotInitialised, place, "nothing orders its use after its making");
            fault.other = Some((self.name(maker), self.threads[maker as usize].site));
            return Err(fault);
        }
        if (maker != self.current || for_engine) && !self.fenced(maker, clock, |order| &order.init_fences) {
            let mut fault = self.fault_at(
                Rule::MbarrierInitFence,
                place,
                "mbarrier::fence_init is missing between its making and its use",
            );
            fault.other = Some((self.name(maker), self.threads[maker as usize].site));
            return Err(fault);
        }
        match self.own_block().mbarriers.get_mut(&offset) {
            Some(barrier) => Ok(barrier),
            None => unreachable!("found above"),
        }
    }

    /// `mbarrier.init`.
    pub(crate) fn mbarrier_init(&mut self, offset: u32, arrivals: u32) -> Outcome<()> {
        self.mbarrier_checked(offset)?;
        let place = self.mbarrier_place(offset);
        if arrivals == 0 || arrivals > MAX_ARRIVALS {
            return Err(self.fault_at(
                Rule::Argument,
                place,
                format!("{arrivals} arrivals, of 1 to {MAX_ARRIVALS}"),
            ));
        }
        let block = self.block_of(self.current);
        if self.is_mbarrier(block, offset, 8) {
            return Err(self.fault_at(Rule::MbarrierInUse, place, "a barrier is in use there"));
        }
        self.plain_write(block, offset, &[0; 8])?;
        self.serial += 1;
        let (tid, clock, engine) = (self.current, self.me().clock, ENGINE + self.serial as u32);
        let made = Mbarrier {
            engine,
            made: (tid, clock),
            arrivals,
            pending: arrivals,
            bytes: 0,
            phase: 0,
            gather: Gather::default(),
            released: Rc::default(),
            waiting: Vec::new(),
            copies: 0,
            last: None,
        };
        self.own_block().mbarriers.insert(offset, made);
        Ok(())
    }

    /// `mbarrier.inval`.
    pub(crate) fn mbarrier_invalidate(&mut self, offset: u32) -> Outcome<()> {
        let place = self.mbarrier_place(offset);
        let barrier = self.mbarrier(offset, false)?;
        let (used, engine, last) =
            (barrier.copies > 0 || !barrier.waiting.is_empty(), barrier.engine, barrier.last);
        let unseen = last.is_some_and(|(phase, ..)| !self.accessor().knows(engine, phase + 1));
        if used || unseen {
            return Err(self.fault_at(
                Rule::MbarrierInUse,
                place,
                "a thread waits on it, or a copy is to complete on it",
            ));
        }
        self.own_block().mbarriers.remove(&offset);
        let block = self.block_of(self.current);
        self.plain_write(block, offset, &[0; 8])
    }

    /// A copy into `block`, which ends, that no thread of it has seen to complete.
    pub(super) fn unseen_copy(
        &self,
        block: &super::Block,
        members: std::ops::Range<Tid>,
    ) -> Option<(Tid, Site)> {
        block.mbarriers.values().find_map(|barrier| {
            let (phase, by, site) = barrier.last?;
            let seen = |tid: Tid| self.threads[tid as usize].view.get(barrier.engine, 0) > phase;
            (!members.clone().any(seen)).then_some((by, site))
        })
    }

    /// `mbarrier.arrive`, after `expect_tx` of `bytes` more.
    pub(crate) fn mbarrier_arrive(&mut self, offset: u32, bytes: u32) -> Outcome<()> {
        let place = self.mbarrier_place(offset);
        let (clock, view, tid) = (self.me().clock, self.me().view.clone(), self.current);
        let barrier = self.mbarrier(offset, false)?;
        barrier.bytes += i64::from(bytes);
        let (now, pending) = (barrier.bytes, barrier.pending);
        barrier.gather.add(tid, clock, &view);
        barrier.pending = pending.wrapping_sub(1);
        if now > MAX_BYTES || i64::from(bytes) > MAX_BYTES {
            let detail = format!("the phase expects {now} bytes, of at most {MAX_BYTES}");
            return Err(self.fault_at(Rule::ExpectTx, place, detail));
        }
        if pending == 0 {
            return Err(self.fault_at(
                Rule::MbarrierPhase,
                place,
                "all arrivals that the phase expects are in",
            ));
        }
        self.me().clock += 1;
        self.progress();
        let block = self.block_of(tid);
        self.complete_phase(block, offset)
    }

    /// Ends the phase of the barrier at `offset` of `block` if all it waits for is there.
    pub(super) fn complete_phase(&mut self, block: u32, offset: u32) -> Outcome<()> {
        let threads = self.launch.threads;
        let super::Slot::Running(own) = &mut self.slots[block as usize] else { return Ok(()) };
        let Some(barrier) = own.mbarriers.get_mut(&offset) else { return Ok(()) };
        if barrier.pending > 0 || barrier.bytes != 0 {
            return Ok(());
        }
        if barrier.copies > 0 {
            let detail = format!(
                "a phase completes while {} of its copies are on their way: it expects too few bytes",
                barrier.copies
            );
            return Err(self.fault_at(Rule::ExpectTx, Place::Shared { block, offset }, detail));
        }
        let mut gather = std::mem::take(&mut barrier.gather);
        gather.add(barrier.engine, barrier.phase + 1, &barrier.released);
        barrier.released = gather.finish(threads);
        barrier.phase += 1;
        barrier.pending = barrier.arrivals;
        let view = barrier.released.clone();
        for tid in std::mem::take(&mut barrier.waiting) {
            let thread = &mut self.threads[tid as usize];
            thread.view = View::join(&thread.view, &view);
            self.wake(tid, 1);
        }
        Ok(())
    }

    /// `mbarrier.try_wait.parity`.
    pub(crate) fn mbarrier_try_wait(&mut self, offset: u32, parity: u32) -> Outcome<Flow> {
        let place = self.mbarrier_place(offset);
        if parity > 1 {
            return Err(self.fault_at(Rule::Argument, place, format!("parity {parity}")));
        }
        let gives_up = self.rng.one_in(4);
        let tid = self.current;
        let barrier = self.mbarrier(offset, false)?;
        if barrier.phase & 1 != parity {
            let view = barrier.released.clone();
            self.acquire_view(&view);
            self.me().result = 1;
            self.spin(false);
            return Ok(Flow::Go);
        }
        if gives_up {
            self.me().result = 0;
            self.spin(true);
            return Ok(Flow::Go);
        }
        barrier.waiting.push(tid);
        self.me().state = State::Waiting;
        Ok(Flow::Wait)
    }

    /// The fault of a thread that waits for a phase which nothing will complete.
    pub(super) fn expecting(&mut self, tid: Tid) -> Box<Fault> {
        let block = self.own_block();
        let found = block.mbarriers.iter().find(|(_, barrier)| barrier.waiting.contains(&tid));
        let Some((offset, barrier)) = found else {
            return self.fault(Rule::NoProgress, "it waits for a phase");
        };
        let (offset, pending, bytes) = (*offset, barrier.pending, barrier.bytes);
        let place = self.mbarrier_place(offset);
        if pending == 0 && bytes != 0 {
            let detail = format!("the phase expects {bytes} bytes more than its copies bring");
            self.fault_at(Rule::ExpectTx, place, detail)
        } else {
            let detail = format!("the phase wants {pending} more arrivals, which do not come");
            self.fault_at(Rule::BarrierNotReached, place, detail)
        }
    }

    /// A copy brings bytes to the barrier at `offset` of `block`.
    pub(super) fn bring(&mut self, block: u32, offset: u32, bytes: u32, last: bool) -> Outcome<()> {
        if let super::Slot::Running(own) = &mut self.slots[block as usize]
            && let Some(barrier) = own.mbarriers.get_mut(&offset)
        {
            barrier.bytes -= i64::from(bytes);
            barrier.copies -= u32::from(last);
        }
        self.progress();
        self.complete_phase(block, offset)
    }
}
