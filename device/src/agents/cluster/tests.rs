//! The stages one by one, in emulated launches: each is given what those before it leave, and what it leaves is compared with a plain
//! computation over the keys. (`few` and `order` come last, and are tested with all the others in the workspace's `tests`.)

extern crate std;

use super::candidates::Candidates;
use super::cutoff::Cutoff;
use super::found::{Counted, Found, Part};
use super::load::{self, Stages};
use super::memory::word;
use super::order::Order;
use super::passes::Kth;
use super::share::Share;
use super::team::Team;
use super::{Memory, Streaming, Tuning, bound, place};
use crate::agents::cost::Costs;
use crate::agents::open::Open;
use crate::agents::segment::Segment;
use crate::arch::{block, cluster, thread};
use cluster_topk_abi::key_order::{Direction, KeyType, KeyWidth};
use cluster_topk_abi::layout::TileGeometry;
use cluster_topk_abi::params::{Flags, KernelParams, ScalarSource, ValueKind};
use cluster_topk_abi::policy::ClusterPolicy;
use cluster_topk_abi::requirement::Contract;
use cluster_topk_abi::schedule::{ClusterSchedule, Groups, ScanOrder, SegmentSplit};
use cluster_topk_emulate::{Launch, Memory as Global, Schedule, Use, launch};
use core::cell::RefCell;
use std::rc::Rc;
use std::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Tiny;

impl Tuning for Tiny {
    const POLICY: ClusterPolicy = ClusterPolicy {
        threads_per_block: 64,
        chunk_bytes: 256,
        load_align_bytes: 64,
        bits_per_pass: 4,
        pipeline_stages: 3,
        list_capacity: 60,
        ..ClusterPolicy::DEFAULT
    };
    crate::cluster_sort!(64);
}
const _: () = assert!(Tiny::POLICY.is_valid());
const BUCKETS: u32 = 16;

/// What a thread of a working block has once the load has been started.
struct Stage<'p, T> {
    params: &'p KernelParams,
    share: Share<'p, u32, T>,
    team: Team<u32, T>,
    groups: Groups,
}

/// Launches one cluster that selects the `k` smallest of `keys`, ties by the smaller index, up to `stage`; the indices that it wrote.
///
/// The keys begin 12 bytes behind a line, so that every split has a head.
fn on<T: Tuning + 'static>(
    keys: &[u32],
    k: u32,
    [width, slots]: [u32; 2],
    seed: u64,
    stage: impl Fn(Stage<'_, T>) + 'static,
) -> Vec<u32> {
    // A slot that chunks pass through has barriers of its own.
    let slots = if T::STREAMS { slots.min(T::POLICY.pipeline_stages) } else { slots };
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    let mut global = Global::new();
    let input = global.add_at("keys", Use::Input, &bytes, 12);
    let output = global.add("indices", Use::Output, &std::vec![0xff; 4 * k as usize]);
    let params = KernelParams {
        keys_in: global.address(input),
        keys_len: keys.len() as u64,
        values_out: global.address(output),
        output_pitch: k.into(),
        segment_stride: keys.len() as u64,
        size: ScalarSource::immediate(keys.len() as i64),
        k: ScalarSource::immediate(k.into()),
        num_segments: 1,
        slots,
        value_kind: ValueKind::IndexU32,
        flags: Flags::DETERMINISTIC,
        ..KernelParams::empty(KeyType::U32, Direction::Smallest, Contract::DEFAULT)
    };
    let geometry = TileGeometry::of(&T::POLICY, KeyWidth::W32, 0);
    let shape = Launch {
        blocks: width,
        threads: 64,
        cluster_width: width,
        shared_bytes: geometry.slots_base(0) as u32 + slots * T::POLICY.chunk_bytes,
    };
    let kernel = move || {
        // SAFETY: the launch is as `run` wants it, and the buffers live as long.
        let segment = unsafe { Segment::<u32>::of(&params, 0) };
        // SAFETY: as above.
        let memory = unsafe { Memory::<u32, T>::carve(slots) };
        let split = SegmentSplit::aligned(&geometry, segment.address(), segment.len());
        let schedule = ClusterSchedule::new(&split, width, 1, ScanOrder::Ascending);
        let rank = cluster::rank();
        if schedule.is_idle(rank) {
            return;
        }
        let groups = Groups::of(&split, &schedule, KeyWidth::W32, slots, T::POLICY.list_capacity);
        let share = Share::of(&segment, &split, &schedule, rank, Costs::of(&params), memory);
        let team = Team::of(&schedule, rank, memory);
        // SAFETY: all threads of every block that works are here.
        unsafe { load::start(&segment, &share, &team) };
        stage(Stage { params: &params, share, team, groups });
    };
    launch(&mut global, shape, Schedule::nth(seed), kernel)
        .unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    global.bytes(output).chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Somewhere for the threads to write to.
struct Log<E>(Rc<RefCell<Vec<E>>>);

impl<E> Clone for Log<E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<E: Ord> Log<E> {
    fn new() -> Self {
        Self(Rc::default())
    }

    fn add(&self, entry: E) {
        self.0.borrow_mut().push(entry);
    }

    /// All entries, sorted.
    fn sorted(&self) -> Vec<E> {
        let mut all = core::mem::take(&mut *self.0.borrow_mut());
        all.sort_unstable();
        all
    }
}

/// Keys below `range`, in no order.
fn some(seed: u64, len: u32, range: u32) -> Vec<u32> {
    (0..len)
        .map(|i| {
            (u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed).wrapping_mul(0x2545_f491_4f6c_dd1d)
        })
        .map(|bits| ((bits >> 33) % u64::from(range)) as u32)
        .collect()
}

/// Widths and slots: a block and several, with everything resident and with most of it not.
const SHAPES: [[u32; 2]; 5] = [[1, 20], [1, 2], [2, 1], [3, 3], [16, 1]];

/// Waits until the resident keys are there, as the bound does on its way.
fn wait<T: Tuning>(share: &Share<'_, u32, T>) {
    let stages = Stages::of(share);
    for (stage, _) in (0..).zip((0..share.resident).step_by(stages.keys.max(1) as usize)) {
        // SAFETY: the load has been started.
        unsafe { load::wait(share, stage) };
    }
}

/// Every pass sees every key once, under its index, whichever way it goes.
fn every_pass_sees_every_key<T: Tuning + 'static>() {
    for (seed, shape) in (0..20).zip(SHAPES.into_iter().cycle()) {
        let keys = some(seed, 700 + seed as u32 * 7, u32::MAX);
        let seen = Log::new();
        let log = seen.clone();
        on::<T>(&keys, 1, shape, seed, move |Stage { share, team, .. }| {
            wait(&share);
            for pass in 0..4u32 {
                let mut see = |tile: super::tile::Tile| {
                    tile.each(|key: u32, number| {
                        assert_eq!(share.key_of(&tile, number), key);
                        log.add((pass, tile.index::<u32>(number), key));
                    });
                };
                // SAFETY: the whole block is here; the barrier below follows each pass.
                unsafe { share.vectors(&mut see) };
                if let Some((key, index)) = share.single() {
                    log.add((pass, index, key));
                }
                // SAFETY: as above.
                unsafe { block::sync() };
            }
            // SAFETY: all threads of the team are here; nobody leaves while copies are under way.
            unsafe { end(&team) };
        });
        let expected: Vec<_> =
            (0..4).flat_map(|pass| (0..).zip(&keys).map(move |(index, &key)| (pass, index, key))).collect();
        assert!(seen.sorted() == expected, "{shape:?}, seed {seed}");
    }
}

