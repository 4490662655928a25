//! `blindcore params`: sets, one set, unknown sets.

use serde_json::Value;

use crate::command::Place;

#[test]
fn every_set_is_listed_and_can_be_asked_for_alone() {
    let place = Place::new();
    let overview = place.done(&["params"]);
    let all: Value = serde_json::from_str(&place.done(&["params", "--json"])).unwrap();
    let sets = all["sets"].as_array().unwrap();
    assert!(sets.len() >= 4);
    for set in sets {
        let name = set["name"].as_str().unwrap();
        assert!(overview.contains(name), "{name}");
        let alone = place.done(&["params", name, "--json"]);
        let alone: Value = serde_json::from_str(&alone).unwrap();
        assert_eq!(alone["sets"], Value::Array(vec![set.clone()]));
        assert_eq!(alone["estimator"], all["estimator"]);
    }
}

#[test]
fn names_are_those_of_the_other_commands() {
    let place = Place::new();
    for (asked, name) in [
        ("p16", "P16_BLOCK_128_PFAIL_2M100"),
        ("p16-128-pfail-2m100", "P16_128_PFAIL_2M100"),
        ("p16-uniform", "P16_UNIFORM_128_PFAIL_2M100"),
        ("toy_block", "TOY_BLOCK"),
    ] {
        let detail = place.done(&["params", asked]);
        assert!(detail.starts_with(name), "{detail}");
    }
}

#[test]
fn an_unknown_set_is_an_input_error() {
    let advice = [
        "no parameter set is called p17",
        "`blindcore params` lists them",
    ];
    Place::new().fails(3, &advice, &["params", "p17"]);
}
