//! From a number as plain data to one of its typed forms.

use crate::request::{Bound, Int, Number, StaticBound};
use cluster_topk::args::{Deferred, DeferredSequence, Immediate, Integer, KArg, SizeArg, constant};
use cluster_topk::memory::{HostMemory, Input, Memory};

/// Takes a number in a typed form.
pub(super) trait Visitor<'a, M: Memory> {
    type Out;
    fn visit<N: KArg<'a, M> + SizeArg<'a, M>>(self, number: N) -> Self::Out;
}

/// Where the numbers that are not immediate lie.
pub(super) trait Stored<'a>: Copy {
    type Memory: Memory;
    fn get<T: Typed>(self) -> impl Input<'a, Elem = T, Memory = Self::Memory>;
}

impl<'a> Stored<'a> for &'a Ints {
    type Memory = HostMemory;
    fn get<T: Typed>(self) -> impl Input<'a, Elem = T, Memory = HostMemory> {
        T::slice(self)
    }
}

/// An integer type of Rust.
pub(super) trait Typed: Integer {
    const INT: Int;
    fn of(value: i128) -> Self;
    fn slice(ints: &Ints) -> &[Self];
}

macro_rules! typed {
    ($($t:ident $variant:ident)*) => {
        /// Integers of a type known at run time.
        #[derive(Debug)]
        pub(super) enum Ints { $($variant(Vec<$t>),)* }

        impl Ints {
            pub(super) fn new(int: Int, values: &[i128]) -> Self {
                match int {
                    $(Int::$variant => Self::$variant(values.iter().map(|&value| <$t>::of(value)).collect()),)*
                }
            }
            pub(super) fn bytes(&self) -> &[u8] {
                match self {
                    $(Self::$variant(values) => bytemuck::cast_slice(values),)*
                }
            }
        }
        $(impl Typed for $t {
            const INT: Int = Int::$variant;
            fn of(value: i128) -> Self {
                Self::try_from(value).expect("the generator keeps to the type")
            }
            fn slice(ints: &Ints) -> &[Self] {
                match ints {
                    Ints::$variant(values) => values,
                    other => panic!("{other:?} are of another type"),
                }
            }
        })*
    };
}
typed!(i8 I8 i16 I16 i32 I32 i64 I64 isize Isize u8 U8 u16 U16 u32 U32 u64 U64 usize Usize);

/// The body once per integer type, `T` naming it.
macro_rules! with_int {
    ($int:expr, $T:ident => $body:expr) => {
        with_int!(@ $int, $T => $body; I8 i8, I16 i16, I32 i32, I64 i64, Isize isize, U8 u8, U16 u16, U32 u32, U64 u64, Usize usize)
    };
    (@ $int:expr, $T:ident => $body:expr; $($variant:ident $t:ident),*) => {
        match $int { $(Int::$variant => { type $T = $t; $body })* }
    };
}
pub(super) use with_int;

/// The body once per integer type that needs no bound.
macro_rules! with_narrow_int {
    ($int:expr, $T:ident => $body:expr) => {
        with_narrow_int!(@ $int, $T => $body; I8 i8, I16 i16, U8 u8, U16 u16)
    };
    (@ $int:expr, $T:ident => $body:expr; $($variant:ident $t:ident),*) => {
        match $int {
            $(Int::$variant => { type $T = $t; $body })*
            other => panic!("an unbounded deferred {other:?} does not compile"),
        }
    };
}

