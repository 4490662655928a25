//! Circuits on several machines: what every placement keeps, and that shares give what the whole gives.

mod apart;
mod laws;
mod machines;
