//! Synchronisation sites: how often each synchronising instruction stands in a kernel's PTX.
//!
//! The compiler must not duplicate them, and a bulk copy in an unrolled loop is a known cause of slow code: the counts
//! are kept in a file, and a change is a decision.

use std::collections::BTreeMap;

/// What starts a bulk copy.
pub(crate) const COPY: &str = "cp.async.bulk";

/// Instructions counted, by their first words; the longest that fits names the site.
const COUNTED: &[&str] = &[
    "bar.arrive",
    "bar.red",
    "bar.sync",
    "bar.warp.sync",
    "barrier.arrive",
    "barrier.cluster.arrive",
    "barrier.cluster.wait",
    "barrier.red",
    "barrier.sync",
    COPY,
    "cp.async.bulk.prefetch",
    "elect.sync",
    "fence",
    "griddepcontrol",
    "mbarrier.arrive",
    "mbarrier.init",
    "mbarrier.inval",
    "mbarrier.try_wait",
];

/// Of these a table's reader wants the sum: barriers of a block, of a cluster.
const BLOCK: &[&str] =
    &["bar.arrive", "bar.red", "bar.sync", "barrier.arrive", "barrier.red", "barrier.sync"];
const CLUSTER: &[&str] = &["barrier.cluster.arrive", "barrier.cluster.wait"];

/// How often each instruction occurs.
pub(crate) type Sites = BTreeMap<String, u32>;

/// Counts the sites in `text`.
pub(crate) fn count(text: &str) -> Sites {
    let mut sites = Sites::new();
    for word in text.lines().filter_map(instruction) {
        let fits = |name: &&&str| {
            word.strip_prefix(**name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if let Some(name) = COUNTED.iter().filter(fits).max_by_key(|name| name.len()) {
            *sites.entry((*name).to_owned()).or_default() += 1;
        }
    }
    sites
}

/// The instruction on a line, behind its guard, without its operands.
fn instruction(line: &str) -> Option<&str> {
    let line = line.split("//").next().unwrap_or_default().trim_start();
    let line =
        if line.starts_with('@') { line.split_once(char::is_whitespace)?.1.trim_start() } else { line };
    line.split([' ', '\t', ';']).next().filter(|word| !word.is_empty())
}

/// The barrier sites of a block and of a cluster.
pub(crate) fn barriers(sites: &Sites) -> (u32, u32) {
    let sum = |names: &[&str]| names.iter().filter_map(|name| sites.get(*name)).sum();
    (sum(BLOCK), sum(CLUSTER))
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_instructions_not_mentions() {
        let sites = super::count(
            "\tbar.sync \t0;\n\t// bar.sync\n@%p1 bar.sync 0;\n\tbar.warp.sync -1;\nbarrier.cluster.arrive.aligned;\n\
             \tmov.b32 %r1, bar.sync;\n",
        );
        let found: Vec<_> = sites.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        assert_eq!(found, [("bar.sync", 2), ("bar.warp.sync", 1), ("barrier.cluster.arrive", 1)]);
    }
}
