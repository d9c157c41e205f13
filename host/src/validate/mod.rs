//! Checks of what the host knows, as pure functions over plain numbers.
//!
//! An engine calls them before it writes anything. Sums and products are taken in 128 bits, where no argument can
//! overflow them.

mod host;

pub(crate) use host::{HostSegment, HostShape};

use crate::args::LIMIT;
use crate::error::{ArgumentName, BufferName, Error};

/// The bounds of an argument: 0 ≤ hi ≤ 2^31 − 1 and lo ≤ hi. A lower bound below 0 is no fault.
pub(crate) fn usable_bounds(argument: ArgumentName, lo: i128, hi: i128) -> Result<u64, Error> {
    if (0..=i128::from(LIMIT)).contains(&hi) && lo <= hi {
        Ok(hi as u64)
    } else {
        Err(Error::BadBounds { argument, lo, hi })
    }
}

/// A number of segments, for a launch that spends `cluster_width` thread blocks on each.
pub(crate) fn segment_count(count: i128, cluster_width: u32) -> Result<u64, Error> {
    let limit = LIMIT as u64 / u64::from(cluster_width.max(1));
    match u64::try_from(count) {
        Err(_) if count < 0 => Err(Error::OutOfBounds {
            argument: ArgumentName::SegmentCount,
            segment: None,
            lo: 0,
            hi: limit.into(),
            value: count,
        }),
        Ok(count) if count <= limit => Ok(count),
        _ => Err(Error::TooManySegments { given: count.unsigned_abs(), limit, cluster_width }),
    }
}

/// A size the host knows: at most its bound; a negative one is an empty segment.
pub(crate) fn known_size(segment: Option<usize>, value: i128, lo: i128, hi: i128) -> Result<usize, Error> {
    if value > hi {
        return Err(Error::OutOfBounds { argument: ArgumentName::SegmentSize, segment, lo, hi, value });
    }
    Ok(usize::try_from(value.max(0)).unwrap_or(0))
}

/// A `k` the host knows: within its bounds and not negative.
pub(crate) fn known_k(segment: Option<usize>, value: i128, lo: i128, hi: i128) -> Result<usize, Error> {
    let lo = lo.max(0);
    if (lo..=hi).contains(&value) {
        Ok(usize::try_from(value).unwrap_or(0))
    } else {
        Err(Error::OutOfBounds { argument: ArgumentName::K, segment, lo, hi, value })
    }
}

/// A buffer of at least `required` elements.
pub(crate) fn long_enough(buffer: BufferName, required: u128, given: usize) -> Result<(), Error> {
    let given = given as u128;
    if required <= given { Ok(()) } else { Err(Error::BufferTooShort { buffer, required, given }) }
}

/// How much a request is, as far as the host knows: what decides where and how it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) num_segments: u64,
    pub(crate) max_size: u64,
    pub(crate) max_k: u64,
    pub(crate) output_pitch: u64,
}

/// The output rows of a request: their pitch, and the elements every output must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutputRows {
    pub(crate) pitch: u64,
    pub(crate) elements: u128,
}

/// Works out the output rows from the declared bounds, so that the answer does not depend on what lies in device memory.
pub(crate) fn output_rows(
    segments: u64,
    max_k: u64,
    max_size: u64,
    pitch: Option<usize>,
    filled: bool,
) -> Result<OutputRows, Error> {
    let row = if filled { max_k } else { max_k.min(max_size) };
    let pitch = pitch.map_or(max_k, |pitch| pitch as u64);
    if segments > 1 && pitch < row {
        return Err(Error::PitchTooSmall { required: row, given: pitch });
    }
    let elements = match (segments, row) {
        (0, _) | (_, 0) => 0,
        _ => u128::from(segments - 1) * u128::from(pitch) + u128::from(row),
    };
    Ok(OutputRows { pitch, elements })
}

/// No output shares bytes with an input or the other output. Each entry is a name, an address and a length in bytes.
pub(crate) fn no_overlap(
    written: &[(BufferName, u64, u64)],
    read: &[(BufferName, u64, u64)],
) -> Result<(), Error> {
    let overlap = |a: &(BufferName, u64, u64), b: &(BufferName, u64, u64)| {
        a.2 > 0
            && b.2 > 0
            && u128::from(a.1) < u128::from(b.1) + u128::from(b.2)
            && u128::from(b.1) < u128::from(a.1) + u128::from(a.2)
    };
    for (i, first) in written.iter().enumerate() {
        let others = written[i + 1..].iter().chain(read);
        if let Some(second) = others.into_iter().find(|second| overlap(first, second)) {
            return Err(Error::Overlap { first: first.0, second: second.0 });
        }
    }
    Ok(())
}
