//! The rules on memory, each with a kernel that breaks it and one that does not.

mod common;

use cluster_topk_emulate::device::{
    self, Atomic, atomic, atomic_load, atomic_store, block_sync, global, reduce_add, warp_sync,
};
use cluster_topk_emulate::{Launch, Memory, Place, Rule, Schedule, Scope, Use, launch};
use common::{FIRST, blocks, get, me, own, put, runs, runs_with, stops, stops_with};

#[test]
fn an_uninitialised_read() {
    let fault = stops(blocks(1, 32), Rule::Uninitialised, || get(5));
    assert_eq!(fault.place, Some(Place::Shared { block: 0, offset: 20 }));
    // Half a word is not the whole.
    let half = || {
        device::store(own(), 64, 2, 1);
        get(16);
    };
    stops(blocks(1, 1), Rule::Uninitialised, half);
    // An atomic operation reads, too.
    stops(blocks(1, 1), Rule::Uninitialised, || reduce_add(own(), 0, 4, 1, Scope::Block));
    runs(blocks(1, 32), || {
        put(me(), 1);
        get(me());
    });
}

#[test]
fn out_of_bounds() {
    stops(blocks(1, 32), Rule::OutOfBounds, || put(256, 1));
    stops(blocks(1, 32), Rule::OutOfBounds, || device::load(own(), 1024, 16).max(1));
    let buffer = |memory: &mut Memory| memory.add("keys", Use::Input, &[0; 20]);
    for address in [FIRST - 4, FIRST + 20, 0, u64::MAX - 3] {
        stops_with(blocks(1, 32), &[Rule::OutOfBounds], move || device::load(global(), address, 4), buffer);
    }
    let fault =
        stops_with(blocks(1, 32), &[Rule::OutOfBounds], || device::load(global(), FIRST + 24, 8), buffer);
    assert!(fault.to_string().contains("byte 24 of `keys`"), "{fault}");
    runs_with(blocks(1, 32), || device::load(global(), FIRST + 16, 4), buffer);
}

#[test]
fn misaligned() {
    stops(blocks(1, 32), Rule::Misaligned, || device::store(own(), 2, 4, 1));
    stops(blocks(1, 32), Rule::Misaligned, || device::store(own(), 8, 16, 1));
    let buffer = |memory: &mut Memory| memory.add_at("keys", Use::Input, &[0; 64], 4);
    stops_with(blocks(1, 32), &[Rule::Misaligned], || device::load(global(), FIRST + 4, 8), buffer);
    runs_with(blocks(1, 32), || device::load(global(), FIRST + 8, 8), buffer);
}

#[test]
fn a_race_between_two_barriers() {
    // Write and read, write and write, by threads of one warp and of two.
    for threads in [32, 64] {
        stops_with(
            blocks(1, threads),
            &[Rule::Race, Rule::Uninitialised],
            || {
                put(me(), me());
                get((me() + 1) % device::block_threads());
            },
            |_| (),
        );
        stops(blocks(1, threads), Rule::Race, || put(0, 1));
    }
    // Read, then write: the barrier that is missing is the one before the next round.
    stops(blocks(1, 64), Rule::Race, || {
        for round in 0..2 {
            put(me(), round);
            block_sync();
            get(63 - me());
        }
    });
    runs(blocks(1, 64), || {
        for round in 0..2 {
            put(me(), round);
            block_sync();
            assert_eq!(get(63 - me()), round);
            block_sync();
        }
    });
}

#[test]
fn votes_and_shuffles_order_nothing_but_warp_sync_does() {
    let exchange = |sync: fn(u32)| {
        move || {
            put(me(), me());
            sync(u32::MAX);
            get(me() ^ 1);
        }
    };
    stops(blocks(1, 32), Rule::Race, exchange(|mask| _ = device::vote(mask, device::Vote::Ballot, 1)));
    stops(blocks(1, 32), Rule::Race, exchange(|mask| _ = device::shuffle(mask, 0, device::From::Xor(1))));
    runs(blocks(1, 32), exchange(warp_sync));
    // It orders its own lanes only.
    stops_with(
        blocks(1, 64),
        &[Rule::Race, Rule::Uninitialised],
        || {
            put(me(), me());
            warp_sync(u32::MAX);
            get(me() ^ 32);
        },
        |_| (),
    );
}

#[test]
fn neighbouring_bytes_do_not_conflict() {
    runs(blocks(1, 64), || {
        device::store(own(), me().into(), 1, 7);
        block_sync();
        assert_eq!(get(me() / 4), 0x0707_0707);
    });
    stops(blocks(1, 64), Rule::Race, || {
        device::store(own(), (me() / 2).into(), 1, 7);
    });
}

