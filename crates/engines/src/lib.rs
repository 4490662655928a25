//! The joint between circuits and schemes: implementations of [`circuits::Gates`].
//!
//! Circuits know nothing of cryptography and schemes know nothing of circuits; they meet here and
//! nowhere else. One module per engine:
//!
//! | engine | scheme | native operations |
//! |---|---|---|
//! | [`tfhe_gate`] | TFHE, bits as ±1/8 | the gates of the papers, one bootstrap each |
//! | [`bgv`] | BGV, a vector of bits in each ciphertext | AND at a level each, XOR for nearly nothing, no refresh |
//! | [`gentry_halevi`] | Gentry–Halevi, which protects nothing | AND and XOR without a bootstrap, refreshes where noise asks |
//! | [`tfhe_lookup`] | TFHE, sixteen values in the half torus | any number of functions of a weighted sum of bits in one bootstrap |
#![forbid(unsafe_code)]

pub mod bgv;
pub mod gentry_halevi;
pub mod tfhe_gate;
pub mod tfhe_lookup;
mod timing;
