//! What can name or use the owner's key of the gate scheme: the feature `secret`, as
//! [`crate::secret`].

mod key;
mod server_key;

pub use key::GateSecretKey;
#[cfg(test)]
pub(super) use key::phase;
