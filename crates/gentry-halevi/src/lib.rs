//! The homomorphic scheme of Gentry and Halevi (Eurocrypt 2011) over principal ideals of
//! `Z[x]/(x^n + 1)`: bits are encrypted as residues modulo one integer of some hundred thousand bits,
//! and everything that is computed on them is a sum or a product modulo it.
//!
//! It is a reproduction of history and **protects nothing**: the problem that it rests on, finding a
//! short generator of a principal ideal, is solved in quantum polynomial time and in classical time
//! below exponential, and the small dimensions were broken by lattice reduction in practice.
#![forbid(unsafe_code)]
