//! The fold that turns a tuple of tokens into one contract.
//!
//! Each token is inserted into a state of three slots, so the order of the tokens cannot matter and a second token of the
//! same axis has no place to go. What is left is one question, whether the determinism slot pairs with the tie-break
//! slot; its legal answers are listed one by one, because rustc reports the deepest bound that fails and a blanket
//! implementation would make it report something else.

use super::axis::{Determinism, OutputOrdering, TieBreak};
use super::token_types as token;
use cluster_topk_abi::requirement::{self as plain, Contract};
use core::marker::PhantomData;

/// The slot of the determinism axis when no token named it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDeterminism;
/// The slot of the tie-break axis when no token named it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTieBreak;
/// The slot of the ordering axis when no token named it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOrdering;

/// The three slots a tuple of tokens fills: determinism, tie-break, output ordering.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<D, T, O>(PhantomData<(D, T, O)>);

mod sealed {
    /// Implemented for every tuple that could be one of tokens; the bounds of `Requirements` do the rest.
    pub trait Sealed {}
    impl Sealed for () {}
    impl<A> Sealed for (A,) {}
    impl<A, B> Sealed for (A, B) {}
    impl<A, B, C> Sealed for (A, B, C) {}
}

type Nothing = Given<NoDeterminism, NoTieBreak, NoOrdering>;

/// A tuple of requirement tokens with a meaning.
///
/// Implemented for `()` (the default contract), for a single token, and for tuples of up to three tokens in any order.
/// Each axis that is left out takes its default: the pair (`GpuToGpu`, `PreferSmallerIndex`), the ordering
/// `StableSorted`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a top-k requirement",
    label = "not a tuple of requirement tokens",
    note = "write a tuple of at most three tokens, one per axis, in any order: `require((GpuToGpu, PreferSmallerIndex, Sorted))`",
    note = "a determinism and a tie-break are named together, within one tuple; an ordering may stand alone: `require(Sorted)`",
    note = "determinism: NotGuaranteed, RunToRun, GpuToGpu; tie-break: Unspecified, PreferSmallerIndex, PreferLargerIndex; ordering: Unsorted, Sorted, StableSorted"
)]
pub trait Requirements: sealed::Sealed + Copy {
    /// What the tuple means.
    const CONTRACT: Contract;
}

/// Puts one token into its slot.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to this requirement: it is no token, or its axis is already named",
    label = "no token, or the second one of its axis",
    note = "name each axis at most once, the tokens side by side in one tuple: one determinism (NotGuaranteed, RunToRun, GpuToGpu), one tie-break (Unspecified, PreferSmallerIndex, PreferLargerIndex), one ordering (Unsorted, Sorted, StableSorted)"
)]
pub trait Insert<State> {
    /// The slots after the token was put in.
    type Out;
}

/// A determinism level and a tie-break that may stand together.
#[diagnostic::on_unimplemented(
    message = "determinism `{Self}` and tie-break `{T}` do not make a request",
    label = "no determinism and tie-break that go together",
    note = "name both or neither: (NotGuaranteed, Unspecified), (RunToRun, Unspecified), (GpuToGpu, Unspecified), (GpuToGpu, PreferSmallerIndex) or (GpuToGpu, PreferLargerIndex)",
    note = "PreferSmallerIndex and PreferLargerIndex pin the set on every device: write GpuToGpu beside them, or Unspecified instead of them"
)]
pub trait PairsWith<T> {
    /// The determinism level and tie-break that the pair stands for.
    const PAIR: (plain::Determinism, plain::TieBreak);
}

/// Slots that form a legal request.
pub trait Selection {
    /// What the slots mean.
    const CONTRACT: Contract;
}

#[doc(hidden)]
pub trait OrderingSlot {
    const ORDERING: plain::OutputOrdering;
}

impl OrderingSlot for NoOrdering {
    const ORDERING: plain::OutputOrdering = plain::OutputOrdering::StableSorted;
}

macro_rules! orderings {
    ($($token:ident)*) => {$(
        impl OrderingSlot for token::$token {
            const ORDERING: plain::OutputOrdering = <token::$token as OutputOrdering>::VALUE;
        }
        impl<D, T> Insert<Given<D, T, NoOrdering>> for token::$token {
            type Out = Given<D, T, token::$token>;
        }
    )*};
}
orderings!(Unsorted Sorted StableSorted);

macro_rules! determinisms {
    ($($token:ident)*) => {$(
        impl<T, O> Insert<Given<NoDeterminism, T, O>> for token::$token {
            type Out = Given<token::$token, T, O>;
        }
    )*};
}
determinisms!(NotGuaranteed RunToRun GpuToGpu);

macro_rules! tie_breaks {
    ($($token:ident)*) => {$(
        impl<D, O> Insert<Given<D, NoTieBreak, O>> for token::$token {
            type Out = Given<D, token::$token, O>;
        }
    )*};
}
tie_breaks!(Unspecified PreferSmallerIndex PreferLargerIndex);

macro_rules! pairs {
    ($(($d:ident, $t:ident))*) => {$(
        impl PairsWith<token::$t> for token::$d {
            const PAIR: (plain::Determinism, plain::TieBreak) =
                (<token::$d as Determinism>::VALUE, <token::$t as TieBreak>::VALUE);
        }
    )*};
}
pairs! {
    (NotGuaranteed, Unspecified)
    (RunToRun, Unspecified)
    (GpuToGpu, Unspecified)
    (GpuToGpu, PreferSmallerIndex)
    (GpuToGpu, PreferLargerIndex)
}
impl PairsWith<NoTieBreak> for NoDeterminism {
    const PAIR: (plain::Determinism, plain::TieBreak) =
        (Contract::DEFAULT.determinism, Contract::DEFAULT.tie_break);
}

impl<D: PairsWith<T>, T, O: OrderingSlot> Selection for Given<D, T, O> {
    const CONTRACT: Contract =
        Contract { determinism: D::PAIR.0, tie_break: D::PAIR.1, ordering: O::ORDERING };
}

impl Requirements for () {
    const CONTRACT: Contract = Contract::DEFAULT;
}

macro_rules! single_tokens {
    ($($token:ident)*) => {$(
        impl sealed::Sealed for token::$token {}
        impl Requirements for token::$token
        where
            (token::$token,): Requirements,
        {
            const CONTRACT: Contract = <(token::$token,) as Requirements>::CONTRACT;
        }
    )*};
}
// A lone determinism or tie-break token is never legal, so only the orderings can stand without a tuple.
single_tokens!(Unsorted Sorted StableSorted);

#[doc(hidden)]
impl<A> Requirements for (A,)
where
    A: Insert<Nothing> + Copy,
    A::Out: Selection,
{
    const CONTRACT: Contract = <A::Out as Selection>::CONTRACT;
}

#[doc(hidden)]
impl<A, B> Requirements for (A, B)
where
    A: Insert<Nothing> + Copy,
    B: Insert<A::Out> + Copy,
    B::Out: Selection,
{
    const CONTRACT: Contract = <B::Out as Selection>::CONTRACT;
}

#[doc(hidden)]
impl<A, B, C> Requirements for (A, B, C)
where
    A: Insert<Nothing> + Copy,
    B: Insert<A::Out> + Copy,
    C: Insert<B::Out> + Copy,
    C::Out: Selection,
{
    const CONTRACT: Contract = <C::Out as Selection>::CONTRACT;
}
