//! Clients that do not keep to anything: the server answers the others meanwhile.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// Sends bytes and gives what comes back until the end, or until a second has passed in silence.
async fn raw(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    let second = Duration::from_secs(1);
    while let Ok(Ok(count @ 1..)) = tokio::time::timeout(second, stream.read(&mut buffer)).await {
        answer.extend_from_slice(&buffer[..count]);
    }
    answer
}

fn head(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    text.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 3 s"]
async fn malformed_requests_end_their_connection_only() {
    let server = serve(&[], "");
    let address = server.web.unwrap();
    let large = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n",
        "y".repeat(100_000)
    );
    let many = format!(
        "GET / HTTP/1.1\r\nHost: x\r\n{}\r\n",
        "A: b\r\n".repeat(1_000)
    );
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "y".repeat(100_000));
    let cases: [&[u8]; 12] = [
        b"",
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET \xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/about HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\xfe\r\n\r\n",
        b"PUT /v1/missing HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /v1/missing HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        large.as_bytes(),
        many.as_bytes(),
        long.as_bytes(),
    ];
    for bytes in cases {
        let line = head(&raw(address, bytes).await);
        let refused = line.is_empty() || line.contains(" 4") || line.contains(" 5");
        assert!(
            refused,
            "{line} for {}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(60)])
        );
    }
    Http::new(&server, ALICE).get("/v1/about").await.found();
}

