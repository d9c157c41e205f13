//! What can run, and what runs next.

use super::{Block, Machine, Outcome, Slot, State};
use crate::clock::Tid;
use crate::fault::Rule;
use crate::launch::Launch;
use crate::schedule::{Mode, Ranking, Rng};
use crate::shared::Shared;
use std::collections::{HashMap, VecDeque};

/// Atomic loads in a row after which a thread counts as spinning.
const SPINNING: u32 = 8;
/// Threads that are live at once, unless one cluster has more.
const RESIDENT_THREADS: u32 = 2048;

/// What the scheduler does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Starts a block: its threads are to be made.
    Start(u32),
    /// Runs a thread.
    Run(Tid),
    /// All threads have exited.
    Done,
}

#[derive(Debug)]
pub(super) struct Queue {
    mode: Mode,
    ranking: Ranking,
    launch: Launch,
    /// Threads that can run, those to be preferred first, those that spin last.
    classes: [VecDeque<Tid>; 3],
    spinning: Vec<bool>,
    /// Clusters yet to be admitted, last first.
    clusters: Vec<u32>,
    room: u32,
    /// Blocks of admitted clusters that have not started.
    startable: VecDeque<u32>,
}

impl Queue {
    pub(super) fn new(launch: Launch, mode: Mode, ranking: Ranking, rng: &mut Rng) -> Self {
        let count = launch.blocks / launch.cluster_width;
        let mut clusters: Vec<u32> = (0..count).rev().collect();
        // Mostly in order, as the hardware does it, never to be relied on.
        if rng.one_in(2) {
            for i in (1..clusters.len()).rev() {
                clusters.swap(i, rng.below(i as u32 + 1) as usize);
            }
        }
        let fit = (RESIDENT_THREADS / (launch.threads * launch.cluster_width)).max(1);
        Self {
            mode,
            ranking,
            launch,
            classes: Default::default(),
            spinning: vec![false; (launch.blocks * launch.threads) as usize],
            clusters,
            room: 1 + rng.below(fit),
            startable: VecDeque::new(),
        }
    }

    /// Whether threads switch at every operation.
    pub(super) const fn takes_turns(&self) -> bool {
        matches!(self.mode, Mode::RoundRobin)
    }

    pub(super) const fn cluster_ended(&mut self) {
        self.room += 1;
    }

    /// A thread does not spin any more.
    pub(super) fn calm(&mut self, tid: Tid) {
        self.spinning[tid as usize] = false;
    }

    pub(super) fn ready(&mut self, tid: Tid) {
        let class = if self.spinning[tid as usize] {
            2
        } else {
            usize::from(self.ranking.defers(tid / self.launch.threads, tid % self.launch.threads))
        };
        self.classes[class].push_back(tid);
    }

    fn admit(&mut self) {
        while self.room > 0
            && let Some(cluster) = self.clusters.pop()
        {
            self.room -= 1;
            let width = self.launch.cluster_width;
            self.startable.extend(cluster * width..(cluster + 1) * width);
        }
    }

    fn next(&mut self, rng: &mut Rng) -> Option<Step> {
        self.admit();
        let idle = self.classes[0].is_empty() && self.classes[1].is_empty();
        if !self.startable.is_empty() {
            let at = if self.takes_turns() { 0 } else { rng.below(self.startable.len() as u32) as usize };
            let at = (0..self.startable.len())
                .map(|i| (at + i) % self.startable.len())
                .find(|i| !self.ranking.defers_block(self.startable[*i]))
                .unwrap_or(at);
            let block = self.startable[at];
            // Spinners are no reason to wait: they may spin for this block.
            if idle || (rng.one_in(4) && !self.ranking.defers_block(block)) {
                return self.startable.remove(at).map(Step::Start);
            }
        }
        // Spinners look again now and then, since what they wait for may be there; the deferred wait.
        let out_of_turn = rng.one_in(64);
        let order = if out_of_turn { [2, 0, 1] } else { [0, 1, 2] };
        let class = order.into_iter().find(|class| !self.classes[*class].is_empty())?;
        let class = &mut self.classes[class];
        let tid = if matches!(self.mode, Mode::RoundRobin) {
            class.pop_front()
        } else {
            class.swap_remove_back(rng.below(class.len() as u32) as usize)
        };
        tid.map(Step::Run)
    }
}

impl Machine {
    /// What to do next. Whatever is returned has been noted as begun.
    ///
    /// # Errors
    ///
    /// When threads are left and none can run.
    pub(crate) fn next(&mut self) -> Outcome<Step> {
        if self.idle > self.options.patience || self.report.operations > self.options.max_operations {
            return Err(self.no_progress());
        }
        if !self.copies.is_empty() && self.rng.one_in(8) {
            self.land_some()?;
        }
        loop {
            match self.queue.next(&mut self.rng) {
                Some(Step::Start(block)) => {
                    self.start_block(block);
                    return Ok(Step::Start(block));
                }
                Some(Step::Run(tid)) => {
                    self.current = tid;
                    self.report.switches += 1;
                    return Ok(Step::Run(tid));
                }
                _ if !self.copies.is_empty() => self.land_some()?,
                _ if self.threads.iter().all(|thread| thread.state == State::Exited) => {
                    return Ok(Step::Done);
                }
                _ => return Err(self.stuck()),
            }
        }
    }

    fn start_block(&mut self, index: u32) {
        let Launch { threads, shared_bytes, .. } = self.launch;
        self.idle = 0;
        self.slots[index as usize] = Slot::Running(Box::new(Block {
            live: threads,
            shared: Shared::new(shared_bytes),
            barriers: Default::default(),
            warps: (0..threads.div_ceil(32)).map(|_| Default::default()).collect(),
            mbarriers: Default::default(),
            visits: HashMap::new(),
        }));
        for tid in index * threads..(index + 1) * threads {
            self.threads[tid as usize].state = State::Ready;
            self.queue.ready(tid);
        }
    }

    /// The current thread read memory that it may be waiting on; `unchanged` if in vain.
    pub(super) fn spin(&mut self, in_vain: bool) {
        let current = self.current as usize;
        let spins = if in_vain { self.threads[current].spins.saturating_add(1) } else { 0 };
        self.threads[current].spins = spins;
        self.queue.spinning[current] = spins > SPINNING;
    }

    /// Something changed that a loop may be waiting for.
    pub(super) const fn progress(&mut self) {
        self.idle = 0;
    }

    fn no_progress(&self) -> Box<crate::fault::Fault> {
        let live = self.threads.iter().filter(|t| matches!(t.state, State::Ready | State::Waiting)).count();
        self.fault(
            Rule::NoProgress,
            format!(
                "{live} threads are live, and of the last {} operations none changed anything",
                self.idle
            ),
        )
    }
}
