//! The end of a thread, and of a block: who still counted on it.

use super::{Machine, Outcome, Slot, State};
use crate::fault::Rule;

impl Machine {
    /// The current thread has ended; so may what waits for it, and its block.
    pub(crate) fn exit(&mut self) -> Outcome<()> {
        self.idle = 0;
        let (tid, block) = (self.current, self.block_of(self.current));
        if self.me().cluster_phase.is_some() {
            return Err(
                self.fault(Rule::BarrierNotReached, "it exits between cluster::arrive and cluster::wait")
            );
        }
        self.me().state = State::Exited;
        self.exit_warp()?;
        self.own_block().live -= 1;
        self.block_lost_thread()?;
        self.cluster_lost_thread()?;
        if self.own_block().live == 0 {
            self.end_block(block)?;
        }
        debug_assert_eq!(self.current, tid);
        Ok(())
    }

    fn end_block(&mut self, block: u32) -> Outcome<()> {
        let Slot::Running(ended) = std::mem::replace(&mut self.slots[block as usize], Slot::Exited) else {
            unreachable!("a block ends once");
        };
        let members = block * self.launch.threads..(block + 1) * self.launch.threads;
        let awaited = ended.shared.awaited.first().map(|awaited| (awaited.by, awaited.site));
        if let Some((by, site)) = awaited.or_else(|| self.unseen_copy(&ended, members.clone())) {
            let detail =
                format!("block {block} exits, and none of its threads has seen a copy into it complete");
            let mut fault = self.fault(Rule::BulkInFlight, detail);
            fault.other = Some((self.name(by), site));
            return Err(fault);
        }
        let mut visits: Vec<_> = ended.visits.iter().map(|(tid, visit)| (*tid, *visit)).collect();
        visits.sort_unstable_by_key(|(tid, _)| *tid);
        for (visitor, (clock, site)) in visits {
            let (key, index) = (self.block_of(visitor), (visitor % self.launch.threads) as usize);
            let known = members.clone().any(|tid| self.threads[tid as usize].view.get(key, index) >= clock);
            if !known {
                let mut fault = self.fault(
                    Rule::PeerExited,
                    format!("block {block} exits, and nothing orders that after an access by another block to its shared memory"),
                );
                fault.other = Some((self.name(visitor), site));
                return Err(fault);
            }
        }
        let width = self.launch.cluster_width;
        let cluster = block / width;
        let ended = |block: u32| matches!(self.slots[block as usize], Slot::Exited);
        if (cluster * width..(cluster + 1) * width).all(ended) {
            self.clusters.remove(&cluster);
            self.queue.cluster_ended();
        }
        Ok(())
    }
}
