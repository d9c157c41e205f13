use super::{ClusterSchedule, SegmentSplit};
use crate::key_order::KeyWidth;

/// Delegates per wanted item below which they bound the k-th badly.
const DELEGATES_PER_ITEM: u32 = 4;

/// Keys of a group, whose best key stands for it: those that a thread of the cluster backend holds at a time, two vectors of 16
/// bytes, or one where that is many keys already.
#[must_use]
pub const fn group_keys(width: KeyWidth) -> u32 {
    let vectors = if width.bytes() < 4 { 1 } else { 2 };
    vectors * 16 / width.bytes()
}

/// What bounds the k-th cost before the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Nothing: there are too few groups.
    None,
    /// The delegates of all groups.
    All,
    /// The delegates of the groups in shared memory, since there are enough of them; the others are read once.
    Sample,
}

/// The groups of a segment, and how many candidates its blocks can list. The same in every block of a cluster, and on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Groups {
    /// Of all keys: at least so many.
    pub all: u32,
    /// Of those in slots: at least so many, and `all` where every key is.
    pub in_slots: u32,
    /// Candidates that all blocks can list.
    pub listed: u32,
}

impl Groups {
    /// The groups of a segment of keys of one width, shared out over blocks of `slots` slots, each of which lists up to
    /// `list_capacity` candidates.
    #[must_use]
    pub const fn of(
        split: &SegmentSplit,
        schedule: &ClusterSchedule,
        width: KeyWidth,
        slots: u32,
        list_capacity: u32,
    ) -> Self {
        let shift = group_keys(width).trailing_zeros();
        let all = split.bulk_keys >> shift;
        let ranks = schedule.effective_width;
        let in_slots = if schedule.most_share() <= slots {
            all
        } else {
            let least = schedule.least_share();
            let kept = if least < slots { least } else { slots };
            // The last chunk may be short, so it does not count.
            ranks.saturating_mul(kept).saturating_sub(1).saturating_mul(split.chunk_keys) >> shift
        };
        Self { all, in_slots, listed: ranks.saturating_mul(list_capacity) }
    }

    /// Whether the lists hold the `k` best, and have some room left for what else may be among them.
    #[must_use]
    pub const fn lists(self, k: u32) -> bool {
        3 * k as u64 <= 2 * self.listed as u64
    }

    /// What bounds the `k`-th cost well.
    #[must_use]
    pub const fn bound(self, k: u32) -> Bound {
        if self.all / DELEGATES_PER_ITEM < k {
            Bound::None
        } else if self.in_slots < self.all
            && self.in_slots / DELEGATES_PER_ITEM >= k
            // Candidates that are spread evenly would then take up three tenths of the lists, had the bound no width: the rest is
            // for what else is in the bucket of the k-th, of floating-point keys a quarter of an octave.
            && 10 * k as u64 * self.all as u64 <= 3 * self.listed as u64 * self.in_slots as u64
        {
            Bound::Sample
        } else {
            Bound::All
        }
    }

    /// Of `count` delegates or keys among all, how many there are in slots if they are spread evenly, rounded down.
    #[must_use]
    pub const fn share_in_slots(self, count: u32) -> u32 {
        match count.saturating_mul(self.in_slots).checked_div(self.all) {
            Some(share) => share,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TileGeometry;
    use crate::policy::ClusterPolicy;
    use crate::schedule::ScanOrder;

    #[test]
    fn groups_are_counted() {
        assert_eq!(KeyWidth::ALL.map(group_keys), [16, 8, 8, 4]);
        // 25 chunks of 4,096 keys, the last of them short, on two blocks.
        let geometry = TileGeometry::of(&ClusterPolicy::DEFAULT, KeyWidth::W32, 0);
        let split = SegmentSplit::generic(&geometry, 100_000);
        let schedule = ClusterSchedule::new(&split, 2, 1, ScanOrder::Ascending);
        let of = |slots| Groups::of(&split, &schedule, KeyWidth::W32, slots, 1000);
        assert_eq!(of(13), Groups { all: 12_500, in_slots: 12_500, listed: 2000 });
        assert_eq!(of(12), Groups { all: 12_500, in_slots: 23 * 512, listed: 2000 });
        assert_eq!(of(1), Groups { all: 12_500, in_slots: 512, listed: 2000 });
        assert_eq!([1, 12, 13].map(|slots| of(slots).share_in_slots(100)), [4, 94, 100]);
    }

    #[test]
    fn a_bound_for_every_k() {
        let all = Groups { all: 1000, in_slots: 1000, listed: 100 };
        assert_eq!([1, 250, 251].map(|k| all.bound(k)), [Bound::All, Bound::All, Bound::None]);
        // Ten keys for each that is sampled.
        let part = Groups { all: 1000, in_slots: 100, listed: 400 };
        assert_eq!(
            [1, 12, 13, 250, 251].map(|k| part.bound(k)),
            [Bound::Sample, Bound::Sample, Bound::All, Bound::All, Bound::None]
        );
        let listed = Groups { listed: u32::MAX, ..part };
        assert_eq!([25, 26].map(|k| listed.bound(k)), [Bound::Sample, Bound::All]);
        let none = Groups { in_slots: 0, ..listed };
        assert_eq!(none.bound(1), Bound::All);
    }
}
