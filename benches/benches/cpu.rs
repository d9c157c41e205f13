//! The CPU engine against the standard library, in one run, on the same number of threads.
//!
//! ```text
//! cargo bench --package cluster-topk-benches --bench cpu                    every case, about half an hour
//! CLUSTER_TOPK_BENCH=quick cargo bench --package cluster-topk-benches …     every case, short samples, minutes
//! cargo bench --package cluster-topk-benches --bench cpu -- f32/normal      some cases, by criterion's filter
//! ```
//!
//! Both sides do the same work under the default contract, and their answers are compared to the bit before they are timed.
//! Criterion measures and keeps its reports; the table at the end is made of the fastest samples, since a ratio of those
//! holds still while other things run on the machine.

use cluster_topk::env::Cpu;
use cluster_topk::half::f16;
use cluster_topk::prelude::*;
use cluster_topk_benches::bench_key::BenchKey;
use cluster_topk_benches::distribution::Distribution;
use cluster_topk_benches::ratios::{Case, Ratios, Who};
use cluster_topk_benches::std_peer::{self, Method};
use criterion::{Criterion, SamplingMode};
use rayon::prelude::*;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LENGTHS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// A call takes at least this many keys, so that short segments come in batches.
const KEYS_PER_CALL: usize = 1 << 16;
const K_NAMES: [&str; 3] = ["8", "n/64", "n/16"];

fn ks(length: usize) -> [usize; 3] {
    [8, length / 64, length / 16]
}

fn main() {
    let quick = std::env::var_os("CLUSTER_TOPK_BENCH").is_some_and(|mode| mode == "quick");
    let (warm_up, measure) = if quick { (5, 25) } else { (100, 500) };
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(warm_up))
        .measurement_time(Duration::from_millis(measure))
        .nresamples(1_000)
        .without_plots()
        .configure_from_args();
    let mut ratios = Ratios::new(&K_NAMES);

    let one = Threads::new(1);
    for distribution in Distribution::ALL {
        one.measure::<u8>(&mut criterion, &mut ratios, distribution);
        one.measure::<f16>(&mut criterion, &mut ratios, distribution);
        one.measure::<i32>(&mut criterion, &mut ratios, distribution);
        one.measure::<f32>(&mut criterion, &mut ratios, distribution);
        one.measure::<u64>(&mut criterion, &mut ratios, distribution);
        one.measure::<f64>(&mut criterion, &mut ratios, distribution);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores > 1 {
        let all = Threads::new(cores);
        for distribution in Distribution::ALL {
            all.measure::<f32>(&mut criterion, &mut ratios, distribution);
        }
    }
    criterion.final_summary();
    println!("\n{ratios}");
}

/// The threads that both sides share the segments between.
struct Threads {
    env: Env<Cpu>,
    pool: Arc<rayon::ThreadPool>,
    count: usize,
}

/// One batch of keys, and room for its answers. Filled when first measured, since a filter may leave it out.
struct Batch<K: BenchKey> {
    distribution: Distribution,
    keys: Vec<K>,
    length: usize,
    segments: usize,
    k: usize,
    indices_too: bool,
    best: Vec<K>,
    places: Vec<u32>,
    /// Scratch for a peer on one thread. With several each worker brings its own.
    bits: Vec<K::Bits>,
    packed: Vec<K::Packed>,
}

