//! A sum over a block with a barrier too few: found, shown, and put right.
//!
//! `cargo run --package cluster-topk-emulate --example find_a_race`

use cluster_topk_emulate::device::{self, block_sync, load, own_shared, store};
use cluster_topk_emulate::{Launch, Memory, Schedule, Use, launch};

const THREADS: u32 = 64;

/// Adds up the threads' keys in halves. `careful` has the barrier between one half and the next.
fn sum(keys: u64, out: u64, careful: bool) {
    let own = device::thread_index();
    let word = |index: u32| u64::from(index) * 4;
    let key = load(device::global(), keys + word(own), 4);
    store(own_shared(), word(own), 4, key);
    block_sync();
    let mut half = THREADS / 2;
    while half > 0 {
        if own < half {
            let both = load(own_shared(), word(own), 4) + load(own_shared(), word(own + half), 4);
            store(own_shared(), word(own), 4, both);
        }
        // "The last 32 are one warp, and a warp runs in step": it does not.
        if careful || half > 32 {
            block_sync();
        }
        half /= 2;
    }
    if own == 0 {
        store(device::global(), out, 4, load(own_shared(), 0, 4));
    }
}

fn main() {
    let shape = Launch { blocks: 1, threads: THREADS, cluster_width: 1, shared_bytes: 4 * THREADS };
    for careful in [false, true] {
        let mut memory = Memory::new();
        let keys: Vec<u8> = (1..=THREADS).flat_map(u32::to_le_bytes).collect();
        let keys = memory.add("keys", Use::Input, &keys);
        let out = memory.add("out", Use::Output, &[0; 4]);
        let (from, to) = (memory.address(keys), memory.address(out));
        let found = (0..100)
            .map(Schedule::nth)
            .find_map(|schedule| launch(&mut memory, shape, schedule, move || sum(from, to, careful)).err());
        assert_eq!(found.is_none(), careful);
        match found {
            Some(fault) => println!("with a barrier missing: {fault}"),
            None => println!("with all barriers: 100 schedules, each with the sum {:?}", memory.bytes(out)),
        }
    }
}
