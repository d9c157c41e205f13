//! Which forms of sizes and `k` a call is compiled for.

use super::call::{Call, Numbers};
use crate::key::TestKey;
use crate::request::Number;
use crate::runner::numbers::{self, Visitor};
use cluster_topk::args::{Argument, KArg, SizeArg};
use cluster_topk::gpu::DeviceMemory;
use cluster_topk::{Error, Segments};

/// Whether the forms of [`Plane::Arguments`] are compiled: for one key type of each width, which is all that they could
/// depend on.
pub(crate) trait Forms {
    fn any_k<'a, K: TestKey, S: Argument<'a, DeviceMemory>>(
        call: Call<'a, K>,
        segments: Segments<'a, K, DeviceMemory, S>,
    ) -> Result<(), Error>;
    fn any_size<'a, K: TestKey>(call: Call<'a, K>, size: &Number, sizes: &'a Numbers) -> Result<(), Error>;
}

/// All forms.
pub(crate) struct All;
/// The common ones.
pub(crate) struct Common;

impl Forms for All {
    fn any_k<'a, K: TestKey, S: Argument<'a, DeviceMemory>>(
        call: Call<'a, K>,
        segments: Segments<'a, K, DeviceMemory, S>,
    ) -> Result<(), Error> {
        numbers::any(&call.request.k, call.ks, WithAnyK(call, segments))
    }
    fn any_size<'a, K: TestKey>(call: Call<'a, K>, size: &Number, sizes: &'a Numbers) -> Result<(), Error> {
        numbers::any(size, sizes, AnyRows(call))
    }
}

impl Forms for Common {
    fn any_k<'a, K: TestKey, S: Argument<'a, DeviceMemory>>(
        call: Call<'a, K>,
        _: Segments<'a, K, DeviceMemory, S>,
    ) -> Result<(), Error> {
        panic!("no instance for {:?} and {} keys", call.request, K::NAME)
    }
    fn any_size<'a, K: TestKey>(call: Call<'a, K>, _: &Number, _: &'a Numbers) -> Result<(), Error> {
        panic!("no instance for {:?} and {} keys", call.request, K::NAME)
    }
}

pub(super) struct Rows<'a, K>(pub(super) Call<'a, K>);
struct AnyRows<'a, K>(Call<'a, K>);
pub(super) struct WithK<'a, K: TestKey, S>(
    pub(super) Call<'a, K>,
    pub(super) Segments<'a, K, DeviceMemory, S>,
);
struct WithAnyK<'a, K: TestKey, S>(Call<'a, K>, Segments<'a, K, DeviceMemory, S>);

impl<'a, K: TestKey> Visitor<'a, DeviceMemory> for Rows<'a, K> {
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, DeviceMemory> + SizeArg<'a, DeviceMemory>>(self, size: N) -> Self::Out {
        let segments = self.0.rows(size);
        numbers::common(&self.0.request.k, self.0.ks, WithK(self.0, segments))
    }
}

impl<'a, K: TestKey> Visitor<'a, DeviceMemory> for AnyRows<'a, K> {
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, DeviceMemory> + SizeArg<'a, DeviceMemory>>(self, size: N) -> Self::Out {
        let segments = self.0.rows(size);
        self.0.keys_and_indices(segments, self.0.request.k.get(0))
    }
}

impl<'a, K: TestKey, S: Argument<'a, DeviceMemory>> Visitor<'a, DeviceMemory> for WithK<'a, K, S> {
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, DeviceMemory> + SizeArg<'a, DeviceMemory>>(self, k: N) -> Self::Out {
        self.0.outputs(self.1, k)
    }
}

impl<'a, K: TestKey, S: Argument<'a, DeviceMemory>> Visitor<'a, DeviceMemory> for WithAnyK<'a, K, S> {
    type Out = Result<(), Error>;
    fn visit<N: KArg<'a, DeviceMemory> + SizeArg<'a, DeviceMemory>>(self, k: N) -> Self::Out {
        self.0.keys_and_indices(self.1, k)
    }
}
