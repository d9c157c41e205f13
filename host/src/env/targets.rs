//! The architectures that a program declares it serves.

use cluster_topk_abi::arch::ComputeCapability;

mod sealed {
    pub trait Sealed {}
}

/// A list of target architectures: one token of [this module](self), or a tuple of up to eight.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of target architectures",
    label = "not an architecture, or not a tuple of them",
    note = "write a token of `cluster_topk::env::targets`, for example `Sm90`, or a tuple of up to eight: `(Sm80, Sm90)`",
    note = "without `targets` a program serves sm_90 and newer"
)]
pub trait TargetArchitectures: sealed::Sealed + Copy {
    /// The compute capabilities of the list.
    const CAPABILITIES: &'static [ComputeCapability];
}

/// The targets of an environment that declares none: sm_90 and newer.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultTargets;
impl sealed::Sealed for DefaultTargets {}
impl TargetArchitectures for DefaultTargets {
    const CAPABILITIES: &'static [ComputeCapability] =
        &[ComputeCapability::new(9, 0), ComputeCapability::new(10, 0), ComputeCapability::new(12, 0)];
}

/// A single architecture.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a target architecture",
    label = "not an architecture",
    note = "write tokens of `cluster_topk::env::targets`, for example `(Sm80, Sm90)`; requirement tokens go to `require`"
)]
pub trait Architecture: sealed::Sealed + Copy {
    /// Its compute capability.
    const CAPABILITY: ComputeCapability;
}

macro_rules! architectures {
    ($($(#[$doc:meta])* $name:ident = $major:literal, $minor:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;
        impl sealed::Sealed for $name {}
        impl Architecture for $name {
            const CAPABILITY: ComputeCapability = ComputeCapability::new($major, $minor);
        }
        impl TargetArchitectures for $name {
            const CAPABILITIES: &'static [ComputeCapability] = &[Self::CAPABILITY];
        }
    )*};
}
architectures! {
    /// Compute capability 8.0 (A100).
    Sm80 = 8, 0;
    /// Compute capability 8.6 (RTX 30, A10).
    Sm86 = 8, 6;
    /// Compute capability 8.7 (Jetson Orin).
    Sm87 = 8, 7;
    /// Compute capability 8.9 (RTX 40, L4, L40).
    Sm89 = 8, 9;
    /// Compute capability 9.0 (H100, H200).
    Sm90 = 9, 0;
    /// Compute capability 10.0 (B200).
    Sm100 = 10, 0;
    /// Compute capability 10.3 (B300).
    Sm103 = 10, 3;
    /// Compute capability 12.0 (RTX 50).
    Sm120 = 12, 0;
}

macro_rules! lists {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: Architecture),+> sealed::Sealed for ($($name,)+) {}
        impl<$($name: Architecture),+> TargetArchitectures for ($($name,)+) {
            const CAPABILITIES: &'static [ComputeCapability] = &[$($name::CAPABILITY),+];
        }
    )*};
}
lists! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
