//! What becomes of a call with a wrong workspace: the typed error, and nothing written.

use super::device::Device;
use super::errors::Buffers;
use super::harness::{Outcome, Tests};
use cluster_topk::cudarc::driver::{CudaContext, DevicePtr};
use cluster_topk::gpu::DeviceViewMut;
use cluster_topk::prelude::*;
use cluster_topk::{BufferName, Error};
use cluster_topk_abi::policy::SortedBy;

pub(crate) fn add(tests: &mut Tests) {
    tests.add_skippable("errors::a_wrong_workspace", workspace);
}

/// A workspace that is missing, too small, misaligned, another's, or somewhere else.
fn workspace(device: &'static Device) -> Outcome {
    device.has_clusters()?;
    // More than the cluster kernel sorts by itself.
    const K: usize = SortedBy::WITHOUT_WORKSPACE_UP_TO as usize + 64;
    let mut b = Buffers::new(device);
    b.keys_out = device.stream().clone_htod(&vec![7.0; K]).expect("the GPU has room");
    let env = || Env::gpu(device.runner.gpu().clone());
    let stream = device.stream();
    let long = stream.alloc_zeros::<f32>(20_000).expect("the GPU has room");
    let bytes = max_keys(&long, K, &mut b.keys_out).workspace_bytes(&env()).expect("it is served");
    assert!(bytes >= 4 * K && bytes.is_multiple_of(4));
    // Neither a plan nor what can be prepared depends on it.
    let request = max_keys(&long, K, &mut b.keys_out);
    assert!(
        request.plan(&env()).expect("it is served").to_string().contains(&format!("workspace {bytes} bytes"))
    );
    request.prepare(&env()).expect("it is served");
    assert_eq!(request.run(&env()), Err(Error::WorkspaceMissing { required: bytes as u64 }));
    b.untouched();

    let mut small = stream.alloc_zeros::<u8>(bytes - 1).expect("the GPU has room");
    let given = max_keys(&long, K, &mut b.keys_out).workspace(&mut small).run(&env());
    let (required, short) = (bytes as u128, bytes as u128 - 1);
    let buffer = BufferName::Workspace;
    assert_eq!(given, Err(Error::BufferTooShort { buffer, required, given: short }));
    b.untouched();

    let room = stream.alloc_zeros::<u8>(bytes + 16).expect("the GPU has room");
    let addresses = [room.device_ptr(stream).0, long.device_ptr(stream).0, b.keys_out.device_ptr(stream).0];
    let [address, keys, keys_out] = addresses;
    for off in [1, 4, 8] {
        let given = max_keys(&long, K, &mut b.keys_out).workspace(room_at(address + off, bytes)).run(&env());
        assert_eq!(given, Err(Error::Unaligned { buffer, address: address + off, required: 16 }));
    }
    let shared = |first, second| Err(Error::Overlap { first, second });
    let given = max_keys(&long, K, &mut b.keys_out).workspace(room_at(keys + 1600, bytes)).run(&env());
    assert_eq!(given, shared(BufferName::Workspace, BufferName::Keys));
    let given = max_keys(&long, K, &mut b.keys_out).workspace(room_at(keys_out, bytes)).run(&env());
    assert_eq!(given, shared(BufferName::KeysOut, BufferName::Workspace));

    let other = CudaContext::new_non_primary(0, 0).expect("a second context can be made");
    let elsewhere = other.default_stream();
    let mut room = elsewhere.alloc_zeros::<u8>(bytes).expect("the GPU has room");
    elsewhere.synchronize().expect("the GPU failed");
    let given = max_keys(&long, K, &mut b.keys_out).workspace(&mut room).run(&env());
    assert_eq!(given, Err(Error::WrongDevice { buffer }));
    b.untouched();

    // Where none is needed, none is looked at.
    let unsorted = env().require((GpuToGpu, PreferSmallerIndex, Unsorted));
    for keys in [&long, &b.keys] {
        let request = max_indices(keys, 4, &mut b.indices_out);
        assert_eq!(request.workspace_bytes(&unsorted), Ok(0));
        assert_eq!(request.workspace(&mut room).run(&unsorted), Ok(()));
    }
    assert_eq!(max_indices(&long, 1, &mut b.indices_out).workspace_bytes(&env()), Ok(0));
    assert_eq!(max_indices(&b.keys, 4, &mut b.indices_out).workspace_bytes(&env()), Ok(0));
    Ok(())
}

fn room_at<'a>(address: u64, bytes: usize) -> DeviceViewMut<'a, u8> {
    // SAFETY: the caller's buffers hold as many bytes, and a wrong address is refused before anything is written.
    unsafe { DeviceViewMut::from_raw(address, bytes) }
}
