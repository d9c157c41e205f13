use super::{Flags, KernelParams, ValueKind};
use crate::policy::Workspace;

/// A sorted call as the order kernel receives it: the call itself, and where the cluster kernel has left the items' indices.
/// 320 bytes, aligned to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct OrderParams {
    /// The call. The order kernel writes its outputs, unused slots included.
    pub call: KernelParams,
    /// Device address of the workspace, aligned to [`Workspace::ALIGN`].
    pub workspace: u64,
    /// [`Workspace::row_bytes`].
    pub row_bytes: u64,
    /// [`Workspace::items`].
    pub items: u32,
    /// Zero.
    pub reserved: u32,
}

const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<OrderParams>() == 320 && align_of::<OrderParams>() == 8);
    assert!(offset_of!(OrderParams, call) == 0);
    assert!(offset_of!(OrderParams, workspace) == 296);
    assert!(offset_of!(OrderParams, row_bytes) == 304);
    assert!(offset_of!(OrderParams, items) == 312);
    assert!(offset_of!(OrderParams, reserved) == 316);
};

impl OrderParams {
    /// The second launch of `call`, whose workspace lies at the device address `address`.
    #[must_use]
    pub const fn of(call: KernelParams, workspace: Workspace, address: u64) -> Self {
        let Workspace { items, row_bytes } = workspace;
        Self { call, workspace: address, row_bytes, items, reserved: 0 }
    }

    /// The first launch: the same items, in any order, their indices alone, into the rows of the workspace.
    #[must_use]
    pub const fn selection(&self) -> KernelParams {
        let output = Flags::WRITE_KEYS.union(Flags::FILL).union(Flags::SORTED).union(Flags::STABLE);
        KernelParams {
            values_in: 0,
            keys_out: 0,
            values_out: self.workspace,
            output_pitch: self.row_bytes / 4,
            flags: self.call.flags.difference(output),
            payload_bytes: 0,
            value_kind: ValueKind::IndexU32,
            ..self.call
        }
    }
}
