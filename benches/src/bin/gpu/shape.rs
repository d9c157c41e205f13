//! The shapes that are measured.

use super::{Setting, measure};
use clap::ValueEnum;
use cluster_topk::Gpu;
use cluster_topk::half::{bf16, f16};
use cluster_topk_benches::distribution::Distribution;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// `dtype,segments,length,k`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) dtype: Dtype,
    pub(crate) segments: usize,
    pub(crate) length: usize,
    pub(crate) k: usize,
}

macro_rules! dtypes {
    ($($variant:ident $t:ty => $name:literal),*) => {
        /// The key types that are measured.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Dtype { $(#[allow(missing_docs)] $variant),* }

        impl Dtype {
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }

        impl FromStr for Dtype {
            type Err = String;
            fn from_str(s: &str) -> Result<Self, String> {
                match s {
                    $($name => Ok(Self::$variant),)*
                    _ => Err(format!("`{s}` is not one of {}", [$($name),*].join(", "))),
                }
            }
        }

        impl Shape {
            pub(crate) fn measure(
                self,
                gpu: &Gpu,
                distribution: Distribution,
                setting: Setting,
            ) -> Result<(), Box<dyn Error>> {
                match self.dtype { $(Dtype::$variant => measure::shape::<$t>(gpu, distribution, self, setting)),* }
            }
        }
    };
}
dtypes!(U8 u8 => "u8", F16 f16 => "f16", Bf16 bf16 => "bf16", I32 i32 => "i32", F32 f32 => "f32", U64 u64 => "u64", F64 f64 => "f64");

impl FromStr for Shape {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let parts: Vec<_> = s.split(',').collect();
        let [dtype, segments, length, k] = parts[..] else {
            return Err("a shape is dtype,segments,length,k".into());
        };
        let number = |s: &str| s.parse().map_err(|e| format!("`{s}`: {e}"));
        Ok(Self {
            dtype: dtype.parse()?,
            segments: number(segments)?,
            length: number(length)?,
            k: number(k)?,
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.dtype.name(), self.segments, self.length, self.k)
    }
}

const fn f32_shape(segments: usize, length: usize, k: usize) -> Shape {
    Shape { dtype: Dtype::F32, segments, length, k }
}
const fn bf16_shape(segments: usize, length: usize, k: usize) -> Shape {
    Shape { dtype: Dtype::Bf16, segments, length, k }
}

/// Shapes that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Set {
    /// Those that the peers were measured on.
    Peers,
    /// Segments of up to 64 Mi keys, which few clusters or none keep in shared memory.
    Streaming,
}

impl Set {
    pub(crate) const fn shapes(self) -> &'static [Shape] {
        match self {
            Self::Peers => PEER_SHAPES,
            Self::Streaming => STREAMING_SHAPES,
        }
    }
}

/// At most 1 GiB of keys: with two inputs in rotation 2 GiB on the device, and as much on the host while they are made.
const STREAMING_SHAPES: &[Shape] = &[
    f32_shape(1, 1 << 20, 1024),
    f32_shape(256, 1 << 20, 1024),
    f32_shape(1, 1 << 24, 1024),
    f32_shape(8, 1 << 24, 1024),
    f32_shape(1, 1 << 26, 1024),
    bf16_shape(1, 1 << 24, 1024),
];

const PEER_SHAPES: &[Shape] = &[
    f32_shape(1, 131_072, 64),
    f32_shape(8, 131_072, 64),
    f32_shape(64, 131_072, 64),
    f32_shape(256, 131_072, 64),
    f32_shape(1, 32_768, 2048),
    f32_shape(64, 8192, 2048),
    f32_shape(64, 32_768, 2048),
    f32_shape(64, 65_536, 2048),
    f32_shape(1, 131_072, 2048),
    f32_shape(64, 131_072, 2048),
    f32_shape(512, 131_072, 2048),
    f32_shape(65_536, 256, 8),
    f32_shape(262_144, 1024, 32),
    f32_shape(16_384, 4096, 64),
    f32_shape(8192, 16_384, 256),
    f32_shape(1, 1_048_576, 1024),
    f32_shape(16, 1_048_576, 1024),
    f32_shape(128, 1_048_576, 1024),
    f32_shape(256, 1_048_576, 100),
    bf16_shape(64, 131_072, 64),
    bf16_shape(64, 65_536, 512),
    bf16_shape(1, 131_072, 512),
    bf16_shape(512, 131_072, 2048),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed of a shape is what the command line takes.
    #[test]
    fn shapes_read_as_they_print() {
        for shape in [Set::Peers, Set::Streaming].into_iter().flat_map(Set::shapes) {
            let text = shape.to_string();
            assert_eq!(text.parse::<Shape>().map(|shape| shape.to_string()), Ok(text));
            assert!(shape.k <= shape.length && shape.segments * shape.length <= 1 << 28, "{shape}");
        }
    }
}
