//! Test support: an independent oracle, the checks, generators, and the matrix of requests that every engine must serve.
//!
//! A test describes a [`Request`](request::Request) as plain data and hands it, with host buffers, to a
//! [`Runner`](runner::Runner). The CPU runner turns it into the typed call a user would write; another engine plugs into
//! the same matrix by implementing the same trait. What comes back is judged by [`check`], which knows the request, the
//! inputs and the [`oracle`], and nothing of the library.

pub mod check;
pub mod cover;
pub mod expected;
pub mod generators;
pub mod harness;
pub mod key;
pub mod layout;
pub mod oracle;
pub mod request;
pub mod runner;
pub mod worked_example;
