//! Models over HTTP, against a server on loopback: what is sent, what is taken, and that nothing takes for ever.

#![expect(clippy::unwrap_used, reason = "clippy allows this in a `#[test]`, but not in what tests share")]

mod over_http;
