//! The twelve key types, with bits and an order written down here, independently of the library.

use crate::request::Request;
use crate::runner::gpu::{self, GpuRunner};
use crate::runner::{Inputs, Outputs, cpu};
use cluster_topk::Error;
use cluster_topk::env::{Cpu, Env};
use core::cmp::Ordering;
use half::{bf16, f16};

/// A key type under test.
pub trait TestKey: cluster_topk::Key + Default {
    /// The name, for messages.
    const NAME: &'static str;
    /// Width in bits.
    const BITS: u32;
    /// Whether the type is a float.
    const FLOAT: bool;

    /// The bits, zero-extended.
    fn bits(self) -> u64;
    /// The key with the low bits of `bits`.
    fn from_bits64(bits: u64) -> Self;
    /// The order that the contract promises.
    fn order(self, other: Self) -> Ordering;

    /// The typed call on the CPU engine; a method, so that its many instances are compiled once, with this crate.
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn call_cpu(
        env: &Env<Cpu>,
        request: &Request,
        inputs: Inputs<'_, Self>,
        out: &mut Outputs<Self>,
    ) -> Result<(), Error>;

    /// The typed call on the GPU engine.
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn call_gpu(
        runner: &GpuRunner,
        request: &Request,
        inputs: Inputs<'_, Self>,
        out: &mut Outputs<Self>,
    ) -> Result<(), Error>;
}

/// Sign and magnitude of a 16-bit float as one integer: the zeros meet at 0, everything else stays apart.
fn half_rank(bits: u16) -> i32 {
    let magnitude = i32::from(bits & 0x7FFF);
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

fn f32_merged(x: f32) -> f32 {
    if x == 0.0 { 0.0 } else { x }
}

fn f64_merged(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x }
}

macro_rules! test_keys {
    ($($t:ident, $bits:ty, $float:literal, $forms:ident, |$x:ident| $to_bits:expr, |$b:ident| $from_bits:expr, |$l:ident, $r:ident| $order:expr;)*) => {$(
        impl TestKey for $t {
            const NAME: &'static str = stringify!($t);
            const BITS: u32 = <$bits>::BITS;
            const FLOAT: bool = $float;
            fn bits(self) -> u64 {
                let $x = self;
                u64::from($to_bits)
            }
            fn from_bits64(bits: u64) -> Self {
                let $b = bits as $bits;
                $from_bits
            }
            fn order(self, other: Self) -> Ordering {
                let ($l, $r) = (self, other);
                $order
            }
            fn call_cpu(
                env: &Env<Cpu>,
                request: &Request,
                inputs: Inputs<'_, Self>,
                out: &mut Outputs<Self>,
            ) -> Result<(), Error> {
                cpu::call(env, request, inputs, out)
            }
            fn call_gpu(
                runner: &GpuRunner,
                request: &Request,
                inputs: Inputs<'_, Self>,
                out: &mut Outputs<Self>,
            ) -> Result<(), Error> {
                gpu::call::<Self, gpu::$forms>(runner, request, inputs, out)
            }
        }
    )*};
}

test_keys! {
    u8, u8, false, Common, |x| x, |b| b, |l, r| l.cmp(&r);
    i8, u8, false, All, |x| x.cast_unsigned(), |b| b.cast_signed(), |l, r| l.cmp(&r);
    u16, u16, false, Common, |x| x, |b| b, |l, r| l.cmp(&r);
    i16, u16, false, Common, |x| x.cast_unsigned(), |b| b.cast_signed(), |l, r| l.cmp(&r);
    u32, u32, false, Common, |x| x, |b| b, |l, r| l.cmp(&r);
    i32, u32, false, Common, |x| x.cast_unsigned(), |b| b.cast_signed(), |l, r| l.cmp(&r);
    u64, u64, false, All, |x| x, |b| b, |l, r| l.cmp(&r);
    i64, u64, false, Common, |x| x.cast_unsigned(), |b| b.cast_signed(), |l, r| l.cmp(&r);
    f16, u16, true, All, |x| x.to_bits(), |b| f16::from_bits(b), |l, r| half_rank(l.to_bits()).cmp(&half_rank(r.to_bits()));
    bf16, u16, true, Common, |x| x.to_bits(), |b| bf16::from_bits(b), |l, r| half_rank(l.to_bits()).cmp(&half_rank(r.to_bits()));
    f32, u32, true, All, |x| x.to_bits(), |b| f32::from_bits(b), |l, r| f32_merged(l).total_cmp(&f32_merged(r));
    f64, u64, true, Common, |x| x.to_bits(), |b| f64::from_bits(b), |l, r| f64_merged(l).total_cmp(&f64_merged(r));
}

/// Runs a macro once per key type: `each_key_type!(m)` expands to `m!(u8 u8); m!(i8 i8); …`, a name and a type each.
#[macro_export]
macro_rules! each_key_type {
    ($m:ident) => {
        $m!(u8_keys, u8);
        $m!(i8_keys, i8);
        $m!(u16_keys, u16);
        $m!(i16_keys, i16);
        $m!(u32_keys, u32);
        $m!(i32_keys, i32);
        $m!(u64_keys, u64);
        $m!(i64_keys, i64);
        $m!(f16_keys, half::f16);
        $m!(bf16_keys, half::bf16);
        $m!(f32_keys, f32);
        $m!(f64_keys, f64);
    };
}
