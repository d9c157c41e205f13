//! All 24 spellings of the 16 requests, with their tokens in every order.

use cluster_topk::prelude::*;
use cluster_topk::requirement::{
    Contract, Determinism as D, OutputOrdering as O, Requirements, TieBreak as T,
};

fn meaning<R: Requirements>(requirement: R) -> Contract {
    let _env = Env::cpu().require(requirement);
    R::CONTRACT
}

macro_rules! pairs {
    ($($d:ident $t:ident),*) => {$(
        // Without an ordering: stable_sorted.
        let expected = |ordering| Contract { determinism: D::$d, tie_break: T::$t, ordering };
        assert_eq!(meaning(($d, $t)), expected(O::StableSorted));
        assert_eq!(meaning(($t, $d)), expected(O::StableSorted));
        pairs!(@ordered $d $t: Unsorted, Sorted, StableSorted);
    )*};
    (@ordered $d:ident $t:ident: $($o:ident),*) => {$(
        let expected = Contract { determinism: D::$d, tie_break: T::$t, ordering: O::$o };
        assert_eq!(meaning(($d, $t, $o)), expected);
        assert_eq!(meaning(($d, $o, $t)), expected);
        assert_eq!(meaning(($t, $d, $o)), expected);
        assert_eq!(meaning(($t, $o, $d)), expected);
        assert_eq!(meaning(($o, $d, $t)), expected);
        assert_eq!(meaning(($o, $t, $d)), expected);
    )*};
}

macro_rules! orderings {
    ($($o:ident),*) => {$(
        // Without a pair: the strongest one.
        let expected = Contract { ordering: O::$o, ..Contract::DEFAULT };
        assert_eq!(meaning($o), expected);
        assert_eq!(meaning(($o,)), expected);
    )*};
}

fn main() {
    assert_eq!(meaning(()), Contract::DEFAULT);
    assert_eq!(
        Contract::DEFAULT,
        Contract { determinism: D::GpuToGpu, tie_break: T::PreferSmallerIndex, ordering: O::StableSorted }
    );
    orderings!(Unsorted, Sorted, StableSorted);
    pairs!(
        NotGuaranteed Unspecified,
        RunToRun Unspecified,
        GpuToGpu Unspecified,
        GpuToGpu PreferSmallerIndex,
        GpuToGpu PreferLargerIndex
    );
}
