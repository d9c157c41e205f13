//! `device check` and `device sass`.

use super::build;
use super::cuda_tools::CudaTools;
use super::manifest::Module;
use super::ptx::Ptx;
use super::ptxas::{Usage, assemble};
use super::sites::{self, Sites};
use super::target::TARGETS;
use crate::process;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Sites by kernel, by target.
type Expected = BTreeMap<String, BTreeMap<String, Sites>>;

fn expected_path() -> PathBuf {
    workspace::root().join("device/expected-barriers.toml")
}

/// Where machine code goes: apart from the modules, it is for the check alone.
fn cubin_path(module: &Module, arch: &str) -> Result<PathBuf> {
    let directory = workspace::device_dir().join("cubin");
    fs::create_dir_all(&directory)?;
    Ok(directory.join(format!("{}.{arch}.cubin", module.name)))
}

/// Assembles everything and prints a table; fails with all faults found.
pub(crate) fn check(bless: bool) -> Result<()> {
    let manifest = build::build(false)?;
    let tools = CudaTools::fetch()?;
    let mut faults = Vec::new();
    let mut found = Expected::new();
    println!(
        "{:<28} {:>7} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8}",
        "kernel", "arch", "regs", "shared", "stack", "spills", "block", "clus", "instr"
    );
    for module in &manifest.modules {
        let target = TARGETS.iter().find(|target| target.name == module.target);
        let target = target.with_context(|| format!("the manifest names a target {}", module.target))?;
        let text = fs::read_to_string(module.path())?;
        faults.extend(text_faults(module, &text));
        let ptx = Ptx::parse(&text)?;
        for entry in &module.entries {
            // With the functions that it calls, if any were not inlined.
            let alone = ptx.module(&[(&entry.name, String::new())])?;
            found.entry(target.name.to_owned()).or_default().insert(entry.name.clone(), sites::count(&alone));
        }
        for arch in target.assembled_for {
            let cubin = cubin_path(module, arch)?;
            let kernels = assemble(&tools, &module.path(), arch, &cubin)?;
            let codes = codes(&tools, &cubin)?;
            for (name, usage) in kernels {
                faults.extend(usage_faults(&name, arch, usage));
                let of_ptx = found.get(target.name).and_then(|k| k.get(&name));
                let (block, cluster) = of_ptx.map(sites::barriers).unwrap_or_default();
                let code = codes.get(&name).copied().unwrap_or_default();
                let copies = of_ptx.and_then(|sites| sites.get(sites::COPY)).copied().unwrap_or(0);
                if code.copies != copies {
                    faults.push(format!(
                        "{name} ({arch}): bulk copies start at {} sites of the machine code, {copies} of the PTX",
                        code.copies
                    ));
                }
                println!(
                    "{name:<28} {arch:>7} {:>5} {:>6} {:>6} {:>6} {block:>6} {cluster:>6} {:>8}",
                    usage.registers,
                    usage.shared,
                    usage.stack,
                    usage.spill_stores + usage.spill_loads,
                    code.instructions,
                );
            }
        }
    }
    if bless {
        fs::write(expected_path(), HEADER.to_owned() + &toml::to_string(&found)?)?;
        println!("wrote {}", expected_path().display());
    } else {
        faults.extend(changes(&read_expected()?, &found));
    }
    if !faults.is_empty() {
        bail!("{} faults in device code:\n  {}", faults.len(), faults.join("\n  "));
    }
    Ok(())
}

const HEADER: &str = "# Synchronisation sites in each kernel's PTX, by target. Written by `cargo xtask device check --bless`;\n\
                      # a change here is to be explained by one in the kernel's source.\n\n";

fn read_expected() -> Result<Expected> {
    let text = fs::read_to_string(expected_path()).with_context(|| {
        format!("no {}: `cargo xtask device check --bless` writes it", expected_path().display())
    })?;
    Ok(toml::from_str(&text)?)
}

/// Faults that show in the PTX: local memory, and what panics leave. Of each kind the first line, and how many.
fn text_faults(module: &Module, text: &str) -> Vec<String> {
    let mut faults: BTreeMap<&str, (String, u32)> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default().trim();
        let kind = if code.contains(".local") || code.contains("__local_depot") {
            "local memory"
        } else if code.contains("panic") {
            "a panic path"
        } else if code.trim_end_matches(';').ends_with("trap") {
            "a trap"
        } else {
            continue;
        };
        faults.entry(kind).or_insert_with(|| (format!("line {}: {code}", number + 1), 0)).1 += 1;
    }
    let place = format!("{}/{}.ptx", module.target, module.name);
    faults
        .into_iter()
        .map(|(kind, (first, lines))| format!("{place}: {kind} in {lines} lines, first {first}"))
        .collect()
}

/// Kernels that keep a few words in memory between their stages, by the start of their names and of the architecture's, and the most
/// bytes of such loads and stores together. None of them is in a loop that goes over keys: in the assembled code every branch back
/// over one spans more than a thousand instructions, but on sm_120 those of the loops that search for the cutoff among ties, which
/// run once or twice a segment, and push counts to peers. So it is not with the streaming kernels on sm_120, where the loops that
/// place winners, and those of the passes where candidates are too many for a list, have some; the other loops over keys are free
/// of them there, too. The kernels for large k have one load at most in the loop that puts winners (four on sm_120), up to nine in
/// those of passes (29 on sm_120), and were slower with what would have taken them out. Look again before raising a limit.
const COLD_SPILLS: [(&str, &str, u32); 8] = [
    ("cluster_", "sm_", 128),
    ("cluster_64", "sm_120", 160),
    ("portable_64", "sm_120", 160),
    ("stream_", "sm_", 128),
    ("stream_", "sm_120", 720),
    ("large_", "sm_", 400),
    ("large_", "sm_120", 960),
    ("portable_", "sm_", 128),
];

