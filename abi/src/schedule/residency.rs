use super::RankShare;

/// What a rank keeps in its slots, and what it streams through them.
///
/// A rank whose chunks fit keeps all of them. Any other rank turns some slots, up to the whole block tile, into
/// *streaming slots*; chunks without a resident slot pass through these once per pass. A pass in the opposite direction
/// of the one before finds its first chunks still there, so streaming slots save as much traffic as resident ones do:
/// a rank reads `chunks − slots` chunks in every pass after the first, however the slots are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Residency {
    /// Chunks that stay in shared memory.
    pub resident: u32,
    /// Chunks that do not.
    pub streamed: u32,
    /// Streaming slots: those after the resident ones. 0 exactly where nothing is streamed through slots.
    pub stream_slots: u32,
}

impl Residency {
    /// The split of `chunks` chunks over `slots` slots, of which at most `max_stream_slots` (and at least one) stream.
    #[must_use]
    pub const fn new(chunks: u32, slots: u32, max_stream_slots: u32) -> Self {
        if chunks <= slots {
            return Self { resident: chunks, streamed: 0, stream_slots: 0 };
        }
        let wanted = if max_stream_slots == 0 { 1 } else { max_stream_slots };
        let stream_slots = if wanted < slots { wanted } else { slots };
        let resident = slots.saturating_sub(stream_slots);
        Self { resident, streamed: chunks.saturating_sub(resident), stream_slots }
    }

    /// The split for plain loads: every slot is resident, and the overflow is read from global memory again in every
    /// pass.
    #[must_use]
    pub const fn generic(chunks: u32, slots: u32) -> Self {
        let resident = if chunks < slots { chunks } else { slots };
        Self { resident, streamed: chunks.saturating_sub(resident), stream_slots: 0 }
    }

    /// The first resident chunk of a rank's share.
    ///
    /// The chunks that the final filter visits first are the resident ones: those of lowest index, or with
    /// `reverse_residency`, where ties go to the larger index, those of highest index.
    #[must_use]
    pub const fn first_resident(&self, share: &RankShare, reverse_residency: bool) -> u32 {
        if reverse_residency { share.first_chunk.saturating_add(self.streamed) } else { share.first_chunk }
    }

    /// The first streamed chunk of a rank's share, by index.
    #[must_use]
    pub const fn first_streamed(&self, share: &RankShare, reverse_residency: bool) -> u32 {
        if reverse_residency { share.first_chunk } else { share.first_chunk.saturating_add(self.resident) }
    }
}
