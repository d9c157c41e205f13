//! The requirement: which items, in what order.

/// A determinism level with its tie-break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// `NotGuaranteed`, `Unspecified`.
    NotGuaranteed,
    /// `RunToRun`, `Unspecified`.
    RunToRun,
    /// `GpuToGpu`, `Unspecified`.
    GpuToGpu,
    /// `GpuToGpu`, `PreferSmallerIndex`.
    Smaller,
    /// `GpuToGpu`, `PreferLargerIndex`.
    Larger,
}

/// An output ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Any.
    Unsorted,
    /// By key.
    Sorted,
    /// By key, then by index.
    StableSorted,
}

/// The requirement as it is spelled: what is `None` is not named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Determinism and tie-break.
    pub pair: Option<Pair>,
    /// Output ordering.
    pub order: Option<Order>,
}

/// Which tied items are kept, where the contract pins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Those with the smaller index.
    Smaller,
    /// Those with the larger index.
    Larger,
}

impl Requirement {
    /// The default: nothing named.
    pub const DEFAULT: Self = Self { pair: None, order: None };

    /// A requirement that names both.
    #[must_use]
    pub const fn of(pair: Pair, order: Order) -> Self {
        Self { pair: Some(pair), order: Some(order) }
    }

    /// All 24 spellings.
    pub fn spellings() -> impl Iterator<Item = Self> {
        use {Order as O, Pair as P};
        let pairs = [
            None,
            Some(P::NotGuaranteed),
            Some(P::RunToRun),
            Some(P::GpuToGpu),
            Some(P::Smaller),
            Some(P::Larger),
        ];
        let orders = [None, Some(O::Unsorted), Some(O::Sorted), Some(O::StableSorted)];
        pairs.into_iter().flat_map(move |pair| orders.into_iter().map(move |order| Self { pair, order }))
    }

    /// The spellings that name both: all 15 meanings.
    pub fn meanings() -> impl Iterator<Item = Self> {
        Self::spellings().filter(|requirement| requirement.pair.is_some() && requirement.order.is_some())
    }

    /// The tie rule, if it is pinned.
    #[must_use]
    pub const fn tie(self) -> Option<Tie> {
        match self.pair {
            None | Some(Pair::Smaller) => Some(Tie::Smaller),
            Some(Pair::Larger) => Some(Tie::Larger),
            Some(_) => None,
        }
    }

    /// The order in force.
    #[must_use]
    pub const fn ordering(self) -> Order {
        match self.order {
            None => Order::StableSorted,
            Some(order) => order,
        }
    }

    /// The pair in force.
    #[must_use]
    pub const fn membership(self) -> Pair {
        match self.pair {
            None => Pair::Smaller,
            Some(pair) => pair,
        }
    }
}
