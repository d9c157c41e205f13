//! The manual.
pub mod requirements {
    //! Requirements.
}
