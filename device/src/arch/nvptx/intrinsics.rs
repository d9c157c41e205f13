//! Declarations of LLVM's NVPTX intrinsics. LLVM marks the collective ones `convergent`.

// The unadjusted ABI hands `bool` over as LLVM's `i1`, and a pair as LLVM's struct, which is what the intrinsics take.
#[allow(improper_ctypes)]
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    pub(super) safe fn lane_id() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.lt"]
    pub(super) safe fn lanemask_lt() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.le"]
    pub(super) safe fn lanemask_le() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.gt"]
    pub(super) safe fn lanemask_gt() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.ge"]
    pub(super) safe fn lanemask_ge() -> u32;
    #[link_name = "llvm.nvvm.activemask"]
    pub(super) safe fn activemask() -> u32;

    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    pub(super) fn barrier_sync_all(barrier: u32);
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.count"]
    pub(super) fn barrier_sync_count(barrier: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cta.arrive.aligned.count"]
    pub(super) fn barrier_arrive_count(barrier: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cta.red.popc.aligned.all"]
    pub(super) fn barrier_red_popc(barrier: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.barrier.cta.red.or.aligned.all"]
    pub(super) fn barrier_red_or(barrier: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.barrier.cta.red.and.aligned.all"]
    pub(super) fn barrier_red_and(barrier: u32, predicate: bool) -> bool;

    #[link_name = "llvm.nvvm.bar.warp.sync"]
    pub(super) fn warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    pub(super) fn shfl_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    pub(super) fn shfl_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    pub(super) fn shfl_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    pub(super) fn shfl_xor(mask: u32, value: u32, lanes: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    pub(super) fn vote_ballot(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    pub(super) fn vote_any(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    pub(super) fn vote_all(mask: u32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    pub(super) fn match_any(mask: u32, value: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.add"]
    pub(super) fn redux_add(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.umin"]
    pub(super) fn redux_min(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.umax"]
    pub(super) fn redux_max(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.and"]
    pub(super) fn redux_and(value: u32, mask: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.or"]
    pub(super) fn redux_or(value: u32, mask: u32) -> u32;
}

/// What `elect.sync` gives: the elected lane, and whether it is this one.
#[cfg(feature = "cluster")]
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Elected {
    _lane: u32,
    pub(super) this: bool,
}

#[cfg(feature = "cluster")]
#[allow(improper_ctypes)]
unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.ctarank"]
    pub(super) safe fn cluster_rank() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.cluster.nctarank"]
    pub(super) safe fn cluster_width() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.clusterid.x"]
    pub(super) safe fn cluster_index() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nclusterid.x"]
    pub(super) safe fn grid_clusters() -> u32;
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.aligned"]
    pub(super) fn cluster_arrive();
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned"]
    pub(super) fn cluster_arrive_relaxed();
    #[link_name = "llvm.nvvm.barrier.cluster.wait.aligned"]
    pub(super) fn cluster_wait();
    #[link_name = "llvm.nvvm.elect.sync"]
    pub(super) fn elect(mask: u32) -> Elected;
}
