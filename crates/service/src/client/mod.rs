//! The client half: what the owner of the secret key needs of the service.
