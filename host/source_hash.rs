//! A hash over sources, by which what was built from them is told from what was not. It stands alone, so that build scripts
//! can include it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What device code is made of, relative to the workspace's root.
const DEVICE: &[&str] = &["abi/Cargo.toml", "abi/src", "device/Cargo.toml", "device/src"];

/// The hash of what device code is made of; `root` is the workspace's.
pub(crate) fn source_hash(root: &Path) -> io::Result<String> {
    hash_of(root, DEVICE)
}

/// The hash of files and folders under `root`, as 16 hexadecimal digits: 64-bit FNV-1a over every file in the order of the
/// paths; of each the path (with `/`), a zero byte, the length as 8 little-endian bytes, and the contents.
pub(crate) fn hash_of(root: &Path, sources: &[&str]) -> io::Result<String> {
    let mut files = Vec::new();
    for source in sources {
        collect(root, Path::new(source), &mut files)?;
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for (name, path) in files {
        let contents = fs::read(path)?;
        fnv(&mut hash, name.as_bytes());
        fnv(&mut hash, &[0]);
        fnv(&mut hash, &(contents.len() as u64).to_le_bytes());
        fnv(&mut hash, &contents);
    }
    Ok(format!("{hash:016x}"))
}

fn fnv(hash: &mut u64, bytes: &[u8]) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
}

fn collect(root: &Path, relative: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let path = root.join(relative);
    if !path.is_dir() {
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        files.push((parts.join("/"), path));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(root, &relative.join(entry?.file_name()), files)?;
    }
    Ok(())
}
