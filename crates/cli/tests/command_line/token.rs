//! `blindcore token`: a token for one, its hash for the other.

use super::command::Place;

#[test]
fn a_token_goes_one_way_and_its_hash_another() {
    let place = Place::new();
    let made = place.run(&["token", "alice"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let token = made.out.strip_suffix('\n').unwrap();
    let digits = token.strip_prefix("bc_").unwrap();
    assert_eq!((token.lines().count(), digits.len()), (1, 64));
    assert!(!made.err.contains(digits), "{made:?}");
    let hash = service::token::fingerprint(token);
    assert_eq!(
        made.err,
        format!("[token.\"alice\"]\nsha256 = \"{hash}\"\n")
    );
    let again = place.run(&["token", "a.b", "--operator"]);
    assert_ne!(again.out, made.out);
    assert!(again.err.ends_with("operator = true\n"), "{again:?}");
    // What is printed is what the server reads, one section behind another.
    let config = format!("[quota]\njobs = 3\n{}{}", made.err, again.err);
    let quotas: Result<service::server::quota::Quotas, String> = config.parse();
    quotas.unwrap();
    assert!(place.names().is_empty());
    place.fails(3, &["cannot be a client's name"], &["token", "a b"]);
    place.fails(3, &["cannot be a client's name"], &["token", ""]);
}

/// A server tells a wrong way to listen before it makes anything.
#[test]
fn a_server_that_would_be_read_along_does_not_start() {
    let place = Place::new();
    place.done(&["tls", "init", "tls"]);
    let line = ["serve", "--dir", "data", "--tls", "tls/server", "--web"];
    let with = |rest: &[&'static str]| [&line[..], rest].concat();
    place.fails(2, &["--web-tls", "--web-plain"], &with(&["0.0.0.0:0"]));
    let app = with(&["127.0.0.1:0", "--web-app", "nowhere"]);
    place.fails(10, &["nowhere: "], &app);
}
