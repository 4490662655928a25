//! Functional units.
