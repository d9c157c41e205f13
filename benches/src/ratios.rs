//! The table of ratios at the end: the peers' time over ours.

use core::fmt;
use std::collections::HashMap;
use std::time::Duration;

/// What is measured, but for how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// `1 thread`, `2 threads`, …
    pub threads: String,
    /// The key type.
    pub key: &'static str,
    /// The distribution.
    pub distribution: &'static str,
    /// `keys` or `keys+indices`.
    pub outputs: &'static str,
    /// Keys per segment.
    pub length: usize,
}

/// Who was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// This library, with the `k` of this position in [`Ratios::new`]'s list.
    Ours(usize),
    /// `select_nth_unstable` and a sort of the k best, likewise.
    SelectNth(usize),
    /// A full sort, whatever the `k`.
    Sort,
}

/// The fastest sample of each measurement: what is least disturbed by whatever else the machine does.
#[derive(Debug)]
pub struct Ratios {
    ks: &'static [&'static str],
    order: Vec<Case>,
    fastest: HashMap<(Case, Who), f64>,
}

impl Ratios {
    /// No measurement yet; `ks` names the columns.
    #[must_use]
    pub fn new(ks: &'static [&'static str]) -> Self {
        Self { ks, order: Vec::new(), fastest: HashMap::new() }
    }

    /// Takes down one sample: `elapsed` for `iterations`.
    pub fn sample(&mut self, case: &Case, who: Who, iterations: u64, elapsed: Duration) {
        if !self.order.contains(case) {
            self.order.push(case.clone());
        }
        let each = elapsed.as_secs_f64() / iterations.max(1) as f64;
        let fastest = self.fastest.entry((case.clone(), who)).or_insert(each);
        if each < *fastest {
            *fastest = each;
        }
    }

    fn ratio(&self, case: &Case, k: usize, peer: Who) -> Option<f64> {
        let of = |who| self.fastest.get(&(case.clone(), who)).copied();
        Some(of(peer)? / of(Who::Ours(k))?)
    }
}

impl fmt::Display for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Ratios: the time of the standard library over ours, fastest samples; above 1 we are faster."
        )?;
        writeln!(
            f,
            "For each k: ours in microseconds, select_nth_unstable + sort of the k best, full sort_unstable.\n"
        )?;
        write!(f, "{:9} {:4} {:12} {:12} {:>7}", "threads", "key", "distribution", "outputs", "n")?;
        self.ks.iter().try_for_each(|k| write!(f, " | {:>26}", format!("k = {k}")))?;
        writeln!(f)?;

        let mut lost = Vec::new();
        let mut all = Vec::new();
        for case in &self.order {
            let Case { threads, key, distribution, outputs, length } = case;
            write!(f, "{threads:9} {key:4} {distribution:12} {outputs:12} {length:>7}")?;
            for (column, k) in self.ks.iter().enumerate() {
                match self.fastest.get(&(case.clone(), Who::Ours(column))) {
                    Some(ours) => write!(f, " | {:>9.1}", ours * 1e6)?,
                    None => write!(f, " | {:>9}", "-")?,
                }
                for (peer, name) in
                    [(Who::SelectNth(column), "select_nth_unstable"), (Who::Sort, "sort_unstable")]
                {
                    let Some(ratio) = self.ratio(case, column, peer) else {
                        write!(f, " {:>8}", "-")?;
                        continue;
                    };
                    all.push(ratio);
                    let mark = if ratio < 1.0 { "!" } else { "" };
                    write!(f, " {:>8}", format!("{mark}{ratio:.2}"))?;
                    if ratio < 1.0 {
                        lost.push(format!(
                            "{ratio:.2} {name}: {threads} {key} {distribution} {outputs} n={length} k={k}"
                        ));
                    }
                }
            }
            writeln!(f)?;
        }

        if all.is_empty() {
            return Ok(());
        }
        let mean = (all.iter().map(|ratio| ratio.ln()).sum::<f64>() / all.len() as f64).exp();
        let least = all.iter().copied().min_by(f64::total_cmp).unwrap_or(1.0);
        writeln!(
            f,
            "\n{} ratios, geometric mean {mean:.2}, least {least:.2}; {} below 1.0",
            all.len(),
            lost.len()
        )?;
        lost.sort();
        lost.iter().try_for_each(|line| writeln!(f, "  below 1.0: {line}"))
    }
}
