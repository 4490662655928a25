//! Files on their way: only what is missing goes up, only what was announced comes down.

use std::time::Duration;

use blindcore_service::client::{Blob, Client, ClientError};
use blindcore_service::proto::{BlobHeader, BlobKind, Chunk, JobSpec, Part, chunk};

use super::certificates::{Authority, connect};
use super::deceiver::{Deceiver, JOB};

const PATIENCE: Duration = Duration::from_secs(10);

fn both() -> (Deceiver, Client) {
    let authority = Authority::new();
    let server = Deceiver::start(&authority.server("localhost"));
    let client = connect(server.port(), &authority.client(), PATIENCE).unwrap();
    (server, client)
}

#[test]
fn only_what_is_missing_is_sent_however_often_it_takes() {
    let (server, client) = both();
    // More than two chunks, and not a whole number of them.
    let large: Vec<u8> = (0..2_500_000_u32).map(|i| (i % 251) as u8).collect();
    let known = Blob::new(BlobKind::Program, b"known".to_vec());
    let lacking = Blob::new(BlobKind::Inputs, large.clone());
    {
        let mut script = server.script.lock().unwrap();
        script
            .blobs
            .insert(known.hash().to_vec(), b"known".to_vec());
        script.unavailable.insert("missing", 1);
        script.unavailable.insert("upload", 2);
    }
    let mut last = (0, 0);
    let sent = client.upload_missing(&[&known, &lacking], &mut |sent, of| last = (sent, of));
    assert_eq!(sent.unwrap(), 2_500_000);
    assert_eq!(last, (2_500_000, 2_500_000));
    let script = server.script.lock().unwrap();
    assert_eq!(script.blobs[&lacking.hash().to_vec()], large);
    assert_eq!(script.blobs.len(), 2);
    drop(script);
    let again = client.upload_missing(&[&known, &lacking], &mut |_, _| {});
    assert_eq!(again.unwrap(), 0);
}

#[test]
fn a_server_without_selectors_is_named_before_anything_is_sent() {
    let (server, client) = both();
    let program = Blob::new(BlobKind::Program, b"program".to_vec());
    let selectors = Blob::new(BlobKind::SelectorKey, vec![7; 5_000_000]);
    server.script.lock().unwrap().unknown = Some(BlobKind::SelectorKey);
    let refused = client.upload_missing(&[&program, &selectors], &mut |_, _| {});
    let error = refused.unwrap_err();
    assert!(matches!(error, ClientError::NoSelectors { .. }), "{error}");
    assert!(error.to_string().contains("--no-selectors"), "{error}");
    assert!(server.script.lock().unwrap().blobs.is_empty());
    // What it knows it takes, and what it refuses otherwise is its own words.
    server.script.lock().unwrap().unknown = Some(BlobKind::Program);
    let refused = client.upload_missing(&[&program, &selectors], &mut |_, _| {});
    assert!(matches!(refused, Err(ClientError::Refused { .. })));
    assert_eq!(server.script.lock().unwrap().blobs.len(), 1);
}

#[test]
fn a_submission_is_repeated_under_its_own_id() {
    let (server, client) = both();
    server
        .script
        .lock()
        .unwrap()
        .unavailable
        .insert("submit", 2);
    let spec = JobSpec {
        request_id: vec![7; 16],
        ..JobSpec::default()
    };
    assert_eq!(client.submit(&spec).unwrap().id, JOB);
    assert_eq!(
        server.script.lock().unwrap().submissions,
        vec![vec![7; 16]; 3]
    );
}

fn header(length: u64, content: &[u8]) -> Chunk {
    part(chunk::Part::Header(BlobHeader {
        kind: BlobKind::Outputs.into(),
        blake3: blake3::hash(content).as_bytes().to_vec(),
        length,
    }))
}

fn data(bytes: &[u8]) -> Chunk {
    part(chunk::Part::Data(bytes.to_vec()))
}

fn part(part: chunk::Part) -> Chunk {
    Chunk { part: Some(part) }
}

#[test]
fn a_file_is_what_was_announced() {
    let (server, client) = both();
    let fetch = |file: Vec<Chunk>| {
        server.script.lock().unwrap().file = file;
        client.fetch(JOB, Part::Outputs, 100)
    };
    let whole = vec![header(6, b"abcdef"), data(b"abc"), data(b"def")];
    server.script.lock().unwrap().unavailable.insert("fetch", 1);
    assert_eq!(fetch(whole).unwrap().bytes, b"abcdef");
    for (file, part) in [
        (vec![], "begin with its header"),
        (vec![data(b"abc")], "begin with its header"),
        (vec![header(6, b"abcdef"), data(b"abc")], "is not what"),
        (vec![header(6, b"abcdef"), data(b"abcdeX")], "is not what"),
        (vec![header(6, b"abcdef"), data(b"abcdefg")], "is longer"),
        (vec![header(6, b""), header(6, b"")], "second header"),
        (vec![header(u64::MAX, b""), data(b"a")], "at most 100"),
    ] {
        let error = fetch(file).unwrap_err();
        assert!(matches!(error, ClientError::Protocol { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    // Of the other kind.
    server.script.lock().unwrap().file = vec![header(0, b"")];
    let other = client.fetch(JOB, Part::Written, 100);
    assert!(matches!(other, Err(ClientError::Protocol { .. })));
}

#[test]
fn what_a_server_says_cannot_command_the_terminal() {
    let (_server, client) = both();
    let error = client.status(JOB).unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(
            error,
            ClientError::Refused {
                code: tonic::Code::NotFound,
                ..
            }
        ),
        "{message}"
    );
    assert!(
        message.contains("there is no job") && !message.contains('\x1b'),
        "{message:?}"
    );
}