#[test]
fn atomic_operations_do_not_conflict_within_their_scope() {
    let count = |blocks: u32| {
        move || {
            if me() == 0 {
                atomic_store(own(), 0, 4, 0, Scope::Block, false);
            }
            block_sync();
            atomic(own(), 0, 4, Atomic::Add(1), Scope::Block);
            reduce_add(global(), FIRST, 4, 1, if blocks > 1 { Scope::Device } else { Scope::Block });
            block_sync();
            assert_eq!(get(0), 64);
        }
    };
    let counter = |memory: &mut Memory| memory.add("counter", Use::Scratch, &[0; 4]);
    runs_with(blocks(1, 64), count(1), counter);
    runs_with(blocks(3, 64), count(3), counter);
    // The same by blocks that only know their own scope.
    stops_with(blocks(3, 64), &[Rule::Scope], count(1), counter);
    // An ordinary access beside them.
    stops(blocks(1, 32), Rule::Race, || match me() {
        0 => put(0, 1),
        _ => atomic_store(own(), 0, 4, 1, Scope::Block, false),
    });
}

/// Thread 0 writes a word and raises a flag for thread 32.
fn pass(how: fn(), wait: fn()) -> impl Fn() + Clone + 'static {
    move || {
        if me() == 0 {
            atomic_store(own(), 8, 4, 0, Scope::Block, false);
        }
        block_sync();
        match me() {
            0 => {
                put(0, 9);
                how();
            }
            32 => {
                wait();
                assert_eq!(get(0), 9);
            }
            _ => {}
        }
    }
}

#[test]
fn a_release_that_is_acquired_orders() {
    let release = || atomic_store(own(), 8, 4, 1, Scope::Block, true);
    let acquire = || while atomic_load(own(), 8, 4, Scope::Block, true) == 0 {};
    let relaxed_store = || atomic_store(own(), 8, 4, 1, Scope::Block, false);
    let relaxed_load = || while atomic_load(own(), 8, 4, Scope::Block, false) == 0 {};
    runs(blocks(1, 64), pass(release, acquire));
    stops(blocks(1, 64), Rule::Race, pass(relaxed_store, acquire));
    stops(blocks(1, 64), Rule::Race, pass(release, relaxed_load));
    // Fences do the same for relaxed accesses.
    let fenced_store = || {
        device::fence(Scope::Block);
        atomic_store(own(), 8, 4, 1, Scope::Block, false);
    };
    let fenced_load = || {
        while atomic_load(own(), 8, 4, Scope::Block, false) == 0 {}
        device::fence(Scope::Block);
    };
    runs(blocks(1, 64), pass(fenced_store, fenced_load));
    stops(blocks(1, 64), Rule::Race, pass(fenced_store, relaxed_load));
}

#[test]
fn outputs_are_written_once() {
    let buffer = |memory: &mut Memory| memory.add("out", Use::Output, &[0; 256]);
    let store = |index: u32| device::store(global(), FIRST + u64::from(index) * 4, 4, 1);
    runs_with(blocks(1, 64), move || store(me()), buffer);
    stops_with(blocks(1, 1), &[Rule::WrittenTwice], move || (store(0), store(0)).0, buffer);
    stops_with(blocks(1, 64), &[Rule::Race], move || store(me() / 2), buffer);
    stops_with(blocks(1, 1), &[Rule::Uninitialised], || device::load(global(), FIRST, 4), buffer);
    let mut memory = Memory::new();
    let out = memory.add("out", Use::Output, &[0; 256]);
    let shape = Launch { shared_bytes: 0, ..blocks(1, 64) };
    launch(&mut memory, shape, Schedule::nth(0), move || {
        if me() != 9 {
            store(me())
        }
    })
    .expect("no fault");
    let unwritten: Vec<usize> = (0..256).filter(|byte| !memory.written(out)[*byte]).collect();
    assert_eq!(unwritten, [36, 37, 38, 39]);
}

#[test]
fn inputs_are_not_written_and_constants_do_not_change() {
    let input = |memory: &mut Memory| memory.add("keys", Use::Input, &[0; 256]);
    stops_with(blocks(1, 1), &[Rule::InputWritten], || device::store(global(), FIRST, 4, 1), input);
    let scratch = |memory: &mut Memory| memory.add("scratch", Use::Scratch, &[0; 256]);
    let read_back = || {
        device::store(global(), FIRST, 4, 1);
        device::load_constant(global(), FIRST, 4);
    };
    stops_with(blocks(1, 1), &[Rule::NotConstant], read_back, scratch);
    runs_with(blocks(1, 64), || device::load_constant(global(), FIRST, 16), input);
}
