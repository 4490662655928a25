//! What is refused, with which word, and that nothing is left behind.

use serde_json::json;

use super::*;

const NOBODYS: &str = "00112233445566778899aabbccddeeff";

#[tokio::test(flavor = "multi_thread")]
async fn nobody_calls_without_a_token_that_is_known() {
    let server = serve(&[], "[client.bob]\nrefused = true");
    let paths = [
        ("GET", "/v1/about"),
        ("GET", "/v1/jobs"),
        ("GET", "/v1/jobs/1"),
        ("GET", "/v1/jobs/1/events"),
        ("GET", "/v1/jobs/1/outputs"),
        ("GET", "/v1/jobs/1/written"),
        ("GET", "/v1/operator/jobs"),
        ("POST", "/v1/jobs"),
        ("POST", "/v1/plan"),
        ("POST", "/v1/missing"),
        ("POST", "/v1/forget"),
        ("POST", "/v1/jobs/1/cancel"),
        ("PUT", "/v1/blobs/00?kind=program"),
    ];
    let hash = fingerprint(ALICE);
    for (method, path) in paths {
        for authorization in [
            None,
            Some("Bearer wrong".to_owned()),
            Some("Bearer ".to_owned()),
            Some(format!("Basic {ALICE}")),
            Some(ALICE.to_owned()),
            // What the configuration holds opens nothing.
            Some(format!("Bearer {hash}")),
            Some(format!("Bearer {}", "x".repeat(10_000))),
        ] {
            let mut request = Http::open(&server).request(method, path);
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let request = request.body(Body::empty()).unwrap();
            let answer = Http::open(&server).send(request).await.unwrap();
            answer.refused(401, "UNAUTHENTICATED", "");
            assert_eq!(answer.headers["www-authenticate"], "Bearer");
        }
    }
    // A token in a query is no token, and is not looked at.
    let query = Http::open(&server)
        .get(&format!("/v1/jobs?token={ALICE}"))
        .await;
    query.refused(401, "UNAUTHENTICATED", "token");
    let query = Http::new(&server, ALICE).get("/v1/jobs?token=x").await;
    query.refused(400, "INVALID_ARGUMENT", "\"token\"");
    let refused = Http::new(&server, BOB).get("/v1/about").await;
    refused.refused(403, "PERMISSION_DENIED", "bob is refused");
    // The scheme's case does not matter.
    let request = Http::open(&server).request("GET", "/v1/about");
    let request = request.header("authorization", format!("bearer {ALICE}"));
    let request = request.body(Body::empty()).unwrap();
    Http::open(&server).send(request).await.unwrap().found();
}

