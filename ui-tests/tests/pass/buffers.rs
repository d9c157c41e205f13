//! Every key type, value width and index type, and every buffer that can be read or written.

use cluster_topk::half::{bf16, f16};
use cluster_topk::prelude::*;

macro_rules! keys {
    ($($t:ty: $small:expr, $large:expr;)*) => {$(
        let (small, large): ($t, $t) = ($small, $large);
        let mut best = [small];
        max_keys(&[small, large], 1, &mut best).run(&Env::cpu()).unwrap();
        assert_eq!(best, [large]);
    )*};
}

macro_rules! values {
    ($($t:ty)*) => {$(
        let values: [$t; 3] = [filled(1), filled(2), filled(3)];
        let (mut best, mut theirs) = ([0; 1], [values[0]]);
        max_pairs(&[3, 5, 4], &values, 1, &mut best, &mut theirs).run(&Env::cpu()).unwrap();
        assert_eq!((best, theirs), ([5], [values[1]]));
    )*};
}

/// A value that differs from those made of other numbers.
fn filled<T: Default + AsMut<[u8]>>(byte: u8) -> T {
    let mut value = T::default();
    value.as_mut().fill(byte);
    value
}

macro_rules! indices {
    ($($t:ty)*) => {$(
        let (mut best, mut place, mut alone) = ([0; 1], [0 as $t], [0 as $t]);
        max_keys_and_indices(&[3, 5, 4], 1, &mut best, &mut place).run(&Env::cpu()).unwrap();
        min_indices(&[3, 5, 4], 1, &mut alone).run(&Env::cpu()).unwrap();
        assert_eq!((best, place, alone), ([5], [1], [0]));
    )*};
}

fn main() {
    keys! {
        u8: 1, 200; i8: -1, 1; u16: 1, 60_000; i16: -1, 1; u32: 1, 4_000_000_000; i32: -1, 1;
        u64: 1, 1 << 63; i64: -1, 1; f32: -1.0, 0.5; f64: -1.0, 0.5;
        f16: f16::NEG_ONE, f16::ONE; bf16: bf16::NEG_ONE, bf16::ONE;
    }
    values!([u8; 1] [u8; 2] [u8; 3] [u8; 4] [u8; 7] [u8; 8] [u8; 12] [u8; 15] [u8; 16]);
    indices!(u32 i32 i64);

    // Slices, vectors, arrays.
    let keys = vec![3, 1, 2];
    let mut out = vec![0; 2];
    max_keys(&keys, 2, &mut out).run(&Env::cpu()).unwrap();
    max_keys(&keys[..], 2, &mut out[..]).run(&Env::cpu()).unwrap();
    max_keys(keys.as_slice(), 2, out.as_mut_slice()).run(&Env::cpu()).unwrap();
    assert_eq!(out, [3, 2]);
}
