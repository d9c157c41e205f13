//! A schedule replays, and different ones differ.

mod common;

use cluster_topk_emulate::device::{self, Atomic, atomic, block_sync, global};
use cluster_topk_emulate::{Memory, Mode, Options, Schedule, Scope, Use, launch};
use common::{FIRST, blocks, get, me, put, schedules};

/// The order in which threads come to a counter, over three blocks.
fn order(schedule: Schedule) -> (Vec<u8>, u64) {
    let mut memory = Memory::new();
    let counter = memory.add("counter and tickets", Use::Scratch, &[0; 4 + 4 * 192]);
    let report = launch(&mut memory, blocks(3, 64), schedule, || {
        put(me(), 1);
        block_sync();
        get(63 - me());
        let ticket = atomic(global(), FIRST, 4, Atomic::Add(1), Scope::Device);
        let own = device::block_index() * 64 + me();
        device::store(global(), FIRST + 4 + 4 * u64::from(own), 4, ticket.into());
    });
    (memory.bytes(counter).to_vec(), report.expect("no fault").switches)
}

#[test]
fn a_schedule_replays() {
    for schedule in schedules() {
        assert_eq!(order(schedule), order(schedule), "{schedule}");
    }
}

#[test]
fn schedules_differ() {
    let mut orders: Vec<_> = (0..20).map(|seed| order(Schedule { mode: Mode::Random, seed })).collect();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 20);
}

#[test]
fn a_fault_replays_word_for_word() {
    for schedule in schedules() {
        let run = || {
            let racy = || {
                put(me() % 32, me());
                block_sync();
            };
            let options = Options::new(schedule);
            launch(&mut Memory::new(), blocks(2, 64), options, racy).expect_err("a race").to_string()
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn modes_do_what_they_say() {
    // The tickets of the first lanes come last, as far as they can: no lane waits for them before its ticket is drawn.
    for seed in 0..10 {
        let mut memory = Memory::new();
        let tickets = memory.add("tickets", Use::Scratch, &[0; 4 + 4 * 64]);
        let schedule = Schedule { mode: Mode::LeaderLast, seed };
        let kernel = || {
            let ticket = atomic(global(), FIRST, 4, Atomic::Add(1), Scope::Block);
            device::store(global(), FIRST + 4 + 4 * u64::from(me()), 4, ticket.into());
        };
        launch(&mut memory, blocks(1, 64), schedule, kernel).expect("no fault");
        let of = |thread: usize| memory.bytes(tickets)[4 + 4 * thread];
        let mean = (u32::from(of(0)) + u32::from(of(32))) / 2;
        assert!(mean > 50, "{mean}");
    }
}
