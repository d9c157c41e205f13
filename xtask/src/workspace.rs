//! Where things are.

use std::path::{Path, PathBuf};

/// The workspace's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Everything about device code that is built or fetched. Fixed, so that other crates' build scripts find it wherever
/// cargo's own target directory is.
pub(crate) fn device_dir() -> PathBuf {
    root().join("target/device")
}
