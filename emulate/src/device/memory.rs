//! Loads, stores, atomic operations and fences.

use super::{block_index, here};
use crate::fault::Rule;
use crate::machine::{self, Machine, Outcome};
use crate::operation::{order, step};
use crate::shadow::Scope;
use crate::site::Op;

/// Which memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space(machine::Space);

/// Global memory, by the addresses that [`Memory`](crate::Memory) gives.
#[must_use]
pub const fn global() -> Space {
    Space(machine::Space::Global)
}

/// The block's own shared memory, by bytes from its front.
#[must_use]
pub fn own_shared() -> Space {
    Space(machine::Space::Shared(block_index()))
}

/// The shared memory of the cluster's block `rank`: `mapa`. Nothing is accessed.
#[must_use]
#[track_caller]
pub fn shared_of(rank: u32) -> Space {
    let who = here();
    let block = step(Op::Map, |m| m.peer(rank));
    debug_assert_eq!(block / who.cluster_width, who.block / who.cluster_width);
    Space(machine::Space::Shared(block))
}

/// Stops the launch unless `offset` is a multiple of `align`. Whether the launch has the bytes is checked at each access: an
/// array that nobody touches need not be there.
#[track_caller]
pub fn check_aligned(offset: u32, align: u32) {
    if !offset.is_multiple_of(align) {
        broken(Op::Carve, Rule::Misaligned, || format!("offset {offset} is not a multiple of {align}"));
    }
}

/// Stops the launch: index `index` is not below `len`.
#[cold]
#[track_caller]
pub fn index_out_of_bounds(op: Op, index: u64, len: u64) {
    broken(op, Rule::OutOfBounds, || format!("index {index} of an array of {len}"));
}

#[cold]
#[track_caller]
fn broken(op: Op, rule: Rule, detail: impl Fn() -> String) {
    step(op, |m| Outcome::<()>::Err(m.fault(rule, detail())));
}

/// The `bytes` (1, 2, 4, 8 or 16) at `address`.
#[track_caller]
pub fn load(space: Space, address: u64, bytes: u32) -> u128 {
    let op = if bytes == 16 { Op::Load16 } else { Op::Load };
    step(op, |m| m.load(space.0, address, bytes, false))
}

/// [`load`] of what no thread writes while the kernel runs.
#[track_caller]
pub fn load_constant(space: Space, address: u64, bytes: u32) -> u128 {
    step(Op::LoadConstant, |m| m.load(space.0, address, bytes, true))
}

/// Sets the `bytes` (1, 2, 4, 8 or 16) at `address`.
#[track_caller]
pub fn store(space: Space, address: u64, bytes: u32, value: u128) {
    let op = if bytes == 16 { Op::Store16 } else { Op::Store };
    step(op, |m| m.store(space.0, address, bytes, value));
}

/// What an atomic operation puts in place of the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Atomic {
    Add(u64),
    Min(u64),
    Max(u64),
    Or(u64),
    Exchange(u64),
    CompareExchange { expected: u64, new: u64 },
}

impl Atomic {
    const fn op(self) -> Op {
        match self {
            Self::Add(_) => Op::FetchAdd,
            Self::Min(_) => Op::FetchMin,
            Self::Max(_) => Op::FetchMax,
            Self::Or(_) => Op::FetchOr,
            Self::Exchange(_) => Op::Exchange,
            Self::CompareExchange { .. } => Op::CompareExchange,
        }
    }

    fn apply(self, old: u64) -> u64 {
        match self {
            Self::Add(value) => old.wrapping_add(value),
            Self::Min(value) => old.min(value),
            Self::Max(value) => old.max(value),
            Self::Or(value) => old | value,
            Self::Exchange(value) => value,
            Self::CompareExchange { expected, new } => {
                if old == expected {
                    new
                } else {
                    old
                }
            }
        }
    }
}

/// A relaxed read-modify-write of `bytes` (4 or 8): `atom.relaxed`. The old value.
#[track_caller]
pub fn atomic(space: Space, address: u64, bytes: u32, what: Atomic, scope: Scope) -> u64 {
    step(what.op(), |m| rmw(m, (space, address, bytes), what, scope))
}

/// [`atomic`] addition whose old value nobody wants: `red.relaxed.add`.
#[track_caller]
pub fn reduce_add(space: Space, address: u64, bytes: u32, value: u64, scope: Scope) {
    step(Op::Add, |m| rmw(m, (space, address, bytes), Atomic::Add(value), scope));
}

fn rmw(m: &mut Machine, at: (Space, u64, u32), what: Atomic, scope: Scope) -> Outcome<u64> {
    m.atomic((at.0.0, at.1, at.2), scope, (false, false), |old| Some(what.apply(old)), true)
}

/// `ld.relaxed`, or `ld.acquire`.
#[track_caller]
pub fn atomic_load(space: Space, address: u64, bytes: u32, scope: Scope, acquire: bool) -> u64 {
    let op = if acquire { Op::LoadAcquire } else { Op::LoadRelaxed };
    step(op, |m| m.atomic((space.0, address, bytes), scope, (acquire, false), |_| None, true))
}

/// `st.relaxed`, or `st.release`.
#[track_caller]
pub fn atomic_store(space: Space, address: u64, bytes: u32, value: u64, scope: Scope, release: bool) {
    let op = if release { Op::StoreRelease } else { Op::StoreRelaxed };
    step(op, |m| m.atomic((space.0, address, bytes), scope, (false, release), |_| Some(value), false));
}

/// `fence.acq_rel`.
#[track_caller]
pub fn fence(scope: Scope) {
    let op = match scope {
        Scope::Block => Op::FenceBlock,
        Scope::Cluster => Op::FenceCluster,
        Scope::Device => Op::FenceDevice,
    };
    order(op, |m| {
        m.fence(scope);
        Ok(())
    });
}

/// `fence.proxy.async`.
#[track_caller]
pub fn fence_proxy_async() {
    order(Op::FenceProxyAsync, |m| {
        m.fence_proxy_async();
        Ok(())
    });
}