/// Hands over any form; `ints` holds the numbers that lie in memory.
pub(super) fn any<'a, S: Stored<'a>, V: Visitor<'a, S::Memory>>(
    number: &Number,
    ints: S,
    visitor: V,
) -> V::Out {
    match number {
        Number::Constant(1) => visitor.visit(constant::<1>()),
        Number::Constant(5) => visitor.visit(constant::<5>()),
        Number::Constant(32) => visitor.visit(constant::<32>()),
        Number::Constant(other) => panic!("there is no instance of the constant {other}"),
        &Number::Immediate(value, int, None) => with_int!(int, T => visitor.visit(T::of(value))),
        &Number::Immediate(value, _, Some(bound)) => {
            let immediate = Immediate::new(i32::of(value));
            match bound {
                StaticBound::To64 => visitor.visit(immediate.static_bounds::<0, 64>()),
                StaticBound::To4096 => visitor.visit(immediate.static_bounds::<-8, 4096>()),
                StaticBound::ToLimit => visitor.visit(immediate.static_bounds::<0, { i32::MAX }>()),
            }
        }
        &Number::Deferred(_, int, bound) => match bound {
            Bound::None => with_narrow_int!(int, T => visitor.visit(Deferred::new(ints.get::<T>()))),
            Bound::Runtime(lo, hi) => {
                with_int!(int, T => visitor.visit(Deferred::new(ints.get::<T>()).bounds(lo..=hi)))
            }
            Bound::Static(bound) => static_deferred(int, bound, ints, visitor),
        },
        Number::Sequence(_, int, bound) => match *bound {
            Bound::None => with_narrow_int!(*int, T => visitor.visit(DeferredSequence::new(ints.get::<T>()))),
            Bound::Runtime(lo, hi) => {
                with_int!(*int, T => visitor.visit(DeferredSequence::new(ints.get::<T>()).bounds(lo..=hi)))
            }
            Bound::Static(bound) => static_sequence(*int, bound, ints, visitor),
        },
    }
}

macro_rules! statically_bounded {
    ($name:ident, $form:ident) => {
        fn $name<'a, S: Stored<'a>, V: Visitor<'a, S::Memory>>(
            int: Int,
            bound: StaticBound,
            ints: S,
            visitor: V,
        ) -> V::Out {
            match (int, bound) {
                (Int::I32, StaticBound::To64) => {
                    visitor.visit($form::new(ints.get::<i32>()).static_bounds::<0, 64>())
                }
                (Int::I32, StaticBound::To4096) => {
                    visitor.visit($form::new(ints.get::<i32>()).static_bounds::<-8, 4096>())
                }
                (Int::I32, StaticBound::ToLimit) => {
                    visitor.visit($form::new(ints.get::<i32>()).static_bounds::<0, { i32::MAX }>())
                }
                (Int::U64, StaticBound::To64) => {
                    visitor.visit($form::new(ints.get::<u64>()).static_bounds::<0, 64>())
                }
                (Int::U64, StaticBound::To4096) => {
                    visitor.visit($form::new(ints.get::<u64>()).static_bounds::<-8, 4096>())
                }
                (Int::U64, StaticBound::ToLimit) => {
                    visitor.visit($form::new(ints.get::<u64>()).static_bounds::<0, { i32::MAX }>())
                }
                other => panic!("there is no instance of {other:?}"),
            }
        }
    };
}
statically_bounded!(static_deferred, Deferred);
statically_bounded!(static_sequence, DeferredSequence);

/// Hands over one of the three common forms.
pub(super) fn common<'a, S: Stored<'a>, V: Visitor<'a, S::Memory>>(
    number: &Number,
    ints: S,
    visitor: V,
) -> V::Out {
    match number {
        &Number::Immediate(value, Int::Usize, None) => visitor.visit(usize::of(value)),
        &Number::Deferred(_, Int::U32, Bound::Runtime(lo, hi)) => {
            visitor.visit(Deferred::new(ints.get::<u32>()).bounds(lo..=hi))
        }
        other => common_of_rows(other, ints, visitor),
    }
}

/// Hands over one of the two common forms of a size.
pub(super) fn common_of_rows<'a, S: Stored<'a>, V: Visitor<'a, S::Memory>>(
    number: &Number,
    ints: S,
    visitor: V,
) -> V::Out {
    match number {
        &Number::Immediate(value, Int::Usize, None) => visitor.visit(usize::of(value)),
        Number::Sequence(_, Int::I32, Bound::Runtime(lo, hi)) => {
            visitor.visit(DeferredSequence::new(ints.get::<i32>()).bounds(*lo..=*hi))
        }
        other => panic!("{other:?} is not among the common forms"),
    }
}
