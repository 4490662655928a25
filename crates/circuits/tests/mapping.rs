//! What technology mapping saves, as a snapshot (`mapping_counts.txt`): every functional unit, and
//! some circuits that are no unit, written in plain gates of two inputs, then mapped into lookups,
//! beside the form that an author who knows of lookups would write.

// What fails to unwrap here fails the test, outside `#[test]` functions too.
mod netlists;
mod snapshot;
