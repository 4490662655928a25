//! Everything that is computed here against GMP, on operands that look random and on those that
//! carry far.
mod division;
mod gcd;
mod modulus;
mod operands;
mod products;
mod text;