#[tokio::test(flavor = "multi_thread")]
async fn others_jobs_and_blobs_are_as_unknown_as_none() {
    let server = serve(&[], "");
    let (alice, bob) = (Http::new(&server, ALICE), Http::new(&server, BOB));
    let mut owner = Owner::new(1);
    let job = salaries(&mut owner, 1 << 18);
    let body = alice.upload(&job).await;
    let id = alice.submit(&body).await;
    alice.ended(&id).await;
    for id in [id.as_str(), NOBODYS, "x", "..", "%00", "é"] {
        let escaped = if id == "é" { "%c3%a9" } else { id };
        for path in ["", "/events", "/outputs", "/written"] {
            let answer = bob.get(&format!("/v1/jobs/{escaped}{path}")).await;
            answer.refused(404, "NOT_FOUND", "");
        }
        let cancel = bob
            .post(&format!("/v1/jobs/{escaped}/cancel"), &json!({}))
            .await;
        cancel.refused(404, "NOT_FOUND", "");
    }
    bob.get("/v1/jobs/%ff")
        .await
        .refused(400, "INVALID_ARGUMENT", "UTF-8");
    assert_eq!(bob.get("/v1/jobs").await.found(), json!({"jobs": []}));
    let hashes = json!({"blake3": [name(&job.program)]});
    assert_eq!(bob.post("/v1/missing", &hashes).await.found(), hashes);
    let submitted = bob.post("/v1/jobs", &body).await;
    submitted.refused(
        409,
        "FAILED_PRECONDITION",
        "program: the server has no blob",
    );
    let plan = bob.post("/v1/plan", &body).await;
    plan.refused(
        409,
        "FAILED_PRECONDITION",
        "program: the server has no blob",
    );
    let forget = bob.post("/v1/forget", &json!({"jobs": [id]})).await;
    forget.refused(404, "NOT_FOUND", "no job");
    let forget = bob
        .post("/v1/forget", &json!({"blobs": [name(&job.key)]}))
        .await;
    forget.refused(404, "NOT_FOUND", "no blob");
    // A certificate's owner of the same name is somebody else, too.
    let mut grpc = server.client("alice").await;
    let theirs = grpc
        .status(blindcore_service::proto::JobId { id: id.clone() })
        .await;
    assert_eq!(theirs.unwrap_err().code(), tonic::Code::NotFound);
    assert_eq!(
        alice.get(&format!("/v1/jobs/{id}")).await.found()["id"],
        id.as_str()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_are_what_they_say() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(2);
    let job = salaries(&mut owner, 1 << 18);
    let key = &job.key;
    let (good, wrong) = (name(key), name(b"other"));
    let put = alice.put("server_key", &wrong, key).await;
    put.refused(400, "INVALID_ARGUMENT", "the content's hash is");
    let put = alice.put("inputs", &good, key).await;
    put.refused(400, "INVALID_ARGUMENT", "this is a server key");
    let put = alice.put("server_key", &name(b""), b"").await;
    put.refused(400, "INVALID_ARGUMENT", "length is 0");
    for kind in ["outputs", "secret_key", "", "unspecified"] {
        let put = alice.put(kind, &good, key).await;
        put.refused(400, "INVALID_ARGUMENT", "kind=");
    }
    for hash in ["00", &good.to_uppercase(), &format!("{good}0")] {
        let put = alice.put("server_key", hash, key).await;
        put.refused(400, "INVALID_ARGUMENT", "BLAKE3");
    }
    // A damaged one: the header's checksum does not fit.
    let mut damaged = key.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let put = alice.put("server_key", &name(&damaged), &damaged).await;
    assert_eq!(put.status, 400);
    let cut = &key[..key.len() - 1];
    let put = alice.put("server_key", &name(cut), cut).await;
    put.refused(400, "INVALID_ARGUMENT", "header says");
    let inputs = [&job.inputs[..], b"more"].concat();
    let put = alice.put("inputs", &name(&inputs), &inputs).await;
    assert_eq!(put.status, 400);
    let put = alice.put("program", &name(b"text"), b"text").await;
    assert_eq!(put.status, 400);
    assert_eq!(server.temporaries(), 0);
    assert_eq!(alice.get("/v1/about").await.found()["used"]["bytes"], 0);

    alice.put("server_key", &good, key).await.found();
    // Again, from memory; and as something else.
    alice.put("server_key", &good, key).await.found();
    let put = alice.put("program", &good, key).await;
    put.refused(409, "ALREADY_EXISTS", "another kind");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_bounded_and_fields_known() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let long = format!("{{\"blake3\":[\"{}\"]}}", "0".repeat(70_000));
    let answer = alice.post_text("/v1/missing", long.clone()).await;
    answer.refused(413, "INVALID_ARGUMENT", "65536");
    // Without a length it is found out on the way.
    let pieces = tokio_stream::iter([Ok::<_, std::io::Error>(long.clone()), Ok(long)]);
    let answer = alice
        .post_text("/v1/missing", Body::from_stream(pieces))
        .await;
    answer.refused(413, "INVALID_ARGUMENT", "65536");
    // A gigabyte is announced, and refused before it comes.
    let path = format!("/v1/blobs/{}?kind=program", name(b"x"));
    let request = alice
        .request("PUT", &path)
        .header("content-length", 1_u64 << 40);
    let answer = alice.send(request.body(Body::empty()).unwrap()).await;
    if let Ok(answer) = answer {
        answer.refused(413, "INVALID_ARGUMENT", "at most");
    }
    let pieces = tokio_stream::iter([Ok::<_, std::io::Error>("x")]);
    let request = alice.request("PUT", &path).body(Body::from_stream(pieces));
    let answer = alice.send(request.unwrap()).await.unwrap();
    answer.refused(411, "INVALID_ARGUMENT", "Content-Length");

    for (path, body, part) in [
        (
            "/v1/missing",
            "{\"blake3\":[],\"more\":1}",
            "unknown field `more`",
        ),
        ("/v1/missing", "{\"blake3\":[1]}", "string"),
        ("/v1/missing", "{\"blake3\":[\"00\"]}", "64 lower-case"),
        ("/v1/missing", "{}", "missing field `blake3`"),
        ("/v1/missing", "[", "EOF"),
        ("/v1/missing", "\u{0}", "the body"),
        ("/v1/forget", "{\"job\":[]}", "unknown field `job`"),
        ("/v1/jobs", "{\"program\":\"00\"}", "program: a BLAKE3"),
        (
            "/v1/jobs",
            "{\"programme\":\"00\"}",
            "unknown field `programme`",
        ),
        (
            "/v1/jobs",
            "{\"program\":\"00\",\"branches\":\"ask\"}",
            "`ask`",
        ),
        ("/v1/jobs", "{\"program\":\"00\",\"threads\":-1}", "-1"),
        (
            "/v1/jobs",
            "{\"program\":\"00\",\"request_id\":\"00\"}",
            "32 lower-case",
        ),
    ] {
        let answer = alice.post_text(path, body).await;
        answer.refused(400, "INVALID_ARGUMENT", part);
    }
    let job = json!({"program": name(b"x")});
    let answer = alice.post("/v1/jobs", &job).await;
    answer.refused(400, "INVALID_ARGUMENT", "inputs is missing");
    let invalid = alice.post_text("/v1/missing", vec![b'"', 0xff, b'"']).await;
    invalid.refused(400, "INVALID_ARGUMENT", "the body");
    let deep = alice.post_text("/v1/missing", "[".repeat(60_000)).await;
    deep.refused(400, "INVALID_ARGUMENT", "the body");
    let many = json!({"blake3": vec![name(b"x"); 900]});
    alice.post("/v1/missing", &many).await.found();
    let many = json!({"jobs": vec!["0"; 1_100]});
    let answer = alice.post("/v1/forget", &many).await;
    answer.refused(400, "INVALID_ARGUMENT", "at most 1024");

    let request = alice
        .request("POST", "/v1/missing")
        .header("content-type", "text/plain");
    let answer = alice
        .send(request.body(Body::from("{\"blake3\":[]}")).unwrap())
        .await;
    answer
        .unwrap()
        .refused(415, "INVALID_ARGUMENT", "application/json");
    for (path, part) in [
        ("/v1/jobs?limit=x", "limit"),
        ("/v1/jobs?unfinished=1", "unfinished"),
        ("/v1/jobs?limit=1&limit=2", "twice"),
        ("/v1/jobs?offset=1", "\"offset\""),
    ] {
        alice.get(path).await.refused(400, "INVALID_ARGUMENT", part);
    }
    alice
        .get("/v1/nothing")
        .await
        .refused(404, "NOT_FOUND", "no such call");
    alice
        .get("/v1")
        .await
        .refused(404, "NOT_FOUND", "no such call");
    alice
        .get("/v1/plan")
        .await
        .refused(405, "UNIMPLEMENTED", "method");
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_cannot_be_are_refused() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(3);
    let job = salaries(&mut owner, 1 << 18);
    let other = salaries(&mut Owner::new(4), 1 << 18);
    let body = alice.upload(&job).await;
    alice
        .put("server_key", &name(&other.key), &other.key)
        .await
        .found();
    for (field, value, word, part) in [
        ("outputs", json!(["nothing"]), 400, "nothing"),
        ("outputs", json!(["total:u99"]), 400, "total"),
        ("outputs", json!(["@/etc/passwd"]), 400, "@/etc/passwd"),
        ("name", json!("a\u{1b}[2J"), 400, "control"),
        ("stack", json!(1), 400, "limits.stack"),
        ("key", json!(name(&job.inputs)), 400, "key: "),
        ("key", json!(name(&other.key)), 400, "key pair"),
        ("inputs", json!(name(&job.key)), 409, "another kind"),
        (
            "selectors",
            json!(name(b"none")),
            409,
            "selectors: the server has no blob",
        ),
        ("program", json!("zz"), 400, "program: a BLAKE3"),
    ] {
        let mut body = body.clone();
        body[field] = value;
        let code = if word == 400 {
            "INVALID_ARGUMENT"
        } else {
            "FAILED_PRECONDITION"
        };
        alice
            .post("/v1/jobs", &body)
            .await
            .refused(word, code, part);
    }
    assert_eq!(alice.get("/v1/jobs").await.found(), json!({"jobs": []}));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn quotas_are_those_of_the_name() {
    let server = serve(
        &[],
        "[client.alice]\nbytes = 4000\n[client.bob]\njobs = 1\ninstructions = 1000000",
    );
    let (alice, bob) = (Http::new(&server, ALICE), Http::new(&server, BOB));
    let mut owner = Owner::new(5);
    let job = salaries(&mut owner, 1 << 18);
    let put = alice.put("server_key", &name(&job.key), &job.key).await;
    put.refused(429, "RESOURCE_EXHAUSTED", "quota of 4000");
    assert!(!put.headers.contains_key("retry-after"));
    let body = bob.upload(&job).await;
    let slow = endless(&mut owner, &bob).await;
    let mut more = body.clone();
    more["instructions"] = json!(1_000_001);
    let refused = bob.post("/v1/jobs", &more).await;
    refused.refused(429, "RESOURCE_EXHAUSTED", "1000000");
    let first = bob.submit(&slow).await;
    let second = bob.post("/v1/jobs", &body).await;
    second.refused(429, "RESOURCE_EXHAUSTED", "its quota is 1");
    assert_eq!(second.headers["retry-after"], "5");
    let cancelled = bob
        .post(&format!("/v1/jobs/{first}/cancel"), &json!({}))
        .await;
    assert_eq!(cancelled.found()["state"], "cancelled");
    let third = bob.submit(&body).await;
    assert_eq!(bob.ended(&third).await["state"], "done");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 6 s"]
async fn a_server_that_stops_takes_nothing_and_ends_its_streams() {
    let server = serve(&["--drain", "5"], "");
    let alice = Http::new(&server, ALICE);
    let body = endless(&mut Owner::new(6), &alice).await;
    let id = alice.submit(&body).await;
    let stream = {
        let (alice, id) = (alice.clone(), id.clone());
        tokio::spawn(async move { alice.get(&format!("/v1/jobs/{id}/events")).await })
    };
    let begin = std::time::Instant::now();
    while alice.get(&format!("/v1/jobs/{id}")).await.found()["state"] == "queued" {
        assert!(begin.elapsed().as_secs() < 60);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    server.stop.send(()).await.unwrap();
    while alice.get("/v1/about").await.found()["draining"] == false {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let submitted = alice.post("/v1/jobs", &body).await;
    submitted.refused(503, "UNAVAILABLE", "stopping");
    assert_eq!(submitted.headers["retry-after"], "5");
    let put = alice.put("program", &name(SALARIES), SALARIES).await;
    put.refused(503, "UNAVAILABLE", "stopping");
    // Who follows the job hears that it goes on later, and the server does not wait for them.
    let events = tokio::time::timeout(std::time::Duration::from_secs(30), stream).await;
    let events = String::from_utf8(events.unwrap().unwrap().body).unwrap();
    let last = events.trim_end().rsplit("\n\n").next().unwrap();
    assert!(last.starts_with("event: error\n"), "{last}");
    assert!(last.contains("\"code\":\"UNAVAILABLE\""), "{last}");
    let server = server.restart_after_stop(&["--web", "127.0.0.1:0"]).await;
    let alice = Http::new(&server, ALICE);
    let status = alice.get(&format!("/v1/jobs/{id}")).await.found();
    assert!(
        status["state"] == "queued" || status["state"] == "running",
        "{status}"
    );
    let cancelled = alice
        .post(&format!("/v1/jobs/{id}/cancel"), &json!({}))
        .await;
    assert_eq!(cancelled.found()["state"], "cancelled");
}
