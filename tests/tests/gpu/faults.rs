//! Faulty kernels, one for each tool of compute-sanitizer: a tool that does not report its own proves nothing by silence.

use cluster_topk::cudarc::driver::{CudaContext, DriverError, result};
use core::ffi::c_void;
use std::ffi::CString;
use std::process::ExitCode;

/// Each kernel is given the address of 64 words, of which nothing is initialised.
const KERNELS: &str = "
.version 7.0
.target sm_80
.address_size 64

// Each thread writes the word behind the last one.
.visible .entry oob(.param .u64 words)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [words];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd2+256], %r1;
    ret;
}

// Each thread writes a word of shared memory and reads that of the other warp, with no barrier in between.
.visible .entry race(.param .u64 words)
{
    .shared .align 4 .b32 shared[64];
    .reg .b64 %rd<5>;
    .reg .b32 %r<8>;
    ld.param.u64 %rd1, [words];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, shared;
    shl.b32 %r3, %r1, 2;
    add.u32 %r4, %r2, %r3;
    st.volatile.shared.u32 [%r4], %r1;
    xor.b32 %r5, %r3, 128;
    add.u32 %r6, %r2, %r5;
    ld.volatile.shared.u32 %r7, [%r6];
    cvt.u64.u32 %rd3, %r3;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r7;
    ret;
}

// Each thread adds one to its word.
.visible .entry uninit(.param .u64 words)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [words];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd4], %r3;
    ret;
}

// Every lane waits at a warp barrier whose mask has half of them, then all but the last 16 threads at one for the whole block.
.visible .entry sync(.param .u64 words)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<2>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [words];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    bar.warp.sync 65535;
    setp.gt.u32 %p1, %r1, 47;
    @%p1 bra DONE;
    bar.sync 0;
    st.global.u32 [%rd4], %r1;
DONE:
    ret;
}
";

/// Launches the faulty kernel `name`. Without a sanitizer it does no harm.
pub(crate) fn launch(name: &str) -> ExitCode {
    if !["oob", "race", "uninit", "sync"].contains(&name) {
        eprintln!("there is no canary `{name}`: oob, race, uninit and sync are");
        return ExitCode::from(2);
    }
    // Asks for the driver library before anything of it is called.
    if let Err(reason) = cluster_topk::Gpu::new(0) {
        eprintln!("no canary without a GPU: {reason}");
        return ExitCode::from(3);
    }
    match faulty(name) {
        Ok(()) => println!("canary `{name}` ran"),
        // memcheck makes the launch fail, as it should.
        Err(error) => println!("canary `{name}` ran and failed: {error}"),
    }
    ExitCode::SUCCESS
}

fn faulty(name: &str) -> Result<(), DriverError> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let text = |s: &str| CString::new(s).expect("there is no zero byte in it");
    let image = text(KERNELS);
    // SAFETY: the image is PTX that ends in a zero byte.
    let module = unsafe { result::module::load_data(image.as_ptr().cast()) }?;
    // SAFETY: the module was loaded just now and is never unloaded.
    let kernel = unsafe { result::module::get_function(module, text(name)) }?;
    // SAFETY: a context is current. That nothing is initialised is the point of `uninit`.
    let mut words = unsafe { result::malloc_sync(64 * 4) }?;
    let mut arguments = [(&raw mut words).cast::<c_void>()];
    // SAFETY: the argument is what the kernels expect. `oob` writes into the same page, where no other buffer lies.
    unsafe { result::launch_kernel(kernel, (1, 1, 1), (64, 1, 1), 0, stream.cu_stream(), &mut arguments) }?;
    stream.synchronize()
}
