//! Releases and acquires: fences, and what atomic accesses carry from one thread to another.

use super::Machine;
use crate::clock::{Gather, Tid, View};
use crate::shadow::Scope;
use std::collections::HashMap;
use std::rc::Rc;

/// A release, waiting to be acquired.
#[derive(Clone, Debug)]
pub(super) struct Release {
    view: Rc<View>,
    by: Tid,
    scope: Scope,
}

/// What releases left in memory, by space (a block's shared memory, or [`GLOBAL`]) and address.
pub(super) type Released = HashMap<(u32, u64), Release>;
/// The space of global memory.
pub(super) const GLOBAL: u32 = u32::MAX;

/// The fences of a thread.
#[derive(Debug, Default)]
pub(super) struct Ordering {
    /// What its relaxed stores publish, since its last fence.
    published: Option<Release>,
    /// What its relaxed loads have read from, for its next fence.
    to_acquire: Vec<Release>,
    /// Its clock at each `fence::proxy_async`: accesses up to it are fenced.
    pub(super) proxy_fences: Vec<u32>,
    /// Its clock at each `mbarrier::fence_init`.
    pub(super) init_fences: Vec<u32>,
}

impl Machine {
    /// What the current thread has done and knows, for others; its accesses from now on are not part of it.
    pub(super) fn snapshot(&mut self) -> Rc<View> {
        let (tid, threads) = (self.current, self.launch.threads);
        let me = self.me();
        let mut gather = Gather::default();
        gather.add(tid, me.clock, &me.view);
        me.clock += 1;
        gather.finish(threads)
    }

    pub(super) fn acquire_view(&mut self, view: &Rc<View>) {
        let me = self.me();
        me.view = View::join(&me.view, view);
    }

    /// `fence.acq_rel`.
    pub(crate) fn fence(&mut self, scope: Scope) {
        let me = self.current;
        for release in std::mem::take(&mut self.me().order.to_acquire) {
            if self.covers(release.by, me, release.scope.min(scope)) {
                self.acquire_view(&release.view);
            }
        }
        let view = self.snapshot();
        self.me().order.published = Some(Release { view, by: me, scope });
    }

    /// What the current thread's last fence published, if that was for the cluster at least.
    pub(super) fn fenced_for_cluster(&mut self) -> Option<Rc<View>> {
        let published = self.me().order.published.as_ref();
        published.filter(|own| own.scope >= Scope::Cluster).map(|own| own.view.clone())
    }

    /// `fence.proxy.async`.
    pub(crate) fn fence_proxy_async(&mut self) {
        let me = self.me();
        me.order.proxy_fences.push(me.clock);
        me.clock += 1;
    }

    /// `fence.mbarrier_init`.
    pub(crate) fn fence_init(&mut self) {
        let me = self.me();
        me.order.init_fences.push(me.clock);
        me.clock += 1;
    }

    /// Whether an access of `tid` at `clock` is followed by a fence of that thread, one of `fences`, that the current thread knows of.
    pub(super) fn fenced(&self, tid: Tid, clock: u32, fences: impl Fn(&Ordering) -> &Vec<u32>) -> bool {
        let fences = fences(&self.threads[tid as usize].order);
        let at = fences.partition_point(|fence| *fence < clock);
        fences.get(at).is_some_and(|fence| self.accessor().knows(tid, *fence))
    }

    fn covers(&self, a: Tid, b: Tid, scope: Scope) -> bool {
        let (a, b) = (self.block_of(a), self.block_of(b));
        match scope {
            Scope::Block => a == b,
            Scope::Cluster => a / self.launch.cluster_width == b / self.launch.cluster_width,
            Scope::Device => true,
        }
    }

    /// The current thread read what lies at `key` by an atomic operation.
    pub(super) fn read_from(&mut self, key: (u32, u64), scope: Scope, acquires: bool) {
        let Some(release) = self.released.get(&key).cloned() else { return };
        if !self.covers(release.by, self.current, release.scope.min(scope)) {
            return;
        }
        if acquires {
            self.acquire_view(&release.view);
        } else {
            self.me().order.to_acquire.push(release);
        }
    }

    /// The current thread put a value at `key` by an atomic operation, reading the old one in the same step or not.
    pub(super) fn written(&mut self, key: (u32, u64), scope: Scope, releases: bool, reads: bool) {
        let published = if releases {
            let view = self.snapshot();
            Some(Release { view, by: self.current, scope })
        } else {
            self.me().order.published.clone().map(|own| Release { scope: own.scope.min(scope), ..own })
        };
        match (published, reads.then(|| self.released.get(&key).cloned()).flatten()) {
            // A read-modify-write carries on the releases it read from.
            (Some(own), Some(old)) => {
                let view = View::join(&own.view, &old.view);
                let scope = own.scope.min(old.scope);
                self.released.insert(key, Release { view, scope, by: own.by });
            }
            (Some(own), None) => drop(self.released.insert(key, own)),
            (None, Some(_)) => {}
            (None, None) => drop(self.released.remove(&key)),
        }
    }
}
