//! The noise of every step of a gate at the real parameters, measured against
//! [`super::noise`] from both sides.
