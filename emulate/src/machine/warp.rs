//! Operations of a warp: they happen when all lanes of the mask have come.

use super::{Flow, Machine, Outcome, State};
use crate::clock::Gather;
use crate::fault::Rule;
use crate::schedule::{Mode, mix};
use crate::site::Site;

/// What the lanes compute together; for each the operand is the `u64` passed beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    Sync,
    /// Of lane `arg` modulo 32.
    Shuffle,
    ShuffleUp,
    ShuffleDown,
    ShuffleXor,
    Ballot,
    Any,
    All,
    MatchAny,
    ReduceAdd,
    ReduceMin,
    ReduceMax,
    ReduceAnd,
    ReduceOr,
    Elect,
}

/// A warp.
#[derive(Debug, Default)]
pub(super) struct Warp {
    exited: u32,
    pending: Vec<Pending>,
}

/// An operation that some lanes of the mask have come to.
#[derive(Debug)]
struct Pending {
    site: Site,
    mask: u32,
    what: Collective,
    came: u32,
    operands: [(u64, u32); 32],
}

impl Machine {
    /// The current lane comes to an operation of the lanes in `mask`.
    pub(crate) fn collective(&mut self, what: Collective, mask: u32, value: u64, arg: u32) -> Outcome<Flow> {
        let index = self.current % self.launch.threads;
        let (warp, lane) = (index / 32, index % 32);
        let site = self.me().site;
        if mask >> lane & 1 == 0 {
            return Err(
                self.fault(Rule::Argument, format!("the calling lane is not in the mask {mask:#010x}"))
            );
        }
        let present = (self.launch.threads - warp * 32).min(32);
        let exited =
            self.own_block().warps[warp as usize].exited | u32::MAX.checked_shl(present).unwrap_or(0);
        if mask & exited != 0 {
            let gone = (mask & exited).trailing_zeros();
            return Err(
                self.fault(Rule::LaneMissing, format!("mask {mask:#010x} has lane {gone}, which has exited"))
            );
        }
        let pending = &mut self.own_block().warps[warp as usize].pending;
        let same = |p: &Pending| p.mask == mask && p.site == site && p.what == what;
        let at = match pending.iter().position(|p| p.mask & mask != 0) {
            Some(at) if same(&pending[at]) => at,
            Some(at) => {
                let (came, other, its) = (pending[at].came, pending[at].site, pending[at].mask);
                let first = self.current - lane + came.trailing_zeros();
                let mut fault = self.fault(
                    Rule::Diverged,
                    format!("mask {mask:#010x} shares lanes with {its:#010x}, whose lanes {came:#010x} wait elsewhere"),
                );
                fault.other = Some((self.name(first), other));
                return Err(fault);
            }
            None => {
                pending.push(Pending { site, mask, what, came: 0, operands: [(0, 0); 32] });
                pending.len() - 1
            }
        };
        let group = &mut pending[at];
        group.came |= 1 << lane;
        group.operands[lane as usize] = (value, arg);
        if group.came != mask {
            self.me().state = State::Waiting;
            return Ok(Flow::Wait);
        }
        let group = pending.swap_remove(at);
        self.finish(&group, self.current - lane)?;
        Ok(Flow::Wait)
    }

    /// All lanes have come: the results, and everyone goes on.
    fn finish(&mut self, group: &Pending, first: u32) -> Outcome<()> {
        let lanes = || (0..32u32).filter(|lane| group.mask >> lane & 1 == 1);
        let of = |lane: u32| group.operands[lane as usize].0;
        let whole = || lanes().map(of);
        let votes = lanes().filter(|lane| of(*lane) != 0).fold(0, |all, lane| all | 1u32 << lane);
        let one = match group.what {
            Collective::Sync => {
                let mut gather = Gather::default();
                for lane in lanes() {
                    let thread = &mut self.threads[(first + lane) as usize];
                    gather.add(first + lane, thread.clock, &thread.view);
                    thread.clock += 1;
                }
                let view = gather.finish(self.launch.threads);
                for lane in lanes() {
                    self.threads[(first + lane) as usize].view = view.clone();
                }
                Some(0)
            }
            Collective::Ballot => Some(votes.into()),
            Collective::Any => Some((votes != 0).into()),
            Collective::All => Some((votes == group.mask).into()),
            Collective::ReduceAdd => Some(whole().fold(0u32, |a, b| a.wrapping_add(b as u32)).into()),
            Collective::ReduceMin => whole().min(),
            Collective::ReduceMax => whole().max(),
            Collective::ReduceAnd => whole().reduce(|a, b| a & b),
            Collective::ReduceOr => whole().reduce(|a, b| a | b),
            _ => None,
        };
        let elected = match self.options.schedule.mode {
            Mode::LeaderLast => group.mask.trailing_zeros(),
            _ => {
                let nth =
                    mix(self.options.schedule.seed ^ u64::from(group.mask)) as u32 % group.mask.count_ones();
                lanes().nth(nth as usize).unwrap_or(0)
            }
        };
        for lane in lanes() {
            let arg = group.operands[lane as usize].1;
            // The lane that is read, or this one where the operation says so.
            let from = match group.what {
                Collective::Shuffle => arg % 32,
                Collective::ShuffleUp => lane.checked_sub(arg).unwrap_or(lane),
                Collective::ShuffleDown => {
                    if arg < 32 - lane {
                        lane + arg
                    } else {
                        lane
                    }
                }
                Collective::ShuffleXor => lane ^ (arg & 31),
                _ => lane,
            };
            if group.mask >> from & 1 == 0 {
                self.current = first + lane;
                return Err(self.fault(
                    Rule::LaneMissing,
                    format!("it reads lane {from}, which is not in the mask {:#010x}", group.mask),
                ));
            }
            let result = match (one, group.what) {
                (Some(result), _) => result,
                (None, Collective::Elect) => u64::from(lane == elected),
                (None, Collective::MatchAny) => {
                    lanes().filter(|other| of(*other) == of(lane)).fold(0, |all, other| all | 1u64 << other)
                }
                (None, _) => of(from),
            };
            self.wake(first + lane, result);
        }
        Ok(())
    }

    /// The current lane has exited.
    pub(super) fn exit_warp(&mut self) -> Outcome<()> {
        let index = self.current % self.launch.threads;
        let (warp, lane) = (index / 32, index % 32);
        let warp = &mut self.own_block().warps[warp as usize];
        warp.exited |= 1 << lane;
        let Some(group) = warp.pending.iter().find(|group| group.mask >> lane & 1 == 1) else {
            return Ok(());
        };
        let (site, mask, waits) = (group.site, group.mask, group.came.trailing_zeros());
        let exited = self.name(self.current);
        self.current = self.current - lane + waits;
        self.me().site = site;
        Err(self.fault(
            Rule::LaneMissing,
            format!("mask {mask:#010x} has lane {}, which exits instead", exited.lane),
        ))
    }
}
