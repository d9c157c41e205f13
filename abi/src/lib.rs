//! What the host library and the device kernels must agree on.
#![no_std]
#![forbid(unsafe_code)]
