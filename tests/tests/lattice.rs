//! Which tuples of tokens are requirements: all 820 of up to three, against a rule written down here.
//!
//! Whether a type implements a trait is asked by method lookup: the method of the bound implementation is found first where
//! the bound holds, and the one behind another reference where it does not.

use cluster_topk::prelude::*;
use cluster_topk::requirement::{Contract, Determinism, OutputOrdering, Requirements, TieBreak};
use core::marker::PhantomData;

struct Probe<T>(PhantomData<T>);

trait Legal {
    fn contract(&self) -> Option<Contract>;
}
impl<T: Requirements> Legal for Probe<T> {
    fn contract(&self) -> Option<Contract> {
        Some(T::CONTRACT)
    }
}

trait Illegal {
    fn contract(&self) -> Option<Contract>;
}
impl<T> Illegal for &Probe<T> {
    fn contract(&self) -> Option<Contract> {
        None
    }
}

/// The rule: each axis at most once; determinism and tie-break together or not at all; a concrete tie-break only with
/// `GpuToGpu`; what is left out takes its default.
fn expected(tokens: &[&str]) -> Option<Contract> {
    let (mut determinism, mut tie_break, mut ordering) = (Vec::new(), Vec::new(), Vec::new());
    for token in tokens {
        match *token {
            "NotGuaranteed" => determinism.push(Determinism::NotGuaranteed),
            "RunToRun" => determinism.push(Determinism::RunToRun),
            "GpuToGpu" => determinism.push(Determinism::GpuToGpu),
            "Unspecified" => tie_break.push(TieBreak::Unspecified),
            "PreferSmallerIndex" => tie_break.push(TieBreak::PreferSmallerIndex),
            "PreferLargerIndex" => tie_break.push(TieBreak::PreferLargerIndex),
            "Unsorted" => ordering.push(OutputOrdering::Unsorted),
            "Sorted" => ordering.push(OutputOrdering::Sorted),
            "StableSorted" => ordering.push(OutputOrdering::StableSorted),
            other => panic!("{other} is no token"),
        }
    }
    let (determinism, tie_break) = match (&determinism[..], &tie_break[..]) {
        ([], []) => (Determinism::GpuToGpu, TieBreak::PreferSmallerIndex),
        (&[level], &[TieBreak::Unspecified]) => (level, TieBreak::Unspecified),
        (&[Determinism::GpuToGpu], &[tie]) => (Determinism::GpuToGpu, tie),
        _ => return None,
    };
    let ordering = match ordering[..] {
        [] => OutputOrdering::StableSorted,
        [one] => one,
        _ => return None,
    };
    Some(Contract { determinism, tie_break, ordering })
}

#[derive(Default)]
struct Tally {
    tuples: usize,
    legal: usize,
}

impl Tally {
    fn add(&mut self, tokens: &[&str], given: Option<Contract>) {
        assert_eq!(given, expected(tokens), "({})", tokens.join(", "));
        self.tuples += 1;
        self.legal += usize::from(given.is_some());
    }
}

macro_rules! probe {
    ($tally:ident: $($token:ident)*) => {
        $tally.add(&[$(stringify!($token)),*], (&Probe::<($($token,)*)>(PhantomData)).contract())
    };
}
macro_rules! third {
    ($tally:ident: $a:ident $b:ident: $($c:ident)*) => { $(probe!($tally: $a $b $c);)* };
}
macro_rules! second {
    ($tally:ident: $a:ident: $($b:ident)*) => {
        $(
            probe!($tally: $a $b);
            third!($tally: $a $b: NotGuaranteed RunToRun GpuToGpu Unspecified PreferSmallerIndex PreferLargerIndex Unsorted Sorted StableSorted);
        )*
    };
}
macro_rules! first {
    ($tally:ident: $($a:ident)*) => {
        $(
            probe!($tally: $a);
            second!($tally: $a: NotGuaranteed RunToRun GpuToGpu Unspecified PreferSmallerIndex PreferLargerIndex Unsorted Sorted StableSorted);
        )*
    };
}

#[test]
#[allow(clippy::needless_borrow, reason = "the reference is what the lookup starts from")]
fn every_tuple() {
    let mut tally = Tally::default();
    probe!(tally: );
    first!(tally: NotGuaranteed RunToRun GpuToGpu Unspecified PreferSmallerIndex PreferLargerIndex Unsorted Sorted StableSorted);
    assert_eq!(tally.tuples, 1 + 9 + 81 + 729);
    assert_eq!(tally.legal, 104);
}

#[test]
#[allow(clippy::needless_borrow, reason = "the reference is what the lookup starts from")]
fn lone_tokens() {
    macro_rules! lone {
        ($($token:ident)*) => {
            [$((stringify!($token), (&Probe::<$token>(PhantomData)).contract())),*]
        };
    }
    let given = lone!(NotGuaranteed RunToRun GpuToGpu Unspecified PreferSmallerIndex PreferLargerIndex Unsorted Sorted StableSorted);
    for (token, contract) in given {
        assert_eq!(contract, expected(&[token]), "{token}");
    }
}
