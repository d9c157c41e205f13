//! The worked example: keys 10 8 8 8 6 5, k = 3, under every spelling of every requirement.

use cluster_topk_tests::harness::run;
use cluster_topk_tests::request::{Pair, Request, Requirement, Written};
use cluster_topk_tests::runner::cpu::CpuRunner;
use cluster_topk_tests::worked_example::{K, KEYS, check};

/// The winners in the order they were written, under one requirement.
fn winners(requirement: Requirement, written: Written) -> Vec<usize> {
    let request = Request { requirement, written, ..Request::single(K) };
    run(&CpuRunner::default(), &request, &KEYS).winners.remove(0)
}

#[test]
fn all_spellings() {
    assert_eq!(Requirement::spellings().count(), 24);
    for requirement in Requirement::spellings() {
        for written in Written::ALL {
            check(requirement, &winners(requirement, written), &format!("{written:?}"));
        }
    }
}

#[test]
fn deterministic_sets_repeat() {
    for requirement in Requirement::spellings().filter(|r| r.membership() != Pair::NotGuaranteed) {
        let set = |_| {
            let mut set = winners(requirement, Written::ALL[11]);
            set.sort_unstable();
            set
        };
        let sets: std::collections::BTreeSet<Vec<usize>> = (0..20).map(set).collect();
        assert_eq!(sets.len(), 1, "{requirement:?} gave {sets:?}");
    }
}

#[test]
fn the_sequences_that_are_pinned() {
    use cluster_topk::prelude::*;
    let run = |env: &dyn Fn(&mut [i32], &mut [u32])| {
        let (mut keys, mut indices) = ([0; 3], [0; 3]);
        env(&mut keys, &mut indices);
        (keys, indices)
    };
    let default =
        run(&|keys, indices| max_keys_and_indices(&KEYS, 3, keys, indices).run(&Env::cpu()).unwrap());
    assert_eq!(default, ([10, 8, 8], [0, 1, 2]));
    let larger = run(&|keys, indices| {
        let env = Env::cpu().require((GpuToGpu, PreferLargerIndex, StableSorted));
        max_keys_and_indices(&KEYS, 3, keys, indices).run(&env).unwrap();
    });
    assert_eq!(larger, ([10, 8, 8], [0, 2, 3]));
    let smallest =
        run(&|keys, indices| min_keys_and_indices(&KEYS, 3, keys, indices).run(&Env::cpu()).unwrap());
    assert_eq!(smallest, ([5, 6, 8], [5, 4, 1]));
}
