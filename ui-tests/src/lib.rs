//! What must not compile, and what the compiler says instead.
//!
//! Every file under `tests/fail/<topic>/` holds one mistake, and the `.stderr` beside it the message it gets. The files
//! are found by walking the directory, so a new one needs no registration; a new topic needs a line in [`TOPICS`], and a
//! test compares that list with the directory. The files under `tests/pass/` must compile and run.
//!
//! # Which mistakes `cargo check` finds
//!
//! A trait bound is checked wherever types are. A `const` assertion inside a generic function is evaluated when code is
//! generated for it, so `cargo check` passes over it, and in code that nothing calls even a build does. trybuild runs
//! `cargo check` unless its set holds a passing case: every set here holds one. [`TOPICS`] says which topic is of which
//! kind, and a test compares that with the messages. A `const` item of the caller's own, such as
//! `const ROW: StaticBounds<0, 4096> = StaticBounds::new();`, is evaluated by `cargo check` too.
//!
//! # Running, and accepting new messages
//!
//! ```text
//! cargo test -p cluster-topk-ui-tests                                      # everything
//! cargo test -p cluster-topk-ui-tests -- mistakes trybuild=k_form trybuild=pass/    # one topic, and the passing cases
//! TRYBUILD=overwrite cargo test -p cluster-topk-ui-tests                   # accept what the compiler says now
//! ```
//!
//! Keep `trybuild=pass/` in a filter: without a passing case trybuild only checks, and the assertions stay silent. Read
//! the differences before committing them: a message is right when a reader learns from it what to write.
//!
//! Messages differ between compilers, so the pinned ones belong to the compiler that `tests/COMPILER` names; accepting
//! new ones renames it. On any other compiler the exact comparison is skipped, which is printed, and what remains is
//! checked: every mistake is rejected, and the advice of its topic is in the message.

/// How the compiler finds a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// By a trait bound: `cargo check` reports it.
    ByBound,
    /// By a `const` assertion: reported when code is generated.
    ByAssertion,
    /// By the range of `i32`, in which constants and static bounds are written: `cargo check` reports it.
    ByRange,
}

impl Found {
    /// What the first line of a message may start with.
    #[must_use]
    pub const fn first_lines(self) -> &'static [&'static str] {
        match self {
            Self::ByBound => &["error[E0277]: ", "error[E0271]: "],
            Self::ByAssertion => &["error[E0080]: evaluation panicked: "],
            Self::ByRange => &["error: literal out of range for `i32`", "error[E0080]: attempt to compute "],
        }
    }
}

/// One directory of mistakes.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// The directory under `tests/fail/`.
    pub name: &'static str,
    /// How the compiler finds these mistakes.
    pub found: Found,
    /// What each of the messages says, to the reader who wonders what to write.
    pub advice: &'static str,
}

macro_rules! topics {
    ($($name:ident $found:ident $advice:literal;)*) => {
        &[$(Topic { name: stringify!($name), found: Found::$found, advice: $advice }),*]
    };
}

/// Every topic, in the order in which the decisions of a request are made.
pub const TOPICS: &[Topic] = topics! {
    illegal_pair      ByBound      "write GpuToGpu beside them, or Unspecified instead of them";
    unpaired          ByBound      "name both or neither: (NotGuaranteed, Unspecified), (RunToRun, Unspecified)";
    bare_token        ByBound      "a determinism and a tie-break are named together, within one tuple";
    axis_twice        ByBound      "name each axis at most once";
    not_a_token       ByBound      "one determinism (NotGuaranteed, RunToRun, GpuToGpu), one tie-break (Unspecified,";
    not_a_tuple       ByBound      "write a tuple of at most three tokens, one per axis, in any order";
    k_form            ByBound      "write an integer, `constant::<K>()`, `Deferred::new(&k)` or `DeferredSequence::new(&ks)`";
    size_form         ByBound      "write an integer, `constant::<N>()`, `Deferred::new(&size)` or `DeferredSequence::new(&sizes)`";
    count_form        ByBound      "write an integer or `constant::<N>()`";
    unbounded         ByBound      "add `.bounds(0..=max)` with a maximum known at run time, or `.static_bounds::<0, MAX>()`";
    deferred_element  ByBound      "use i8, i16, i32, i64, isize, u8, u16, u32, u64 or usize";
    static_bounds     ByAssertion  "`<LO, HI>`";
    negative_constant ByAssertion  "write `0 <= N` in `<N>`";
    beyond_limit      ByRange      "i32";
    key_type          ByBound      "keys are u8, i8, u16, i16, u32, i32, u64, i64, half::f16, half::bf16, f32 or f64";
    value_type        ByBound      "for anything else select indices";
    value_width       ByAssertion  "for a wider one select indices";
    index_type        ByBound      "give an output buffer of u32, i32 or i64";
    output_type       ByBound      "expected `";
    buffer            ByBound      "borrow";
    engine_memory     ByBound      "DeviceMemory";
    target_list       ByBound      "`cluster_topk::env::targets`";
    backend_choice    ByBound      "write `ForceBaseline` or `ForceCluster` of `cluster_topk::env`, or a `BackendOverride`";
    targets           ByAssertion  "make the environment `.lenient()`";
};
