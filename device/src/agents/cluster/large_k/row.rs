//! The slots of a row, for a warp that puts its winners side by side: two ways, of which the faster depends on how many there are.

use crate::agents::cluster::Tuning;
use crate::agents::cluster::share::Share;
use crate::agents::cluster::tile::{Tile, batch};
use crate::agents::cost::Key;
use crate::arch::global::Global;
use crate::arch::warp;

/// Slots for keys and for indices of 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<K: Key> {
    pub(super) keys: Global<K>,
    pub(super) indices: Global<u32>,
    /// How many there are.
    pub(super) slots: u32,
}

/// Of 32 keys, more than these have to win for [`Row::put_many`] to be taken: it was faster where a quarter did, and slower where an
/// eighth did.
const MANY: u32 = 7;

impl<K: Key + core::ops::BitXor<Output = K>> Row<K> {
    /// Puts keys of a warp's tiles into slots from `first` on: those whose bits in `wins` are set, `count` in all of the warp.
    ///
    /// # Safety
    ///
    /// All lanes of the warp call it together, with the same `first` and `count`.
    #[inline(always)]
    pub(super) unsafe fn put<T: Tuning>(
        &self,
        share: &Share<'_, K, T>,
        tile: &Tile,
        wins: u32,
        first: u32,
        count: u32,
    ) {
        if count > const { MANY * Tile::keys::<K>() as u32 } {
            // SAFETY: the caller's promise; the branch is the same for all of the warp.
            unsafe { self.put_many(share, tile, wins, first) };
        } else {
            // SAFETY: as above.
            unsafe { self.put_few(share, tile, wins, first) };
        }
    }

    /// The keys of each number in turn.
    ///
    /// # Safety
    ///
    /// As for [`Self::put`].
    #[inline(always)]
    unsafe fn put_many<T: Tuning>(&self, share: &Share<'_, K, T>, tile: &Tile, wins: u32, mut first: u32) {
        let per_vector = K::PER_VEC16 as u32;
        for vector in 0..const { batch::<K>() } {
            // Loaded again, since the registers for all keys of a tile are needed before.
            let keys = share.vector_in_slot(tile, vector);
            for lane in 0..per_vector {
                let number = vector * per_vector + lane;
                let wins = wins >> number & 1 != 0;
                // SAFETY: the caller's promise.
                let lanes = unsafe { warp::ballot(warp::ALL, wins) };
                let slot = first + (lanes & warp::lanes_below()).count_ones();
                first += lanes.count_ones();
                if wins {
                    self.store(slot, tile.index::<K>(number), keys.get::<K>(lane as usize));
                }
            }
        }
    }

    /// Each lane's next winner, until none has another.
    ///
    /// # Safety
    ///
    /// As for [`Self::put`].
    #[inline(always)]
    unsafe fn put_few<T: Tuning>(&self, share: &Share<'_, K, T>, tile: &Tile, mut wins: u32, mut first: u32) {
        // SAFETY: the caller's promise.
        while let Some(slot) = unsafe { next_slot(wins, &mut first) } {
            if wins != 0 {
                let number = wins.trailing_zeros();
                wins &= wins - 1;
                self.store(slot, tile.index::<K>(number), share.key_in_slot(tile, number));
            }
        }
    }

    /// Sets a slot, if there is one.
    #[inline(always)]
    fn store(&self, slot: u32, index: u32, key: K) {
        if slot < self.slots {
            self.keys.store(slot.into(), key);
            self.indices.store(slot.into(), index);
        }
    }
}

/// The slot for this lane's next winner, if it has any, unless no lane of the warp has: they get theirs side by side from `first` on,
/// which moves behind them.
///
/// # Safety
///
/// All lanes of the warp call it together, with the same `first`.
#[inline(always)]
pub(super) unsafe fn next_slot(wins: u32, first: &mut u32) -> Option<u32> {
    // SAFETY: the caller's promise.
    let lanes = unsafe { warp::ballot(warp::ALL, wins != 0) };
    let slot = *first + (lanes & warp::lanes_below()).count_ones();
    *first += lanes.count_ones();
    (lanes != 0).then_some(slot)
}
