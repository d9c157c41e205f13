//! Takes each barrier, fence and scope of the agents out in turn: every removal must be noticed.
//!
//! Noticed is a fault of the launch or a wrong answer, within [`SEEDS`] seeds. What is not noticed is either not tested or not
//! needed; the agents have nothing of the kind.

use crate::agents::{AGENTS, Agent};
use crate::cluster::Family;
use crate::{bucket_sort, cluster, ordered, probe, runner};
use cluster_topk_emulate::{Mutation, Options, Report, Schedule, Site};
use cluster_topk_tests::check::check;
use cluster_topk_tests::generators::{Distribution, keys, rng};
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{Order, Pair, Request, Requirement};
use cluster_topk_tests::runner::{Inputs, Outputs, values_for};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seeds within which every removal is noticed.
const SEEDS: u64 = 40;

const ANY: Requirement = Requirement::of(Pair::NotGuaranteed, Order::Unsorted);
const SORTED: [Requirement; 2] = [Requirement::DEFAULT, Requirement::of(Pair::Larger, Order::StableSorted)];

/// One segment that fills the tile more or less; what the launch did, or that something is wrong.
fn one<K: cluster_topk_tests::key::TestKey>(
    agent: &Agent,
    requirement: Requirement,
    seed: u64,
    mutation: Option<Mutation>,
) -> Result<Report, String> {
    let rng = &mut rng(seed);
    let len = agent.capacity as usize - seed as usize % 7;
    let keys: Vec<K> = keys(rng, Distribution::ALL[seed as usize % 10], len);
    let k = [1, len / 8 + 1, len / 3 + 1, len - 1][seed as usize % 4];
    let request = Request { requirement, seed, ..Request::single(k) };
    let mut out = Outputs::canaries(&request, Layout::of(&request, len).elements);
    let values = values_for(&request, len);
    let options = Options { mutation, ..Schedule::nth(seed).into() };
    // That a mutated agent writes the wrong slots is noticed by a panic of the runner.
    let run = || runner::run(agent, options, &request, Inputs { keys: &keys, values: &values }, &mut out);
    let report = catch_unwind(AssertUnwindSafe(run)).map_err(|_| "wrong slots".to_owned())?;
    let report = report.map_err(|fault| fault.to_string())?;
    check(&request, &keys, &out).map_err(|mismatch| mismatch.to_string())?;
    Ok(report)
}

/// Mutates every site that `run` reports; how many there are, and those that go unnoticed.
fn survivors(run: impl Fn(u64, Option<Mutation>) -> Result<Report, String>) -> (usize, Vec<Mutation>) {
    let (mut sites, mut scoped) = (BTreeSet::<Site>::new(), BTreeSet::<Site>::new());
    for seed in 0..SEEDS {
        let report = run(seed, None).unwrap_or_else(|fault| panic!("unmutated: {fault}"));
        sites.extend(report.sites);
        scoped.extend(report.scoped);
    }
    let mutations = sites.into_iter().map(Mutation::Remove).chain(scoped.into_iter().map(Mutation::Weaken));
    let mutations: Vec<Mutation> = mutations.collect();
    let mut unnoticed = Vec::new();
    for &mutation in &mutations {
        match (0..SEEDS).find_map(|seed| run(seed, Some(mutation)).err().map(|fault| (seed, fault))) {
            Some((seed, fault)) => println!("{mutation:?}\n  seed {seed}: {fault}"),
            None => unnoticed.push(mutation),
        }
    }
    (mutations.len(), unnoticed)
}

fn agent(name: &str) -> &'static Agent {
    AGENTS.iter().find(|agent| agent.name.contains(name)).expect("an agent of that name")
}

