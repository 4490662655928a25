//! The vectors in the repository are those of the code, to the last digest.

#[path = "../examples/vectors/committed.rs"]
mod committed;

use std::path::Path;

#[test]
#[ignore = "slow: 2 s"]
fn committed_vectors_are_those_of_the_golden_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/multiplier");
    let all = committed::committed().unwrap();
    assert!(all.len() > 60);
    for (name, text) in all {
        let found = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(
            found == text,
            "{name} differs: cargo run -p blindcore-bignum --example vectors -- vectors/multiplier"
        );
    }
}
