//! `blindcore tls`: what it makes, and what it leaves alone.

use super::command::Place;

/// Names below a directory, sorted.
fn below(place: &Place, directory: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(place.path(directory))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
fn mode(place: &Place, name: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(place.path(name))
        .unwrap()
        .permissions()
        .mode()
        & 0o777
}

#[test]
fn an_authority_a_server_and_clients() {
    let place = Place::new();
    place.done(&[
        "tls",
        "init",
        "ca",
        "--host",
        "blind.example",
        "--host",
        "10.1.2.3",
        "--client",
        "alice",
        "--client",
        "bob",
    ]);
    assert_eq!(
        below(&place, "ca"),
        ["alice", "bob", "ca.key", "ca.pem", "server"]
    );
    for side in ["alice", "bob", "server"] {
        assert_eq!(
            below(&place, &format!("ca/{side}")),
            ["ca.pem", "cert.pem", "key.pem"]
        );
        assert_eq!(
            place.read(&format!("ca/{side}/ca.pem")),
            place.read("ca/ca.pem")
        );
        #[cfg(unix)]
        assert_eq!(mode(&place, &format!("ca/{side}/key.pem")), 0o600);
    }
    #[cfg(unix)]
    assert_eq!(mode(&place, "ca/ca.key"), 0o600);
    let told = place.done(&["tls", "client", "ca", "carol"]);
    assert!(told.contains("ca/carol"), "{told}");
    assert!(!told.contains("admin"), "{told}");
    let told = place.done(&["tls", "client", "ca", "dora", "--admin"]);
    assert!(
        told.contains("[client.") && told.ends_with("admin = true\n"),
        "{told}"
    );
    assert_eq!(below(&place, "ca/carol"), ["ca.pem", "cert.pem", "key.pem"]);
    assert_ne!(
        place.read("ca/carol/key.pem"),
        place.read("ca/alice/key.pem")
    );
}

#[test]
fn certificates_are_never_replaced() {
    let place = Place::new();
    place.done(&["tls", "init", "ca"]);
    let (key, client) = (place.read("ca/ca.key"), place.read("ca/client/key.pem"));
    place.fails(10, &["ca: exists already"], &["tls", "init", "ca"]);
    place.fails(
        10,
        &["ca/client: exists already"],
        &["tls", "client", "ca", "client"],
    );
    assert_eq!(place.read("ca/ca.key"), key);
    assert_eq!(place.read("ca/client/key.pem"), client);
}

#[test]
fn wrong_names_make_nothing() {
    let place = Place::new();
    for name in ["../up", "a b", "", ".hidden", "server", "ca.key"] {
        place.fails(
            3,
            &["cannot be a client's name"],
            &["tls", "init", "ca", "--client", name],
        );
    }
    place.fails(
        3,
        &["alice is named twice"],
        &[
            "tls", "init", "ca", "--client", "alice", "--client", "alice",
        ],
    );
    place.fails(
        3,
        &["neither a name nor an address"],
        &["tls", "init", "ca", "--host", "naïve"],
    );
    place.fails(10, &["nowhere/ca.pem"], &["tls", "client", "nowhere", "x"]);
    place.write("ca.pem", "");
    place.write("ca.key", "not a key");
    place.fails(4, &["no authority's key"], &["tls", "client", ".", "x"]);
}