#[test]
fn warp_selection() {
    let (count, unnoticed) =
        survivors(|seed, mutation| one::<u32>(agent("warp_select::run::<u32, 8, 4>"), ANY, seed, mutation));
    assert_eq!(unnoticed, []);
    assert!(count >= 2, "{count} sites");
    let (count, unnoticed) =
        survivors(|seed, mutation| one::<u64>(agent("warp_select::run::<u64, 4, 4>"), ANY, seed, mutation));
    assert_eq!(unnoticed, []);
    assert!(count >= 2, "{count} sites");
    for requirement in SORTED {
        let (count, unnoticed) = survivors(|seed, mutation| {
            one::<u32>(agent("warp_select::run::<u32, 8, 4>"), requirement, seed, mutation)
        });
        assert_eq!(unnoticed, []);
        assert!(count >= 3, "{count} sites");
    }
}

#[test]
fn block_selection() {
    let (count, unnoticed) = survivors(|seed, mutation| {
        one::<u32>(agent("block_select::run::<u32, 4, 2, 64>"), ANY, seed, mutation)
    });
    assert_eq!(unnoticed, []);
    assert!(count >= 6, "{count} sites");
    let (count, unnoticed) = survivors(|seed, mutation| {
        one::<u64>(agent("block_select::run::<u64, 2, 1, 64>"), ANY, seed, mutation)
    });
    assert_eq!(unnoticed, []);
    assert!(count >= 6, "{count} sites");
    for (requirement, sites) in SORTED.map(|sorted| (sorted, 10)).into_iter().chain([(ANY, 8)]) {
        let (count, unnoticed) = survivors(|seed, mutation| {
            one::<u32>(agent("block_select::run::<u32, 16, 2, 64>"), requirement, seed, mutation)
        });
        assert_eq!(unnoticed, []);
        assert!(count >= sites, "{count} sites");
    }
}

#[test]
fn the_probe_by_blocks_and_by_clusters() {
    for width in [None, Some(4)] {
        let run = |seed, mutation| {
            let options = Options { mutation, ..Schedule::nth(seed).into() };
            let checked = || probe::run(options, width, 256, seed);
            let report = catch_unwind(AssertUnwindSafe(checked)).map_err(|_| "a wrong key".to_owned())?;
            report.map_err(|fault| fault.to_string())
        };
        let (count, unnoticed) = survivors(run);
        assert_eq!(unnoticed, []);
        assert!(count >= if width.is_some() { 9 } else { 4 }, "{count} sites");
    }
}

/// One segment of a cluster of `width` blocks; what the launch did, or that something is wrong.
fn by_cluster<K: cluster_topk_tests::key::TestKey>(
    agent: &'static cluster::Agent,
    width: u32,
    order: Order,
    family: Family,
    len: usize,
    seed: u64,
    mutation: Option<Mutation>,
) -> Result<Report, String> {
    let rng = &mut rng(seed);
    let len = len - seed as usize % 7;
    let keys: Vec<K> = keys(rng, Distribution::ALL[seed as usize % Distribution::ALL.len()], len);
    let mut k = [1, len / 20, len / 3 + 1, len - 1][seed as usize % 4];
    if order != Order::Unsorted {
        // What the leader sorts; one item is in order by itself.
        k = (k + 1).min(agent.policy.order().capacity() as usize);
    }
    let pair = [Pair::Larger, Pair::Smaller, Pair::NotGuaranteed][seed as usize % 3];
    let request = Request { requirement: Requirement::of(pair, order), seed, ..Request::single(k) };
    let mut out = Outputs::canaries(&request, Layout::of(&request, len).elements);
    let values = values_for(&request, len);
    let options = Options { mutation, ..Schedule::nth(seed).into() };
    let slots = [1, 3, 40][seed as usize % 3];
    let shape =
        cluster::Shape { width, slots, family, single_block_max_seg_size: 0, min_chunks_per_block: 1 };
    let emulated = cluster::Emulated { agent, shape, schedule: options.schedule };
    let run = || emulated.launch(options, &request, Inputs { keys: &keys, values: &values }, &mut out);
    let report = catch_unwind(AssertUnwindSafe(run)).map_err(|_| "wrong slots".to_owned())?;
    let report = report.map_err(|fault| fault.to_string())?;
    check(&request, &keys, &out).map_err(|mismatch| mismatch.to_string())?;
    Ok(report)
}