#[test]
fn every_pass_sees_every_key_loaded() {
    every_pass_sees_every_key::<Tiny>();
}

#[test]
fn every_pass_sees_every_key_streamed() {
    every_pass_sees_every_key::<Streaming<Tiny>>();
}

/// Ends the wait for the peers' start.
///
/// # Safety
///
/// All threads of the team call it together, before any other barrier of the team.
unsafe fn end<T: Tuning>(team: &Team<u32, T>) {
    if !team.alone() {
        // SAFETY: the caller's promise; each thread has arrived in `load::start`.
        unsafe { cluster::wait() };
    }
}

/// The bound holds the k-th key, and at least k keys; the list has exactly the keys within it, wherever it has room for them.
fn the_bound_and_the_list<T: Tuning + 'static>() {
    let mut bounded = 0;
    for (seed, shape) in (0..60).zip(SHAPES.into_iter().cycle()) {
        // All but the first buckets of the first pass, at both ends of each and anywhere.
        let spread = |bits: u32| (3 + bits % 13) << 28 | [0, 0x0fff_ffff, bits >> 4][bits as usize / 13 % 3];
        let keys: Vec<u32> = some(seed, 900, u32::MAX).into_iter().map(spread).collect();
        let k = [1, 5, 20, 100][seed as usize / 5 % 4];
        let (starts, listed) = (Log::new(), Log::new());
        let (start_log, list_log) = (starts.clone(), listed.clone());
        on::<T>(&keys, k, shape, seed, move |Stage { share, team, groups, .. }| {
            // SAFETY: all threads of the team are here; the load has been started.
            let start = unsafe { bound::find(&share, &team, k, groups, false) };
            start_log.add((start.open.least, start.open.most, start.open.k, start.first, start.floor));
            if start.first {
                // Nobody leaves while copies are under way.
                // SAFETY: as above.
                unsafe { share.vectors(&mut |_| ()) };
                // SAFETY: as above.
                unsafe { end(&team) };
                return;
            }
            // SAFETY: as above.
            let candidates = unsafe { Candidates::within(&share, start.open.most) };
            match candidates.listed() {
                Some(count) => candidates.each_listed(count, |key, index| list_log.add((index, key))),
                None => {
                    if thread::index() == 0 {
                        assert!(share.memory.state.load(word::LISTED) > share.memory.list.len());
                        (share.begin()..share.end()).for_each(|index| list_log.add((index, u32::MAX)));
                    }
                }
            }
            // SAFETY: as above. The bound was read from the leader.
            unsafe { team.sync(thread::index() == 0) };
        });
        let starts = starts.sorted();
        let &(least, most, wanted, first, floor) = starts.first().expect("threads ran");
        assert!(starts.iter().all(|start| *start == starts[0]), "the threads disagree: seed {seed}");
        let mut order = keys.clone();
        order.sort_unstable();
        let kth = order[k as usize - 1];
        assert!(kth <= most && wanted == k && (floor || least <= order[0]), "{shape:?}, seed {seed}");
        if first {
            continue;
        }
        bounded += 1;
        let mut listed = listed.sorted();
        let left_out: Vec<u32> = listed.iter().filter(|item| item.1 == u32::MAX).map(|item| item.0).collect();
        listed.retain(|item| item.1 != u32::MAX);
        let within = (0..).zip(keys.iter().copied()).filter(|&(_, key)| key <= most);
        let expected: Vec<_> = within.filter(|item| left_out.binary_search(&item.0).is_err()).collect();
        assert!(listed == expected, "{shape:?}, seed {seed}: {} of {}", listed.len(), expected.len());
    }
    assert!(bounded > 10, "{bounded}");
}

