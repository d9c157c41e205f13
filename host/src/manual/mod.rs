//! The manual: what the items' own documentation is too short for.
//!
//! | page | answers |
//! | --- | --- |
//! | [`requirements`] | which items come back, in what order, what is promised, what to write |

pub mod requirements;
