//! What a client is willing to answer.
