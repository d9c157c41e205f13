//! Test support: the oracle and the generators.