#[test]
fn the_bound_and_the_list_loaded() {
    the_bound_and_the_list::<Tiny>();
}

#[test]
fn the_bound_and_the_list_streamed() {
    the_bound_and_the_list::<Streaming<Tiny>>();
}

/// A pass finds the bucket of the k-th key and how many of it are wanted; then the placement writes the winners, the ties with
/// the smallest indices, found by a cutoff in the block that the cut goes through.
#[test]
fn a_pass_and_the_placement() {
    for (seed, shape) in (0..60).zip(SHAPES.into_iter().cycle()) {
        // A bucket each.
        let keys = some(seed, 800, BUCKETS);
        let k = [1, 60, 333, 700][seed as usize / 5 % 4];
        let found_log = Log::new();
        let log = found_log.clone();
        let mut written = on::<Tiny>(&keys, k, shape, seed, move |Stage { params, share, team, .. }| {
            wait(&share);
            let candidates = Candidates::all(&share);
            // SAFETY: the whole block is here.
            unsafe { candidates.count(&team, |key, _| key) };
            // SAFETY: all threads of the team are here, and have counted all keys.
            let found = unsafe { team.resolve(k, Counted::Keys { few: 0 }, None, true, false) };
            let Found { bucket, k, part } = found;
            log.add((bucket, k, part == Part::Whole));
            let open = Open { least: bucket, most: bucket, k };
            let order = Order::of(params, share.memory, k);
            // SAFETY: as above; the pass has found them.
            unsafe { place::write(&candidates, &team, &order, Kth { open, part, is_rest: false }, false) };
        });
        let mut order: Vec<(u32, u32)> = (0..).zip(&keys).map(|(index, &key)| (key, index)).collect();
        order.sort_unstable();
        let kth = order[k as usize - 1].0;
        let before = keys.iter().filter(|&&key| key < kth).count() as u32;
        let ties = keys.iter().filter(|&&key| key == kth).count() as u32;
        let expected = (kth, k - before, ties == k - before);
        assert!(found_log.sorted().iter().all(|found| *found == expected), "{shape:?}, seed {seed}");
        written.sort_unstable();
        let mut winners: Vec<u32> = order[..k as usize].iter().map(|item| item.1).collect();
        winners.sort_unstable();
        assert!(written == winners, "{shape:?}, seed {seed}");
    }
}

/// The cutoff admits as many of a block's ties as are wanted, those with the smallest indices.
#[test]
fn the_cutoff() {
    const TIE: u32 = 3;
    for (seed, shape) in (0..40).zip(SHAPES.into_iter().cycle()) {
        let keys = some(seed, 800, 5);
        let (limits, own) = (Log::new(), keys.clone());
        let log = limits.clone();
        on::<Tiny>(&keys, 1, shape, seed, move |Stage { share, team, .. }| {
            wait(&share);
            let ties = (share.begin()..share.end()).filter(|&index| own[index as usize] == TIE);
            let ties: Vec<u32> = ties.collect();
            if ties.len() > 1 {
                let wanted = 1 + seed as u32 % (ties.len() as u32 - 1);
                // SAFETY: the whole block is here, and has used the histogram for nothing else.
                let cutoff = unsafe { Cutoff::find(&Candidates::all(&share), &team, TIE, wanted) };
                let admitted = ties.iter().take_while(|&&index| cutoff.admits(index)).count() as u32;
                let any_behind = ties[admitted as usize..].iter().any(|&index| cutoff.admits(index));
                log.add((admitted == wanted, any_behind));
            }
            // SAFETY: all threads of the team are here.
            unsafe { end(&team) };
        });
        let limits = limits.sorted();
        assert!(
            !limits.is_empty() && limits.iter().all(|&limit| limit == (true, false)),
            "{shape:?}, seed {seed}"
        );
    }
}
