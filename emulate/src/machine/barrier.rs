//! The barriers of a block: number 0, for all of its threads, and the fifteen with a count.

use super::{Flow, Machine, Outcome};
use crate::clock::{Gather, Tid};
use crate::fault::Rule;
use crate::site::Site;

/// What a barrier computes of the predicates passed to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Nothing.
    None,
    /// How many are true.
    Count,
    /// Whether one is.
    Any,
    /// Whether all are.
    All,
}

/// A barrier in one phase.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    /// Who has arrived: a count of threads, of which some wait.
    arrived: u32,
    waiting: Vec<Tid>,
    /// Everyone's call site, by warp, since a warp must arrive at one.
    sites: Vec<(u32, Site)>,
    kind: Option<(u32, Reduction)>,
    trues: u32,
    gather: Gather,
}

impl Barrier {
    pub(super) fn waiting(&self) -> &[Tid] {
        &self.waiting
    }
}

impl Machine {
    /// Arrives at barrier `id`, which completes with `count` threads, and waits if `waits`.
    pub(crate) fn arrive(
        &mut self,
        id: u32,
        count: Option<u32>,
        waits: bool,
        (reduction, predicate): (Reduction, bool),
    ) -> Outcome<Flow> {
        let (tid, threads) = (self.current, self.launch.threads);
        if let Some(count) = count
            && (id == 0 || id > 15 || count == 0 || !count.is_multiple_of(32) || count > threads)
        {
            let detail = format!("barrier {id} for {count} threads of {threads}: 1 to 15, for whole warps");
            return Err(self.fault(Rule::Argument, detail));
        }
        let wanted = count.unwrap_or(threads);
        let (site, warp) = (self.me().site, tid % threads / 32);
        let (clock, view) = (self.me().clock, self.me().view.clone());
        self.me().clock += 1;
        let barrier = &mut self.own_block().barriers[id as usize];
        let kind = *barrier.kind.get_or_insert((wanted, reduction));
        let other = match barrier.sites.iter().find(|(w, _)| *w == warp) {
            Some((_, other)) if *other != site => Some(*other),
            Some(_) => None,
            None => {
                barrier.sites.push((warp, site));
                None
            }
        };
        barrier.arrived += 1;
        barrier.trues += u32::from(predicate);
        barrier.gather.add(tid, clock, &view);
        let first = barrier.waiting.first().copied().unwrap_or(tid);
        if waits {
            barrier.waiting.push(tid);
        }
        if let Some(other) = other {
            let mut fault =
                self.fault(Rule::Diverged, format!("a lane of its warp arrived at barrier {id} elsewhere"));
            fault.other = Some((self.name(first), other));
            return Err(fault);
        }
        if kind != (wanted, reduction) {
            let detail = format!(
                "barrier {id} for {wanted} threads, {reduction:?}, is in use for {} threads, {:?}",
                kind.0, kind.1
            );
            return Err(self.fault(Rule::Diverged, detail));
        }
        if waits {
            self.me().state = super::State::Waiting;
        }
        self.complete(id)?;
        Ok(if waits { Flow::Wait } else { Flow::Go })
    }

    /// Completes the current block's barrier `id` if all it waits for have arrived.
    fn complete(&mut self, id: u32) -> Outcome<()> {
        let (threads, live) = (self.launch.threads, self.own_block().live);
        let barrier = &mut self.own_block().barriers[id as usize];
        let Some((wanted, reduction)) = barrier.kind else { return Ok(()) };
        // Threads that have exited are not waited for by the block's own barrier.
        let wanted = if id == 0 { live } else { wanted };
        if barrier.arrived < wanted {
            return Ok(());
        }
        let barrier = std::mem::take(barrier);
        if barrier.arrived > wanted {
            let detail =
                format!("{} threads arrived at barrier {id}, which is for {wanted}", barrier.arrived);
            return Err(self.fault(Rule::Argument, detail));
        }
        let all = barrier.trues == barrier.arrived;
        let result = match reduction {
            Reduction::None => 0,
            Reduction::Count => barrier.trues.into(),
            Reduction::Any => (barrier.trues > 0).into(),
            Reduction::All => all.into(),
        };
        let view = barrier.gather.finish(threads);
        for tid in barrier.waiting {
            // The view includes that of each who waits: nobody learns anything while waiting.
            self.threads[tid as usize].view = view.clone();
            self.wake(tid, result);
        }
        Ok(())
    }

    /// The current thread's block has one thread less to wait for.
    pub(super) fn block_lost_thread(&mut self) -> Outcome<()> {
        if self.own_block().live == 0 { Ok(()) } else { self.complete(0) }
    }
}