#[test]
fn cluster_selection() {
    // The widest histogram, so that few keys are settled without another pass, and a small one, which they are not; more equal keys than
    // all lists hold where a pass over all may follow another.
    for (agent, width, order, family, len, least) in [
        ("Wide", 4, Order::Unsorted, Family::Resident, 500, 20),
        ("TwoLines", 3, Order::Unsorted, Family::Resident, 500, 15),
        ("TwoLines", 3, Order::Unsorted, Family::Streaming, 500, 15),
        ("TwoLines", 3, Order::Unsorted, Family::LargeK, 500, 15),
        ("Wide", 4, Order::Unsorted, Family::LargeK, 2000, 15),
        ("Wide", 3, Order::StableSorted, Family::Resident, 500, 24),
        ("Wide", 3, Order::StableSorted, Family::Streaming, 500, 24),
    ] {
        let agent = cluster::agent(agent);
        let run = |seed, mutation| match seed % 2 {
            0 => by_cluster::<f32>(agent, width, order, family, len, seed, mutation),
            _ => by_cluster::<u64>(agent, width, order, family, len, seed, mutation),
        };
        let (count, unnoticed) = survivors(run);
        assert_eq!(unnoticed, []);
        assert!(count >= least, "{count} sites");
    }
}

/// One segment of which an order agent sorts `k` items; what its launch did, or that something is wrong.
fn by_order<K: cluster_topk_tests::key::TestKey>(
    agent: &'static ordered::Agent,
    k: usize,
    seed: u64,
    mutation: Option<Mutation>,
) -> Result<Report, String> {
    let len = k + 100;
    let keys: Vec<K> = keys(&mut rng(seed), Distribution::ALL[seed as usize % Distribution::ALL.len()], len);
    let request = Request { requirement: SORTED[seed as usize % 2], seed, ..Request::single(k) };
    let mut out = Outputs::canaries(&request, Layout::of(&request, len).elements);
    let values = values_for(&request, len);
    let options = Options { mutation, ..Schedule::nth(seed).into() };
    let selection = ordered::Selection::Oracle;
    let ordered = ordered::Ordered { agent, selection, schedule: options.schedule };
    let run = || ordered.launch(options, &request, Inputs { keys: &keys, values: &values }, &mut out);
    let report = catch_unwind(AssertUnwindSafe(run)).map_err(|_| "wrong slots".to_owned())?;
    let report = report.map_err(|fault| fault.to_string())?;
    check(&request, &keys, &out).map_err(|mismatch| mismatch.to_string())?;
    Ok(report)
}

#[test]
fn ordering() {
    let agent = &ordered::AGENTS[1];
    let capacity = agent.policy.capacity() as usize;
    // In shared memory, and by radix passes.
    for (k, least) in [(capacity - 3, 4), (5 * capacity, 5)] {
        let run = |seed, mutation| match seed % 2 {
            0 => by_order::<f32>(agent, k, seed, mutation),
            _ => by_order::<u64>(agent, k, seed, mutation),
        };
        let (count, unnoticed) = survivors(run);
        assert_eq!(unnoticed, []);
        assert!(count >= least, "{count} sites");
    }
}

#[test]
fn sorting_by_buckets() {
    let run = |seed, mutation| {
        let options = Options { mutation, ..Schedule::nth(seed).into() };
        let spread = bucket_sort::SPREADS[seed as usize % 5];
        let checked = || match seed % 2 {
            0 => bucket_sort::one::<u32, u16, 64, 4>(options, 250, spread, seed),
            _ => bucket_sort::one::<u64, u32, 64, 4>(options, 250, spread, seed),
        };
        let report = catch_unwind(AssertUnwindSafe(checked)).map_err(|_| "a wrong place".to_owned())?;
        report.map_err(|fault| fault.to_string())
    };
    let (count, unnoticed) = survivors(run);
    assert_eq!(unnoticed, []);
    assert!(count >= 4, "{count} sites");
}
