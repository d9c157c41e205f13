//! The rules on clusters: the barrier, and the shared memory of other blocks.

mod common;

use cluster_topk_emulate::device::{
    self, cluster_arrive, cluster_rank, cluster_wait, cluster_width, named_sync, reduce_add, shared_of,
};
use cluster_topk_emulate::{Rule, Scope};
use common::{blocks, cluster, get, me, put, runs, stops, stops_with};

fn cluster_sync() {
    cluster_arrive(true);
    cluster_wait();
}

#[test]
fn a_peers_memory_between_barriers() {
    runs(cluster(4, 32), || {
        put(me(), cluster_rank() * 100 + me());
        cluster_sync();
        let next = (cluster_rank() + 1) % cluster_width();
        let there = device::load(shared_of(next), u64::from(me()) * 4, 4) as u32;
        assert_eq!(there, next * 100 + me());
        cluster_sync();
    });
}

#[test]
fn a_peer_that_may_not_have_started() {
    // The first access comes without a barrier.
    stops(cluster(4, 32), Rule::PeerNotStarted, || {
        let next = (cluster_rank() + 1) % cluster_width();
        device::store(shared_of(next), u64::from(me()) * 4, 4, 1);
        cluster_sync();
    });
}

#[test]
fn a_peer_that_may_have_exited() {
    // The last access comes without a barrier: found whether or not the peer happens to have exited.
    stops(cluster(4, 32), Rule::PeerExited, || {
        put(me(), 1);
        cluster_sync();
        if cluster_rank() > 0 {
            device::load(shared_of(0), 0, 4);
        }
    });
}

#[test]
fn scopes() {
    let count = |scope: Scope| {
        move || {
            if me() == 0 {
                put(0, 0);
            }
            cluster_sync();
            reduce_add(shared_of(0), 0, 4, 1, scope);
            cluster_sync();
            if cluster_rank() == 0 {
                assert_eq!(get(0), 128);
            }
        }
    };
    runs(cluster(4, 32), count(Scope::Cluster));
    runs(cluster(4, 32), count(Scope::Device));
    stops(cluster(4, 32), Rule::Scope, count(Scope::Block));
}

#[test]
fn a_block_barrier_orders_its_block_only() {
    stops_with(
        cluster(2, 32),
        &[Rule::Race, Rule::Uninitialised],
        || {
            cluster_sync();
            if cluster_rank() == 0 {
                put(me(), 1);
            }
            device::block_sync();
            if cluster_rank() == 1 {
                device::load(shared_of(0), u64::from(me()) * 4, 4);
            }
            cluster_sync();
        },
        |_| (),
    );
}

#[test]
fn arrive_and_wait_apart() {
    // What lies between the two is not ordered; what lies before is.
    let kernel = |late: bool| {
        move || {
            put(me(), 1);
            cluster_sync();
            if !late {
                put(me(), 2);
            }
            cluster_arrive(true);
            if late {
                put(me(), 2);
            }
            cluster_wait();
            let next = (cluster_rank() + 1) % cluster_width();
            device::load(shared_of(next), u64::from(me()) * 4, 4);
            cluster_sync();
        }
    };
    runs(cluster(2, 32), kernel(false));
    stops(cluster(2, 32), Rule::Race, kernel(true));
}

/// A thread's fence before its relaxed arrival speaks for itself, and for what a block barrier has ordered before.
#[test]
fn a_fence_before_a_relaxed_arrival() {
    let pass = |scope: Option<Scope>, late: bool, one: bool| {
        move || {
            cluster_sync();
            if !late {
                put(me(), 7 + me());
            }
            device::block_sync();
            if let Some(scope) = scope
                && (me() == 0 || !one)
            {
                device::fence(scope);
            }
            if late {
                put(me(), 7 + me());
            }
            cluster_arrive(false);
            cluster_wait();
            let there = device::load(shared_of(1 - cluster_rank()), 4 * u64::from(me()), 4) as u32;
            assert_eq!(there, 7 + me());
            cluster_sync();
        }
    };
    runs(cluster(2, 64), pass(Some(Scope::Cluster), false, false));
    runs(cluster(2, 64), pass(Some(Scope::Device), false, true));
    let unordered = [Rule::Race, Rule::Uninitialised];
    stops_with(cluster(2, 64), &unordered, pass(None, false, true), |_| ());
    stops_with(cluster(2, 64), &unordered, pass(Some(Scope::Block), false, false), |_| ());
    stops_with(cluster(2, 64), &unordered, pass(Some(Scope::Cluster), true, false), |_| ());
}

#[test]
fn a_relaxed_arrival_releases_nothing() {
    stops_with(
        cluster(2, 32),
        &[Rule::Race, Rule::Uninitialised],
        || {
            put(me(), 1);
            cluster_arrive(false);
            cluster_wait();
            device::load(shared_of(1 - cluster_rank()), u64::from(me()) * 4, 4);
            cluster_sync();
        },
        |_| (),
    );
    // But it says that the block has started.
    runs(cluster(2, 32), || {
        cluster_arrive(false);
        cluster_wait();
        device::store(shared_of(1 - cluster_rank()), u64::from(me()) * 4, 4, 7);
        cluster_sync();
        assert_eq!(get(me()), 7);
    });
}

#[test]
fn misuse_of_the_cluster_barrier() {
    stops(cluster(2, 32), Rule::BarrierNotReached, || cluster_wait());
    stops(cluster(2, 32), Rule::BarrierNotReached, || cluster_arrive(true));
    stops(cluster(2, 32), Rule::BarrierNotReached, || {
        cluster_arrive(true);
        cluster_arrive(true);
        cluster_wait();
    });
    // A warp of one block waits elsewhere.
    stops(cluster(2, 64), Rule::BarrierNotReached, || {
        if cluster_rank() == 1 && me() < 32 { named_sync(1, 64) } else { cluster_sync() }
    });
    stops(cluster(2, 32), Rule::Argument, || shared_of(2));
    // A block that has exited is not waited for; a launch without clusters is one of width 1.
    runs(cluster(4, 32), || {
        if cluster_rank() != 2 {
            cluster_sync()
        }
    });
    runs(blocks(2, 32), || {
        put(me(), 1);
        cluster_sync();
        assert_eq!(device::load(shared_of(0), u64::from(me() ^ 1) * 4, 4), 1);
    });
}
