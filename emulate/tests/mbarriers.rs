//! The rules on barriers in shared memory and bulk copies.

mod common;

use cluster_topk_emulate::device::mbarrier::{
    arrive, arrive_expect, bulk_copy, bulk_prefetch, fence_init, init, invalidate, try_wait,
};
use cluster_topk_emulate::device::{self, block_sync, fence_proxy_async};
use cluster_topk_emulate::{Memory, Rule, Use};
use common::{FIRST, blocks, get, me, own, put, runs_with, stops_with};

/// Where the barrier lies, and where copies go.
const BARRIER: u32 = 512;
const TO: u32 = 0;

fn source(memory: &mut Memory) {
    let bytes: Vec<u8> = (0..=255).collect();
    memory.add("source", Use::Input, &bytes);
}

fn wait(parity: u32) {
    while !try_wait(BARRIER, parity) {}
}

/// Thread 0 makes the barrier; everyone may use it afterwards.
fn make(arrivals: u32) {
    if me() == 0 {
        init(BARRIER, arrivals);
        fence_init();
    }
    block_sync();
}

fn stops<R: 'static>(
    rules: &[Rule],
    kernel: impl Fn() -> R + Clone + 'static,
) -> cluster_topk_emulate::Fault {
    stops_with(blocks(1, 64), rules, kernel, source)
}

fn runs<R: 'static>(kernel: impl Fn() -> R + Clone + 'static) {
    runs_with(blocks(1, 64), kernel, source);
}

/// Thread 0 copies 256 bytes in two copies; `expected` bytes are announced.
fn copy(expected: u32) {
    if me() == 0 {
        arrive_expect(BARRIER, expected);
        bulk_copy(TO, 128, FIRST, 128, BARRIER);
        bulk_copy(TO + 128, 128, FIRST + 128, 128, BARRIER);
    }
}

#[test]
fn a_copy_that_is_waited_for() {
    runs(|| {
        make(1);
        copy(256);
        wait(0);
        let byte = 4 * me();
        assert_eq!(get(me()), u32::from_le_bytes([byte, byte + 1, byte + 2, byte + 3].map(|b| b as u8)));
    });
}

#[test]
fn phases_alternate() {
    runs(|| {
        make(1);
        for round in 0..5u32 {
            copy(256);
            wait(round % 2);
            get(me());
            // Readers are done before the next copy.
            block_sync();
        }
    });
}

#[test]
fn a_destination_read_before_its_phase_completes() {
    let fault = stops(&[Rule::BulkNotComplete, Rule::Uninitialised], || {
        make(1);
        copy(256);
        block_sync();
        get(me());
    });
    assert!(fault.to_string().contains("load"), "{fault}");
    // One thread waits, and does not tell the others.
    stops(&[Rule::BulkNotComplete, Rule::Uninitialised], || {
        make(1);
        copy(256);
        if me() == 0 {
            wait(0);
        }
        get(me());
        wait(0);
    });
    // Nobody writes there, either.
    stops(&[Rule::BulkNotComplete], || {
        make(1);
        copy(256);
        block_sync();
        put(me(), 0);
        wait(0);
    });
}

#[test]
fn a_missing_proxy_fence() {
    let kernel = |fence: bool| {
        move || {
            put(me(), 1);
            if fence {
                fence_proxy_async();
            }
            make(1);
            copy(256);
            wait(0);
        }
    };
    runs(kernel(true));
    let fault = stops(&[Rule::ProxyFence], kernel(false));
    assert!(fault.other.is_some(), "{fault}");
    // A fence without a barrier is not known to the thread that copies.
    stops(&[Rule::Race, Rule::ProxyFence, Rule::BulkNotComplete], || {
        make(1);
        put(me(), 1);
        fence_proxy_async();
        copy(256);
        wait(0);
    });
}

#[test]
fn a_copy_over_what_has_been_read() {
    let kernel = |barrier: bool| {
        move || {
            make(1);
            copy(256);
            wait(0);
            get(me());
            if barrier {
                block_sync();
            }
            copy(256);
            wait(1);
        }
    };
    // A read that has its value has nothing left for a fence to finish: the barrier is enough.
    runs(kernel(true));
    // The copy must not overtake it.
    stops(&[Rule::Race, Rule::BulkNotComplete], kernel(false));
    // What was read and then written needs the fence.
    stops(&[Rule::ProxyFence], || {
        make(1);
        copy(256);
        wait(0);
        put(me(), get(me()));
        block_sync();
        copy(256);
        wait(1);
    });
}

