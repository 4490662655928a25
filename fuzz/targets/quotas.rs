//! The server's configuration: quotas and tokens, and who may use what by them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use service::server::quota::{Quotas, exceeds};

fuzz_target!(|text: &str| {
    let quotas: Quotas = match text.parse() {
        Ok(quotas) => quotas,
        Err(error) => return assert!(!error.is_empty()),
    };
    // Names that stand in the text, and one that does not.
    let names = text.split(|c: char| !c.is_alphanumeric()).take(16);
    for name in names.chain(["nobody"]) {
        let by_name = quotas.of(name, "0");
        let by_certificate = quotas.of("nobody at all", name);
        for quota in [by_name, by_certificate].into_iter().flatten() {
            assert!(!exceeds(0, quota.bytes));
            assert_eq!(
                exceeds(u64::MAX, quota.jobs),
                ![0, u64::MAX].contains(&quota.jobs)
            );
        }
    }
});
