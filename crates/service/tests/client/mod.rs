//! The client half against a server that each test directs, over real connections on
//! the loopback: certificates, lost connections, and servers that deceive.

mod certificates;
mod deceiver;
mod files;
mod follow;
