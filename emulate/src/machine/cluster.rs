//! The cluster barrier, and who may look into whose shared memory.

use super::{Flow, Machine, Outcome, Slot, State};
use crate::clock::{Gather, Tid, View};
use crate::fault::{Place, Rule};
use std::rc::Rc;

/// A cluster's barrier.
#[derive(Debug, Default)]
pub(super) struct ClusterBarrier {
    arrived: u32,
    gather: Gather,
    /// Who waits for the phase that is being arrived at.
    waiting: Vec<Tid>,
    /// What the last phase released.
    released: Option<Rc<View>>,
    /// The number of the phase that is being arrived at.
    phase: u64,
    exited: u32,
}

impl Machine {
    pub(super) const fn cluster_of(&self, tid: Tid) -> u32 {
        self.block_of(tid) / self.launch.cluster_width
    }

    /// `barrier.cluster.arrive`, which releases or not.
    pub(crate) fn cluster_arrive(&mut self, releases: bool) -> Outcome<()> {
        let tid = self.current;
        if self.me().cluster_phase.is_some() {
            return Err(self.fault(Rule::BarrierNotReached, "it arrives again before it waits"));
        }
        let (clock, view) = (self.me().clock, self.me().view.clone());
        let fenced = self.fenced_for_cluster();
        self.me().clock += 1;
        let cluster = self.cluster_of(tid);
        let barrier = self.clusters.entry(cluster).or_default();
        if releases {
            barrier.gather.add(tid, clock, &view);
        } else {
            // What came before its last fence; and that it has started is known even so: an arrival is an event.
            barrier.gather.add(tid, 0, &fenced.unwrap_or_default());
        }
        barrier.arrived += 1;
        let phase = barrier.phase;
        self.me().cluster_phase = Some(phase);
        self.complete_cluster(cluster);
        Ok(())
    }

    /// `barrier.cluster.wait`.
    pub(crate) fn cluster_wait(&mut self) -> Outcome<Flow> {
        let tid = self.current;
        let Some(phase) = self.me().cluster_phase else {
            return Err(self.fault(Rule::BarrierNotReached, "it has not arrived"));
        };
        let cluster = self.cluster_of(tid);
        let barrier = self.clusters.entry(cluster).or_default();
        if barrier.phase == phase {
            barrier.waiting.push(tid);
            self.me().state = State::Waiting;
            return Ok(Flow::Wait);
        }
        // Nobody can be two phases behind: the next one cannot complete without this thread.
        if let Some(view) = barrier.released.clone() {
            self.acquire_view(&view);
        }
        self.me().cluster_phase = None;
        Ok(Flow::Go)
    }

    fn complete_cluster(&mut self, cluster: u32) {
        let (threads, width) = (self.launch.threads, self.launch.cluster_width);
        let Some(barrier) = self.clusters.get_mut(&cluster) else { return };
        let wanted = threads * width - barrier.exited;
        if barrier.arrived == 0 || barrier.arrived < wanted {
            return;
        }
        let view = std::mem::take(&mut barrier.gather).finish(threads);
        barrier.arrived = 0;
        barrier.phase += 1;
        self.report.cluster_barriers += 1;
        barrier.released = Some(view.clone());
        let mut of_view: Option<(Rc<View>, Rc<View>)> = None;
        for tid in std::mem::take(&mut barrier.waiting) {
            let own = self.threads[tid as usize].view.clone();
            // Threads mostly come with the same view, and go with the same.
            let joined = match &of_view {
                Some((from, to)) if Rc::ptr_eq(from, &own) => to.clone(),
                _ => View::join(&view, &own),
            };
            of_view = Some((own, joined.clone()));
            self.threads[tid as usize].view = joined;
            self.threads[tid as usize].cluster_phase = None;
            self.wake(tid, 0);
        }
    }

    /// The current thread's cluster has one thread less to wait for.
    pub(super) fn cluster_lost_thread(&mut self) -> Outcome<()> {
        let cluster = self.cluster_of(self.current);
        self.clusters.entry(cluster).or_default().exited += 1;
        self.complete_cluster(cluster);
        Ok(())
    }

    /// Threads that wait at the current cluster's barrier.
    pub(super) fn cluster_waiting(&self, cluster: u32) -> &[Tid] {
        self.clusters.get(&cluster).map_or(&[], |barrier| &barrier.waiting)
    }

    /// The block of rank `rank` in the current thread's cluster.
    pub(crate) fn peer(&mut self, rank: u32) -> Outcome<u32> {
        let width = self.launch.cluster_width;
        if rank >= width {
            return Err(self.fault(Rule::Argument, format!("rank {rank} in a cluster of {width}")));
        }
        Ok(self.cluster_of(self.current) * width + rank)
    }

    /// Notes that the current thread is about to access the shared memory of `block`, another one of its cluster.
    pub(super) fn visit(&mut self, block: u32, offset: u32) -> Outcome<()> {
        let tid = self.current;
        let (clock, site) = (self.me().clock, self.me().site);
        let place = Place::Shared { block, offset };
        if !self.me().view.knows(block) {
            return Err(self.fault_at(
                Rule::PeerNotStarted,
                place,
                format!("nothing says that block {block} has started"),
            ));
        }
        match &mut self.slots[block as usize] {
            Slot::Running(peer) => {
                peer.visits.insert(tid, (clock, site));
                Ok(())
            }
            Slot::Exited => Err(self.fault_at(Rule::PeerExited, place, format!("block {block} has exited"))),
            Slot::NotStarted => {
                Err(self.fault_at(Rule::PeerNotStarted, place, format!("block {block} has not started")))
            }
        }
    }
}
