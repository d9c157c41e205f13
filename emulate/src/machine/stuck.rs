//! Nobody can run: what to say of it.

use super::{Machine, Slot, State};
use crate::clock::Tid;
use crate::fault::{Fault, Rule};
use crate::site::Op;

impl Machine {
    /// The fault of a launch of which threads are left that all wait.
    pub(super) fn stuck(&mut self) -> Box<Fault> {
        let waiting: Vec<Tid> = (0..self.threads.len() as Tid)
            .filter(|tid| self.threads[*tid as usize].state == State::Waiting)
            .collect();
        let op = |tid: Tid| self.threads[tid as usize].site.op;
        let is_barrier = |tid: Tid| {
            let block = self.block_of(tid);
            let in_block = match &self.slots[block as usize] {
                Slot::Running(block) => block.barriers.iter().any(|barrier| barrier.waiting().contains(&tid)),
                _ => false,
            };
            in_block || self.cluster_waiting(self.cluster_of(tid)).contains(&tid)
        };
        // A lane that waits for another of its warp is the more particular complaint; then a barrier in memory.
        let in_memory = |tid: Tid| op(tid) == Op::MbarrierTryWait;
        let lane = waiting.iter().copied().find(|tid| !is_barrier(*tid) && !in_memory(*tid));
        let memory = waiting.iter().copied().find(|tid| in_memory(*tid));
        let Some(tid) = lane.or(memory).or(waiting.first().copied()) else {
            return self.fault(Rule::NoProgress, "no thread is left that can run");
        };
        self.current = tid;
        let site = self.threads[tid as usize].site;
        let block = self.block_of(tid);
        let elsewhere = |other: &Tid| self.threads[*other as usize].site != site;
        let in_warp = |other: &Tid| {
            let index = |tid: Tid| tid % self.launch.threads / 32;
            self.block_of(*other) == block && index(*other) == index(tid)
        };
        let others = || waiting.iter().copied().filter(elsewhere);
        let beside = others().find(in_warp);
        let other = beside.or_else(|| others().next());
        let mut fault = if lane.is_some() {
            self.fault(Rule::LaneMissing, "it waits for lanes of its mask that do not come")
        } else if memory.is_some() {
            self.expecting(tid)
        } else {
            let there = waiting.iter().filter(|other| self.threads[**other as usize].site == site).count();
            let detail = format!("{there} threads wait there for others that do not come");
            self.fault(Rule::BarrierNotReached, detail)
        };
        if let Some(other) = other {
            fault.other = Some((self.name(other), self.threads[other as usize].site));
        }
        fault
    }
}
