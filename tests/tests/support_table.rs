//! The table in README.md of what the GPU engine serves is the selector's own answer.

use cluster_topk_abi::arch::ComputeCapability;
use cluster_topk_abi::policy::{ClusterSizing, SortedBy};
use cluster_topk_abi::requirement::{Contract, Determinism, OutputOrdering, TieBreak};
use cluster_topk_abi::selector::{
    BASELINE_MAX_SEGMENT_SIZE, Backend, BackendOverride, HARD_MAX_SEGMENT_SIZE, LibrarySelector,
    SelectorInput,
};
use std::collections::BTreeSet;

const README: &str = include_str!("../../README.md");

/// The architectures that a program can declare.
const ARCHITECTURES: [(u8, u8); 8] = [(8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0)];
const ORDERINGS: [(&str, OutputOrdering); 3] = [
    ("unsorted", OutputOrdering::Unsorted),
    ("sorted", OutputOrdering::Sorted),
    ("stable-sorted", OutputOrdering::StableSorted),
];
const PAIRS: [(Determinism, TieBreak); 5] = [
    (Determinism::NotGuaranteed, TieBreak::Unspecified),
    (Determinism::RunToRun, TieBreak::Unspecified),
    (Determinism::GpuToGpu, TieBreak::Unspecified),
    (Determinism::GpuToGpu, TieBreak::PreferSmallerIndex),
    (Determinism::GpuToGpu, TieBreak::PreferLargerIndex),
];
/// The longest segments of each row.
const LENGTHS: [(&str, u64); 2] =
    [("16,384", BASELINE_MAX_SEGMENT_SIZE), ("2^31 − 1", HARD_MAX_SEGMENT_SIZE)];

/// Who serves a request, in the table's words.
fn answer((major, minor): (u8, u8), length: u64, contract: Contract) -> String {
    let input = SelectorInput {
        max_segment_size: length,
        deterministic: contract.needs_deterministic_set(),
        sorted: contract.is_sorted(),
        backend: BackendOverride::Automatic,
    };
    match LibrarySelector::select(ComputeCapability::new(major, minor), input) {
        Err(_) => "no".into(),
        Ok(Backend::Baseline) => "baseline".into(),
        Ok(Backend::Cluster) => match SortedBy::of(contract.is_sorted(), length, ClusterSizing::Searched) {
            SortedBy::Nobody | SortedBy::ClusterKernel => "cluster".into(),
            SortedBy::OrderKernel => {
                format!("cluster, with a workspace for `k` above {}", SortedBy::WITHOUT_WORKSPACE_UP_TO)
            }
        },
    }
}

/// The answer for every pair of determinism and tie-break; they agree, or the table has no cell for them.
fn cell(architecture: (u8, u8), length: u64, ordering: OutputOrdering) -> String {
    let answers: BTreeSet<String> = PAIRS
        .iter()
        .map(|&(determinism, tie_break)| {
            answer(architecture, length, Contract { determinism, tie_break, ordering })
        })
        .collect();
    assert_eq!(answers.len(), 1, "{architecture:?}, {length} keys, {ordering:?}: {answers:?}");
    answers.into_iter().next().unwrap_or_default()
}

fn table() -> String {
    let column = |architecture| -> Vec<String> {
        let rows = LENGTHS.iter().flat_map(|&(_, length)| ORDERINGS.map(|(_, ordering)| (length, ordering)));
        rows.map(|(length, ordering)| cell(architecture, length, ordering)).collect()
    };
    // Neighbours of the same answers share a column.
    let mut columns: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for architecture in ARCHITECTURES {
        let (name, cells) = (format!("sm_{}{}", architecture.0, architecture.1), column(architecture));
        match columns.last_mut() {
            Some((names, last)) if *last == cells => names.push(name),
            _ => columns.push((vec![name], cells)),
        }
    }
    let heads: Vec<String> = columns.iter().map(|(names, _)| names.join(", ")).collect();
    let mut text = format!("| segments of up to | output | {} |\n", heads.join(" | "));
    text += &format!("| --- | --- |{}\n", " --- |".repeat(columns.len()));
    let rows = LENGTHS.iter().flat_map(|&(length, _)| ORDERINGS.map(|(ordering, _)| (length, ordering)));
    for (row, (length, ordering)) in rows.enumerate() {
        let cells: Vec<&str> = columns.iter().map(|(_, cells)| cells[row].as_str()).collect();
        text += &format!("| {length} keys | {ordering} | {} |\n", cells.join(" | "));
    }
    text
}

#[test]
fn the_readme_says_what_the_selector_answers() {
    let table = table();
    assert!(README.contains(&table), "README.md is to contain this table:\n\n{table}");
}

/// A row speaks for every length between the one before and its own.
#[test]
fn rows_cover_all_lengths() {
    let around = |length: u64| [length.saturating_sub(1), length, length + 1];
    let lengths: BTreeSet<u64> = (0..=31).flat_map(|bits| around(1 << bits)).collect();
    for length in lengths {
        let row = LENGTHS.iter().find(|(_, longest)| length <= *longest);
        for architecture in ARCHITECTURES {
            for (_, ordering) in ORDERINGS {
                let expected = row.map_or("no".into(), |(_, longest)| cell(architecture, *longest, ordering));
                // A segment of one key is in order by itself.
                if length > SortedBy::WITHOUT_WORKSPACE_UP_TO {
                    assert_eq!(cell(architecture, length, ordering), expected, "{length} keys");
                }
            }
        }
    }
}