/// Faults that ptxas reports.
fn usage_faults(name: &str, arch: &str, usage: Usage) -> Vec<String> {
    let mut faults = Vec::new();
    let is_known = COLD_SPILLS.iter().any(|&(family, of, bytes)| {
        name.starts_with(family) && arch.starts_with(of) && usage.spill_stores + usage.spill_loads <= bytes
    });
    if is_known {
        return faults;
    }
    if usage.spill_stores + usage.spill_loads > 0 {
        faults.push(format!("{name} ({arch}): spills {} + {} bytes", usage.spill_stores, usage.spill_loads));
    }
    if usage.stack > 0 {
        faults.push(format!("{name} ({arch}): a stack frame of {} bytes", usage.stack));
    }
    faults
}

/// What differs between the sites expected and those found.
fn changes(expected: &Expected, found: &Expected) -> Vec<String> {
    let flat = |all: &Expected| -> BTreeMap<(String, String), Sites> {
        let kernels = all.iter().flat_map(|(target, kernels)| kernels.iter().map(move |k| (target, k)));
        kernels.map(|(target, (name, sites))| ((target.clone(), name.clone()), sites.clone())).collect()
    };
    let (expected, found) = (flat(expected), flat(found));
    let mut keys: Vec<_> = expected.keys().chain(found.keys()).collect();
    keys.sort();
    keys.dedup();
    let differ = keys.into_iter().filter(|key| expected.get(key) != found.get(key));
    differ
        .map(|key| {
            let show = |sites: Option<&Sites>| {
                sites.map_or("no such kernel".to_owned(), |sites| format!("{sites:?}"))
            };
            format!(
                "{} ({}): sites {}, expected {}",
                key.1,
                key.0,
                show(found.get(key)),
                show(expected.get(key))
            )
        })
        .collect()
}

/// What a kernel's machine code consists of.
#[derive(Clone, Copy, Debug, Default)]
struct Code {
    /// Instructions.
    instructions: u32,
    /// Those that start a bulk copy to shared memory.
    copies: u32,
}

/// The machine code per kernel.
fn codes(tools: &CudaTools, cubin: &std::path::Path) -> Result<BTreeMap<String, Code>> {
    let listing = process::stdout(tools.nvdisasm().args(["--print-code"]).arg(cubin))?;
    let mut counts = BTreeMap::<String, Code>::new();
    let mut current = String::new();
    for line in listing.lines() {
        if let Some(name) = section(line) {
            current = name.to_owned();
        } else if line.trim_start().starts_with("/*") && !line.contains("NOP") {
            let code = counts.entry(current.clone()).or_default();
            code.instructions += 1;
            code.copies += u32::from(line.contains(" UBLKCP"));
        }
    }
    Ok(counts)
}

/// The kernel whose code a line starts.
fn section(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix(".section")?.trim_start().strip_prefix(".text.")?.split(',').next()
}

/// Prints the machine code of the entry point `entry`.
pub(crate) fn sass(entry: &str, arch: &str) -> Result<()> {
    let manifest = build::build(false)?;
    let tools = CudaTools::fetch()?;
    let serves = |module: &&Module| {
        let target = TARGETS.iter().find(|target| target.name == module.target);
        target.is_some_and(|target| target.assembled_for.contains(&arch))
            && module.entries.iter().any(|e| e.name == entry)
    };
    let module =
        manifest.modules.iter().find(serves).with_context(|| format!("no kernel {entry} for {arch}"))?;
    let cubin = cubin_path(module, arch)?;
    assemble(&tools, &module.path(), arch, &cubin)?;
    let listing = process::stdout(tools.nvdisasm().arg("--print-code").arg(&cubin))?;
    let mut inside = false;
    for line in listing.lines() {
        if let Some(name) = section(line) {
            inside = name == entry;
        }
        if inside {
            println!("{line}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Expected, Module, changes, text_faults};

    #[test]
    fn local_memory_panics_and_traps_are_faults() {
        let module = Module { target: "sm_90".to_owned(), name: "m".to_owned(), entries: Vec::new() };
        let faults = |text| text_faults(&module, text).len();
        assert_eq!(faults("\tld.shared.u32 %r1, [%r2];\n\tret; // panic, trap\n"), 0);
        assert_eq!(faults("\t.local .align 4 .b8 __local_depot0[32];\n\tst.local.b32 [%rd1], 3;\n"), 1);
        assert_eq!(faults("\tcall.uni _RNvNtC4core9panicking18panic_bounds_check, (param0);\n\ttrap;\n"), 2);
        assert_eq!(faults("@%p1 trap;\n"), 1);
    }

    #[test]
    fn a_changed_new_or_lost_kernel_is_a_fault() {
        let parse = |text: &str| -> Expected { toml::from_str(text).unwrap() };
        let expected = parse("[sm_90.a]\n\"bar.sync\" = 4\n[sm_90.b]\n\"bar.sync\" = 1\n");
        assert_eq!(changes(&expected, &expected).len(), 0);
        let found = parse("[sm_90.a]\n\"bar.sync\" = 5\n[sm_90.c]\n");
        assert_eq!(changes(&expected, &found).len(), 3);
    }
}