impl Threads {
    fn new(count: usize) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads start");
        let pool = Arc::new(pool);
        Self { env: Env::new(Cpu::with_pool(Arc::clone(&pool))), pool, count }
    }

    fn measure<K: BenchKey>(
        &self,
        criterion: &mut Criterion,
        ratios: &mut Ratios,
        distribution: Distribution,
    ) {
        let threads = if self.count == 1 { "1 thread".into() } else { format!("{} threads", self.count) };
        let mut group = criterion.benchmark_group(format!("{threads}/{}/{}", K::NAME, distribution.name()));
        group.sampling_mode(SamplingMode::Flat);
        for length in LENGTHS {
            let segments = (KEYS_PER_CALL / length).max(1).next_multiple_of(self.count);
            for (indices_too, outputs) in [(false, "keys"), (true, "keys+indices")] {
                let mut batch = Batch::<K>::new(distribution, segments, length, indices_too);
                let case = Case {
                    threads: threads.clone(),
                    key: K::NAME,
                    distribution: distribution.name(),
                    outputs,
                    length,
                };
                let mut sample = |who, k, name: &str, work: &dyn Fn(&mut Batch<K>)| {
                    let name = format!("{outputs}/n={length}/k={k}/{name}");
                    group.bench_function(name, |bencher| {
                        batch.prepare(k, self);
                        bencher.iter_custom(|iterations| {
                            let start = Instant::now();
                            (0..iterations).for_each(|_| work(&mut batch));
                            let elapsed = start.elapsed();
                            ratios.sample(&case, who, iterations, elapsed);
                            elapsed
                        });
                    });
                };
                for (column, k) in ks(length).into_iter().enumerate() {
                    sample(Who::Ours(column), k, "cluster-topk", &|batch| batch.ours(self));
                    sample(Who::SelectNth(column), k, "select_nth_unstable", &|batch| {
                        batch.peer(self, Method::SelectNth);
                    });
                }
                // The full sort is the same for every k; it gets away with writing the fewest.
                sample(Who::Sort, ks(length)[0], "sort_unstable", &|batch| batch.peer(self, Method::Sort));
            }
        }
    }
}

impl<K: BenchKey> Batch<K> {
    fn new(distribution: Distribution, segments: usize, length: usize, indices_too: bool) -> Self {
        Self {
            distribution,
            keys: Vec::new(),
            length,
            segments,
            k: 0,
            indices_too,
            best: Vec::new(),
            places: Vec::new(),
            bits: Vec::new(),
            packed: Vec::new(),
        }
    }

    /// Makes the keys if they are not there yet and sees to it that all sides agree on this k.
    fn prepare(&mut self, k: usize, threads: &Threads) {
        if self.keys.is_empty() {
            self.keys = self.distribution.keys(self.segments, self.length);
        }
        if self.k != k {
            self.k = k;
            self.best = vec![K::zeroed(); self.segments * k];
            self.places = vec![0; self.segments * k];
            self.check(threads);
        }
    }

    /// The library's way.
    fn ours(&mut self, threads: &Threads) {
        let segments = Segments::rows(black_box(&self.keys), self.segments, self.length);
        let done = if self.indices_too {
            max_keys_and_indices(segments, self.k, &mut self.best, &mut self.places).run(&threads.env)
        } else {
            max_keys(segments, self.k, &mut self.best).run(&threads.env)
        };
        done.expect("the request is sound");
        black_box((&self.best, &self.places));
    }

    /// The standard library's way.
    fn peer(&mut self, threads: &Threads, method: Method) {
        let Self { keys, length, k, indices_too, best, places, bits, packed, .. } = self;
        let rows = || black_box(&**keys).par_chunks_exact(*length);
        match (threads.count, *indices_too) {
            (1, false) => {
                for (keys, best) in keys.chunks_exact(*length).zip(best.chunks_exact_mut(*k)) {
                    std_peer::keys(method, black_box(keys), bits, best);
                }
            }
            (1, true) => {
                let out = best.chunks_exact_mut(*k).zip(places.chunks_exact_mut(*k));
                for (keys, (best, places)) in keys.chunks_exact(*length).zip(out) {
                    std_peer::keys_and_indices(method, black_box(keys), packed, best, places);
                }
            }
            (_, false) => threads.pool.install(|| {
                rows().zip(best.par_chunks_exact_mut(*k)).for_each_init(Vec::new, |scratch, (keys, best)| {
                    std_peer::keys(method, keys, scratch, best);
                });
            }),
            (_, true) => threads.pool.install(|| {
                let out = best.par_chunks_exact_mut(*k).zip(places.par_chunks_exact_mut(*k));
                rows().zip(out).for_each_init(Vec::new, |scratch, (keys, (best, places))| {
                    std_peer::keys_and_indices(method, keys, scratch, best, places);
                });
            }),
        }
        black_box((&self.best, &self.places));
    }

    /// Compares the answers of all sides to the bit.
    fn check(&mut self, threads: &Threads) {
        self.ours(threads);
        let ours = (self.best.clone(), self.places.clone());
        for method in [Method::SelectNth, Method::Sort] {
            self.peer(threads, method);
            let same_keys = ours.0.iter().zip(&self.best).all(|(a, b)| a.best_first() == b.best_first());
            assert!(
                same_keys && ours.1 == self.places,
                "{method:?} gives another answer: {} k={}",
                K::NAME,
                self.k
            );
        }
    }
}
