//! The numbers in each of their forms, at the edges of what is allowed.

use cluster_topk::args::{Constant, StaticBounds};
use cluster_topk::prelude::*;

const KEYS: [i32; 6] = [3, 1, 2, 5, 4, 6];
const ROW: StaticBounds<0, 3> = StaticBounds::new();
const NONE: StaticBounds<0, 0> = StaticBounds::new();
const ALL: Constant<{ i32::MAX }> = Constant::new();

/// Runs `$request` for the best two of each half of the keys.
macro_rules! expect {
    ($segments:expr, $k:expr) => {{
        let mut best = [0; 4];
        max_keys($segments, $k, &mut best).output_pitch(2).run(&Env::cpu()).unwrap();
        assert_eq!(best, [3, 2, 6, 5], "{} {}", stringify!($segments), stringify!($k));
    }};
}

macro_rules! every_integer {
    ($($t:ty)*) => {$(
        expect!(Segments::rows(&KEYS, 2 as $t, 3 as $t), 2 as $t);
        expect!(Segments::rows(&KEYS, Immediate::new(2 as $t), Immediate::new(3 as $t)), Immediate::new(2 as $t));
        expect!(Segments::rows(&KEYS, 2, Deferred::new(&[3 as $t]).bounds(0..=3)), Deferred::new(&[2 as $t]).bounds(-1..=2));
        expect!(
            Segments::rows(&KEYS, 2, DeferredSequence::new(&[3 as $t, 3]).static_bounds::<-5, 3>()),
            DeferredSequence::new(&vec![2 as $t, 2]).static_bounds::<2, 2>()
        );
        expect!(Segments::ragged(&KEYS, &[0 as $t, 3, 6]), 2);
    )*};
}

/// Without a bound the largest value of the type is the bound, which the buffers must have room for.
macro_rules! narrow_integers {
    ($($t:ty)*) => {$(
        let (keys, mut best) = (vec![1; 65_535], vec![0; 65_535]);
        let segments = Segments::rows(&keys, 1, Deferred::new(&[3 as $t]));
        max_keys(segments, DeferredSequence::new(&[2 as $t]), &mut best).run(&Env::cpu()).unwrap();
        assert_eq!(best[..3], [1, 1, 0]);
    )*};
}

fn main() {
    let _edges = (ROW, NONE, ALL);
    every_integer!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
    narrow_integers!(i8 i16 u8 u16);
    expect!(Segments::rows(&KEYS, constant::<2>(), constant::<3>()), constant::<2>());
    expect!(Segments::rows(&KEYS, 2, Immediate::new(3).static_bounds::<0, 2147483647>()), 2);
    expect!(Segments::ragged(&KEYS, &[0, 3, 6]).max_length(3), 2);
    expect!(Segments::ragged(&KEYS, &[0, 3, 6]).static_max_length::<2147483647>(), 2);
}