/// The clock is a real one: heads may take 20 s.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a hundred slow clients, 25 s"]
async fn slow_heads_are_given_up_and_others_are_served() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let begin = Instant::now();
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(alice.address).await.unwrap();
        stream
            .write_all(b"GET /v1/about HTTP/1.1\r\n")
            .await
            .unwrap();
        slow.push(stream);
    }
    while begin.elapsed() < Duration::from_secs(22) {
        for stream in &mut slow {
            let _ = stream.write_all(b"X: y\r\n").await;
        }
        alice.get("/v1/about").await.found();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    for stream in &mut slow {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut rest));
        assert!(ended.await.is_ok(), "a slow head is still waited for");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn too_many_connections_are_closed_and_room_comes_back() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut open = Vec::new();
    for _ in 0..300 {
        open.push(TcpStream::connect(alice.address).await.unwrap());
    }
    // There is room for 256, and for sixteen more of administrators.
    let begin = Instant::now();
    while open.len() > 272 {
        let mut left = Vec::new();
        for mut stream in open {
            let wait = Duration::from_millis(2);
            let read = tokio::time::timeout(wait, stream.read(&mut [0])).await;
            if read.is_err() {
                left.push(stream);
            }
        }
        open = left;
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "{} open",
            open.len()
        );
    }
    assert!(open.len() >= 250, "{} open", open.len());
    drop(open);
    let begin = Instant::now();
    loop {
        let request = alice
            .request("GET", "/v1/about")
            .body(Body::empty())
            .unwrap();
        if let Ok(answer) = alice.send(request).await {
            answer.found();
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Connections that wait for a head have room only as long as nobody needs it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn connections_at_rest_make_room() {
    let server = serve(&[], "[connections]\nweb = 20");
    let alice = Http::new(&server, ALICE);
    let mut resting = Vec::new();
    for _ in 0..20 {
        resting.push(TcpStream::connect(alice.address).await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    for _ in 0..3 {
        alice.get("/v1/about").await.found();
    }
}

/// By TLS, who says nothing is a stranger, and has no place of others.
#[tokio::test(flavor = "multi_thread")]
async fn strangers_of_http_do_not_shut_others_out() {
    let limits = "[connections]\nweb = 20\nhandshakes = 16\n[client.bob]\nrefused = true";
    let server = serve(&["--web-tls"], limits);
    let address = server.web.unwrap();
    let mut held = Vec::new();
    for _ in 0..100 {
        held.push(TcpStream::connect(address).await.unwrap());
    }
    let alice = Http::open(&server).with_tls(&server.tls("alice"), true);
    alice.get("/v1/about").await.found();
    // A certificate that is refused is refused in the handshake, with a good token, too.
    let bob = Http::new(&server, ALICE).with_tls(&server.tls("bob"), true);
    let request = bob.request("GET", "/v1/about").body(Body::empty()).unwrap();
    assert!(bob.send(request).await.is_err());
}

/// A body that ends early leaves no file, no room taken and no place among the uploads.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(1);
    let job = salaries(&mut owner, 1 << 18);
    let (key, hash) = (&job.key, name(&job.key));
    for round in 0..20 {
        let mut stream = TcpStream::connect(alice.address).await.unwrap();
        let head = format!(
            "PUT /v1/blobs/{hash}?kind=server_key HTTP/1.1\r\nHost: x\r\n\
             Authorization: Bearer {ALICE}\r\nContent-Length: {}\r\n\r\n",
            key.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let half = key.len() * round / 20;
        stream.write_all(&key[..half]).await.unwrap();
        drop(stream);
    }
    let begin = Instant::now();
    while server.temporaries() > 0 || alice.get("/v1/about").await.found()["used"]["bytes"] != 0 {
        assert!(begin.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    alice.put("server_key", &hash, key).await.found();
}

/// Who opens streams and goes away holds nothing.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 4 s"]
async fn streams_that_are_left_are_given_back() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(2);
    let job = salaries(&mut owner, 1 << 18);
    let body = alice.upload(&job).await;
    let id = alice.submit(&body).await;
    for _ in 0..3 {
        let mut open = Vec::new();
        for _ in 0..200 {
            let mut stream = TcpStream::connect(alice.address).await.unwrap();
            let request = format!(
                "GET /v1/jobs/{id}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            open.push(stream);
        }
        drop(open);
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(alice.ended(&id).await["state"], "done");
    let outputs = alice.get(&format!("/v1/jobs/{id}/outputs")).await;
    check_salaries(&owner, &outputs.body);
}

/// A client whose token is good does not have all connections, nor all calls.
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_a_token_are_counted() {
    for (limits, part) in [
        ("web = 8", "4 calls over HTTP of this client"),
        ("calls = 4", "4 calls of this client"),
    ] {
        let server = serve(&[], &format!("[connections]\n{limits}"));
        let (alice, bob) = (Http::new(&server, ALICE), Http::new(&server, BOB));
        let body = endless(&mut Owner::new(5), &alice).await;
        let id = alice.submit(&body).await;
        let mut streams = Vec::new();
        for _ in 0..4 {
            let mut stream = TcpStream::connect(alice.address).await.unwrap();
            let request = format!(
                "GET /v1/jobs/{id}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            // It runs.
            assert!(stream.read(&mut [0; 100]).await.unwrap() > 0);
            streams.push(stream);
        }
        let next = alice.get("/v1/about").await;
        next.refused(503, "UNAVAILABLE", part);
        assert!(next.headers.contains_key("retry-after"));
        bob.get("/v1/about").await.found();
        // They are given back with their answers.
        drop(streams);
        let begin = Instant::now();
        while alice.get("/v1/about").await.status != 200 {
            assert!(begin.elapsed() < Duration::from_secs(20));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// What is left of a body that is refused is not waited for: only who sends it at once reads why.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 5 s"]
async fn a_refused_upload_is_not_waited_for() {
    let server = serve(&[], "");
    let mut stream = TcpStream::connect(server.web.unwrap()).await.unwrap();
    let head = format!(
        "PUT /v1/blobs/{}?kind=nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n\
         Content-Length: 1000\r\n\r\n",
        "0".repeat(64)
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut buffer = [0; 4096];
    let answer = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buffer));
    let count = answer.await.expect("it waits for the body").unwrap();
    let answer = String::from_utf8_lossy(&buffer[..count]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

/// Nobody else waits for a long plan, and nothing goes on when its client is gone.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn a_plan_ends_with_its_client() {
    let server = serve(&[], "");
    let (alice, bob) = (Http::new(&server, ALICE), Http::new(&server, BOB));
    let mut owner = Owner::new(3);
    let body = endless(&mut owner, &alice).await;
    let short = salaries(&mut owner, 1 << 18);
    let own = alice.upload(&short).await;
    let quick = bob.upload(&short).await;
    let text = body.to_string();
    let request = format!(
        "POST /v1/plan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    let mut stream = TcpStream::connect(alice.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let second = alice.post("/v1/plan", &body).await;
    second.refused(503, "UNAVAILABLE", "1 plans");
    let plan = bob.post("/v1/plan", &quick).await.found();
    assert_eq!(plan["end_known"], true);
    drop(stream);
    // Well before the plan would be given up.
    let begin = Instant::now();
    loop {
        let answer = alice.post("/v1/plan", &own).await;
        if answer.status == 200 {
            break;
        }
        answer.refused(503, "UNAVAILABLE", "1 plans");
        let waited = begin.elapsed();
        assert!(waited < Duration::from_secs(10), "it plans for nobody");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a plan that is given up, 22 s"]
async fn a_plan_ends_in_time() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let body = endless(&mut Owner::new(4), &alice).await;
    let late = alice.post("/v1/plan", &body).await;
    late.refused(409, "FAILED_PRECONDITION", "planning took longer");
}

/// Pages that nobody takes are given up, and their connections with them.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "clients that take nothing, 65 s"]
async fn answers_that_nobody_takes_are_given_up() {
    let directory = tempfile::TempDir::new().unwrap();
    std::fs::write(directory.path().join("index.html"), vec![b' '; 50 << 20]).unwrap();
    let server = serve(&["--web-app", directory.path().to_str().unwrap()], "");
    let address = server.web.unwrap();
    let mut greedy = Vec::new();
    for _ in 0..250 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        greedy.push(stream);
    }
    let alice = Http::new(&server, ALICE);
    alice.get("/v1/about").await.found();
    tokio::time::sleep(Duration::from_secs(63)).await;
    // All of them are gone: as many find room again.
    let mut others = Vec::new();
    for _ in 0..250 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let mut byte = [0];
        let closed = tokio::time::timeout(Duration::from_millis(20), stream.read(&mut byte)).await;
        assert!(closed.is_err(), "connection {} has no room", others.len());
        others.push(stream);
    }
}
