//! The rules on barriers and operations of a warp, and what those operations compute, by the words of the PTX ISA.

mod common;

use cluster_topk_emulate::device::{
    self, From, Vote, block_all, block_any, block_count, block_sync, named_arrive, named_sync, shuffle, vote,
    warp_sync,
};
use cluster_topk_emulate::{Rule, ThreadId};
use common::{blocks, get, me, put, runs, stops, stops_with};

const ALL: u32 = u32::MAX;

#[test]
fn a_barrier_that_a_live_thread_never_reaches() {
    // A warp waits at another barrier.
    let fault = stops(blocks(1, 64), Rule::BarrierNotReached, || {
        if me() < 32 { block_sync() } else { named_sync(1, 64) }
    });
    assert!(fault.other.is_some(), "{fault}");
    // A thread that has exited is not waited for.
    runs(blocks(1, 64), || {
        if me() < 32 {
            block_sync()
        }
    });
    // And the threads of a warp arrive at one call.
    stops(blocks(1, 32), Rule::Diverged, || {
        if me() == 3 {
            return block_sync();
        }
        block_sync();
    });
    // A named barrier counts: an exited thread is missing.
    stops(blocks(1, 64), Rule::BarrierNotReached, || {
        if me() < 32 {
            named_sync(2, 64)
        }
    });
}

#[test]
fn barriers_with_a_predicate() {
    runs(blocks(1, 96), || {
        assert_eq!(block_count(me().is_multiple_of(3)), 32);
        assert!(block_any(me() == 95) && !block_any(false));
        assert!(block_all(true) && !block_all(me() != 40));
    });
    // Not the same operation for all.
    stops_with(
        blocks(1, 64),
        &[Rule::Diverged],
        || {
            if me() < 32 { block_sync() } else { assert!(block_any(true)) }
        },
        |_| (),
    );
}

#[test]
fn named_barriers_order_those_who_come() {
    // A producer warp arrives, a consumer warp waits; a third is not concerned.
    runs(blocks(1, 96), || match me() / 32 {
        0 => {
            put(me(), me());
            named_arrive(3, 64);
        }
        1 => {
            named_sync(3, 64);
            assert_eq!(get(63 - me()), 63 - me());
        }
        _ => {}
    });
    stops_with(
        blocks(1, 96),
        &[Rule::Race, Rule::Uninitialised],
        || match me() / 32 {
            0 => {
                named_arrive(3, 64);
                put(me(), me());
            }
            1 => {
                named_sync(3, 64);
                get(63 - me());
            }
            _ => {}
        },
        |_| (),
    );
    stops(blocks(1, 64), Rule::Argument, || named_sync(16, 64));
    stops(blocks(1, 64), Rule::Argument, || named_sync(1, 40));
}

#[test]
fn a_warp_operation_with_a_lane_missing() {
    // The lane has exited, or exits later.
    stops(blocks(1, 32), Rule::LaneMissing, || {
        if me() != 7 {
            warp_sync(ALL)
        }
    });
    // It waits at a barrier.
    let fault =
        stops(blocks(1, 32), Rule::LaneMissing, || if me() != 7 { warp_sync(ALL) } else { block_sync() });
    assert_eq!(
        fault.other.map(|(thread, _)| thread),
        Some(ThreadId { block: 0, warp: 0, lane: 7 }),
        "{fault}"
    );
    // It is at another operation of the warp.
    stops(blocks(1, 32), Rule::Diverged, || {
        if me() < 16 { vote(ALL, Vote::Ballot, 1) } else { vote(ALL, Vote::Any, 1) }
    });
    // The caller is not in its mask; the lane read is not.
    stops(blocks(1, 32), Rule::Argument, || warp_sync(0xFFFF));
    stops(blocks(1, 32), Rule::LaneMissing, || {
        if me() < 16 {
            shuffle(0xFFFF, 0, From::Lane(20));
        }
    });
    // A warp that is not full has no lane 31.
    stops(blocks(1, 20), Rule::LaneMissing, || warp_sync(ALL));
    // Two masks that are apart do not meet.
    runs(blocks(1, 32), || {
        let mask = if me() < 16 { 0xFFFF } else { 0xFFFF_0000 };
        assert_eq!(vote(mask, Vote::Add, 1), 16);
    });
}

#[test]
fn shuffles() {
    runs(blocks(1, 32), || {
        let own = u64::from(me()) << 33 | 1;
        let of = |lane: u32| u64::from(lane) << 33 | 1;
        assert_eq!(shuffle(ALL, own, From::Lane(37)), of(5), "modulo 32");
        assert_eq!(shuffle(ALL, own, From::Below(3)), of(if me() < 3 { me() } else { me() - 3 }));
        assert_eq!(shuffle(ALL, own, From::Above(3)), of(if me() > 28 { me() } else { me() + 3 }));
        assert_eq!(shuffle(ALL, own, From::Xor(9)), of(me() ^ 9));
    });
}

#[test]
fn votes_and_reductions() {
    runs(blocks(1, 32), || {
        let lane = me();
        let odd = u32::from(lane % 2 == 1);
        assert_eq!(vote(ALL, Vote::Ballot, odd), 0xAAAA_AAAA);
        assert_eq!((vote(ALL, Vote::Any, u32::from(lane == 9)), vote(ALL, Vote::All, odd)), (1, 0));
        assert_eq!(vote(ALL, Vote::All, 1), 1);
        assert_eq!(vote(ALL, Vote::MatchAny, odd), if odd == 1 { 0xAAAA_AAAA } else { 0x5555_5555 });
        assert_eq!(vote(ALL, Vote::Add, u32::MAX), 0u32.wrapping_sub(32), "modulo 2^32");
        assert_eq!((vote(ALL, Vote::Min, lane + 3), vote(ALL, Vote::Max, lane)), (3, 31));
        assert_eq!((vote(ALL, Vote::And, lane | 64), vote(ALL, Vote::Or, 1 << lane)), (64, ALL));
        assert_eq!(vote(ALL, Vote::Add, vote(ALL, Vote::Elect, 0)), 1);
        let again = (vote(ALL, Vote::Elect, 0), vote(ALL, Vote::Elect, 0));
        assert_eq!(again.0, again.1, "the same lane each time");
    });
}

#[test]
fn a_panic_is_the_launch_s() {
    struct Syncs;
    impl Drop for Syncs {
        fn drop(&mut self) {
            // Never waits: the thread unwinds.
            block_sync();
        }
    }
    let fault = stops(blocks(1, 64), Rule::Panic, || {
        let _syncs = Syncs;
        if me() == 33 {
            std::panic::panic_any("as it happens");
        }
        block_sync();
    });
    assert!(fault.detail.contains("as it happens"), "{fault}");
}

#[test]
fn a_loop_that_waits_for_nobody() {
    use cluster_topk_emulate::{Memory, Options, Schedule, Scope, launch};
    let options = Options { patience: 10_000, ..Schedule::nth(0).into() };
    let kernel = || {
        if me() == 0 {
            device::atomic_store(device::own_shared(), 0, 4, 0, Scope::Block, false);
        }
        block_sync();
        while device::atomic_load(device::own_shared(), 0, 4, Scope::Block, true) == 0 {}
    };
    let fault = launch(&mut Memory::new(), blocks(1, 64), options, kernel).expect_err("it hangs");
    assert_eq!(fault.rule, Rule::NoProgress, "{fault}");
}
