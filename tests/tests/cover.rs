//! The cover of the GPU matrix, on the CPU engine: its cases are what they claim to be.

use cluster_topk_tests::cover::{CaseVisitor, Cover, MAX_LENGTH, Matrix, cover, visit};
use cluster_topk_tests::harness::run;
use cluster_topk_tests::key::TestKey;
use cluster_topk_tests::layout::Layout;
use cluster_topk_tests::request::{Form, Request, Requirement};
use cluster_topk_tests::runner::cpu::CpuRunner;

struct OnTheCpu;
impl CaseVisitor for OnTheCpu {
    fn case<K: TestKey>(&mut self, request: Request, keys: Vec<K>) {
        let bound = match &request.form {
            Form::Rows { size, .. } => size.upper(),
            Form::Ragged { max_length: Some(max), .. } => *max as usize,
            _ => keys.len().div_ceil(request.stride),
        };
        assert!(bound <= MAX_LENGTH, "{request:?}");
        assert!(Layout::of(&request, keys.len()).segments.iter().all(|segment| segment.len <= bound));
        // The CPU runner has the rare forms under other requirements than this one.
        let request = Request { requirement: Requirement::DEFAULT, ..request };
        run(&CpuRunner::default(), &request, &keys);
    }
}

#[test]
fn its_cases_are_valid() {
    let Cover { rows, covered, left_out } = cover(&Matrix::default());
    println!("{} cases cover {covered} pairs; {left_out} pairs cannot meet", rows.len());
    assert!((600..2000).contains(&rows.len()), "{} cases", rows.len());
    for (number, row) in rows.iter().enumerate() {
        visit(row, number, &mut OnTheCpu);
    }
}