#[test]
fn wrong_and_oversized_expectations() {
    // Too many: nobody ever brings them. Too few: the phase ends early.
    stops(&[Rule::ExpectTx], || {
        make(1);
        copy(272);
        wait(0);
    });
    // In an interleaving where it ends before the second copy is started, nobody waits for that one.
    stops(&[Rule::ExpectTx, Rule::BulkInFlight], || {
        make(1);
        copy(128);
        wait(0);
    });
    stops(&[Rule::ExpectTx], || {
        make(1);
        copy(1 << 20);
    });
    stops(&[Rule::ExpectTx], || {
        make(2);
        if me() < 2 {
            arrive_expect(BARRIER, 1 << 19);
        }
    });
}

#[test]
fn arrivals() {
    // Every thread arrives once, and sees what all did before.
    runs(|| {
        make(64);
        put(me(), me());
        arrive(BARRIER);
        wait(0);
        assert_eq!(get(63 - me()), 63 - me());
    });
    // One is missing; one is too many before the phase can end.
    stops(&[Rule::BarrierNotReached], || {
        make(64);
        if me() > 0 {
            arrive(BARRIER);
        }
        wait(0);
    });
    stops(&[Rule::MbarrierPhase], || {
        make(1);
        if me() == 0 {
            arrive_expect(BARRIER, 128);
            arrive(BARRIER);
        }
    });
}

#[test]
fn use_before_init_and_after_the_end() {
    stops(&[Rule::MbarrierNotInitialised], || {
        if me() == 0 {
            arrive(BARRIER);
        }
    });
    stops(&[Rule::MbarrierNotInitialised], || {
        if me() == 0 {
            init(BARRIER, 1);
            fence_init();
        }
        if me() == 40 {
            try_wait(BARRIER, 0);
        }
    });
    stops(&[Rule::MbarrierNotInitialised], || {
        make(1);
        if me() == 0 {
            invalidate(BARRIER);
            arrive(BARRIER);
        }
    });
    // Its bytes are its own until then.
    stops(&[Rule::MbarrierInUse], || {
        make(1);
        device::store(own(), (BARRIER + 4).into(), 4, 0);
    });
    runs(|| {
        make(1);
        block_sync();
        if me() == 0 {
            invalidate(BARRIER);
            device::store(own(), BARRIER.into(), 8, 0);
        }
    });
}

#[test]
fn made_where_one_is_in_use() {
    stops(&[Rule::MbarrierInUse], || {
        make(1);
        make(1);
    });
    stops(&[Rule::MbarrierInUse], || {
        make(1);
        copy(256);
        if me() == 0 {
            invalidate(BARRIER);
        }
        wait(0);
    });
}

#[test]
fn a_missing_init_fence() {
    stops(&[Rule::MbarrierInitFence], || {
        if me() == 0 {
            init(BARRIER, 1);
        }
        block_sync();
        copy(256);
        wait(0);
    });
    // The thread that made it needs it as well, for the copy engine.
    stops(&[Rule::MbarrierInitFence], || {
        if me() == 0 {
            init(BARRIER, 1);
            copy(256);
            wait(0);
        }
    });
}

#[test]
fn alignment_and_bounds_of_copies() {
    let one = |to: u32, room: u32, from: u64, bytes: u32| {
        move || {
            make(1);
            if me() == 0 {
                arrive_expect(BARRIER, bytes);
                bulk_copy(to, room, FIRST + from, bytes, BARRIER);
            }
            wait(0);
        }
    };
    runs(one(16, 32, 16, 32));
    stops(&[Rule::Misaligned], one(8, 32, 16, 32));
    stops(&[Rule::Misaligned], one(16, 32, 8, 32));
    stops(&[Rule::Misaligned], one(16, 32, 16, 24));
    stops(&[Rule::OutOfBounds], one(16, 16, 16, 32));
    stops(&[Rule::OutOfBounds], one(1008, 32, 16, 32));
    stops(&[Rule::OutOfBounds], one(16, 512, 16, 256));
    stops(&[Rule::Argument], one(16, 32, 16, 0));
    stops(&[Rule::OutOfBounds], || bulk_prefetch(FIRST + 16, 256));
    stops(&[Rule::MbarrierInUse], one(BARRIER, 32, 16, 32));
}

#[test]
fn a_copy_outlived_by_nobody() {
    stops(&[Rule::BulkInFlight], || {
        make(1);
        if me() == 0 {
            arrive_expect(BARRIER, 256);
            bulk_copy(TO, 256, FIRST, 256, BARRIER);
        }
    });
}
