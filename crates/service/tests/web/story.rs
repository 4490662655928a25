//! What the interface is for: from a token to the right answer.

use processor::Program;
use serde_json::json;
use tempfile::TempDir;

use super::*;

/// Two numbers, added.
const SUM: &str =
    ".bits 16\n.data a\n.data b\nmain: LOAD R0, a\n LOAD R1, b\n ADD R0, R0, R1\n STORE R0, a";

fn sum(owner: &mut Owner, a: i128, b: i128) -> Prepared {
    owner.job(SUM.as_bytes(), None, &[("a", &[a]), ("b", &[b])], |_| ())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn from_a_token_to_the_right_answer() {
    let mut server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(1);
    let job = salaries(&mut owner, 1 << 18);

    let about = alice.get("/v1/about").await.found();
    assert_eq!(about["client"], "alice");
    assert_eq!(about["operator"], false);
    assert_eq!(about["used"]["bytes"], 0);
    let hashes = json!({"blake3": [name(&job.program), name(&job.key)]});
    assert_eq!(alice.post("/v1/missing", &hashes).await.found(), hashes);
    let body = alice.upload(&job).await;
    let none = json!({"blake3": []});
    assert_eq!(alice.post("/v1/missing", &hashes).await.found(), none);

    let plan = alice.post("/v1/plan", &body).await.found();
    assert_eq!(plan["end_known"], true, "{plan}");
    assert_eq!(plan["findings"], json!([]));
    let bootstraps = plan["bootstraps"].as_u64().unwrap();
    let lines = plan["lines"].as_array().unwrap();
    let by_line = lines
        .iter()
        .map(|line| line["bootstraps"].as_u64().unwrap());
    assert!(bootstraps > 100);
    assert_eq!(by_line.sum::<u64>(), bootstraps);
    assert!(plan["seconds"].as_f64().unwrap() > 0.0);
    assert!(plan["memory_bytes"].as_u64().unwrap() > 1 << 20);
    let outputs = plan["outputs"].as_array().unwrap();
    let mut outputs: Vec<&str> = outputs
        .iter()
        .map(|o| o["name"].as_str().unwrap())
        .collect();
    outputs.sort_unstable();
    assert_eq!(outputs, ["highest", "mean", "total"]);

    // A client asks whether a selector key would pay before it makes one; a job has to name its own.
    assert_eq!(plan["selectors"], 0);
    let mut body_with = body.clone();
    body_with["with_selectors"] = json!(true);
    let with = alice.post("/v1/plan", &body_with).await.found();
    assert!(with["selectors"].as_u64().unwrap() > 0, "{with}");
    assert!(with["bootstraps"].as_u64().unwrap() < bootstraps, "{with}");
    let refusal = alice.post("/v1/jobs", &body_with).await;
    refusal.refused(400, "INVALID_ARGUMENT", "with_selectors is for plans");

    let id = alice.submit(&body).await;
    let events = alice.get(&format!("/v1/jobs/{id}/events")).await;
    let events = events_of(&events);
    let last = events.last().unwrap();
    assert_eq!(last["state"], "done", "{last}");
    assert_eq!(last["nodes_planned"], last["nodes"]);
    let status = alice.get(&format!("/v1/jobs/{id}")).await.found();
    assert_eq!(&status, last);
    let listed = alice.get("/v1/jobs?limit=5").await.found();
    assert_eq!(listed["jobs"], json!([status]));
    let open = alice.get("/v1/jobs?unfinished=true").await.found();
    assert_eq!(open["jobs"], json!([]));

    let outputs = alice.get(&format!("/v1/jobs/{id}/outputs")).await;
    assert_eq!(outputs.status, 200);
    let length = outputs.headers["content-length"].to_str().unwrap();
    assert_eq!(length, outputs.body.len().to_string());
    assert_eq!(last["outputs_length"], outputs.body.len());
    assert_eq!(outputs.headers["cache-control"], "no-store");
    check_salaries(&owner, &outputs.body);
    let written = alice.get(&format!("/v1/jobs/{id}/written")).await;
    assert_eq!((written.status.as_u16(), written.body.len()), (200, 0));

    let blobs = [name(&job.program), name(&job.inputs), name(&job.key)];
    let forget = json!({"jobs": [id], "blobs": blobs});
    let freed = alice.post("/v1/forget", &forget).await.found();
    assert!(freed["bytes"].as_u64().unwrap() > job.key.len() as u64);
    let about = alice.get("/v1/about").await.found();
    assert_eq!(about["used"]["bytes"], 0);
    server.end().await;
}

/// Names of the body: an entry, wanted outputs, both paths, a stack, variables that nobody gave.
#[tokio::test(flavor = "multi_thread")]
async fn the_body_says_what_a_command_line_says() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(2);
    let job = sum(&mut owner, 300, 77);
    let mut body = alice.upload(&job).await;
    for (field, value) in [
        ("name", json!("a sum")),
        ("entry", json!("main")),
        ("outputs", json!(["a"])),
        ("threads", json!(1)),
        ("branches", json!("both")),
        ("instructions", json!(1000)),
        ("stack", json!(4096)),
        ("default_zero", json!(true)),
    ] {
        body[field] = value;
    }
    let id = alice.submit(&body).await;
    let last = alice.ended(&id).await;
    assert_eq!(
        (&last["state"], &last["name"]),
        (&json!("done"), &json!("a sum")),
        "{last}"
    );
    let outputs = alice.get(&format!("/v1/jobs/{id}/outputs")).await;
    assert_eq!(owner.decrypt(&outputs.body), [("a".to_owned(), vec![377])]);

    // What is missing, unless it may be 0.
    let job = owner.job(SUM.as_bytes(), None, &[("a", &[5])], |_| ());
    let mut body = alice.upload(&job).await;
    let plan = alice.post("/v1/plan", &body).await.found();
    let text = plan["findings"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("b: "), "{text}");
    let id = alice.submit(&body).await;
    let last = alice.ended(&id).await;
    assert_eq!(last["error"]["code"], "INPUT", "{last}");
    let outputs = alice.get(&format!("/v1/jobs/{id}/outputs")).await;
    outputs.refused(409, "FAILED_PRECONDITION", "failed: ");
    body["default_zero"] = json!(true);
    let id = alice.submit(&body).await;
    assert_eq!(alice.ended(&id).await["state"], "done");
}

/// Secret branches are found by a plan with their place, and end a job.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_branch_is_a_finding() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(3);
    let text =
        ".bits 16\n.data a\nmain: LOAD R0, a\n CMP R0, 100\n B_LO end\n STORE R1, a\nend: HALT";
    let job = owner.job(text.as_bytes(), None, &[("a", &[5])], |_| ());
    let mut body = alice.upload(&job).await;
    let plan = alice.post("/v1/plan", &body).await.found();
    assert_eq!(plan["end_known"], false, "{plan}");
    let finding = &plan["findings"][0];
    assert_eq!(finding["line"], 5, "{finding}");
    assert!(finding["address"].is_u64());
    let id = alice.submit(&body).await;
    let last = alice.ended(&id).await;
    assert_eq!(
        (&last["state"], &last["error"]["code"]),
        (&json!("failed"), &json!("SECRET"))
    );
    body["branches"] = json!("both");
    let plan = alice.post("/v1/plan", &body).await.found();
    assert_eq!(
        (&plan["end_known"], &plan["findings"]),
        (&json!(true), &json!([])),
        "{plan}"
    );
    body["branches"] = json!("ask");
    let asked = alice.post("/v1/jobs", &body).await;
    asked.refused(400, "INVALID_ARGUMENT", "`ask`");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_is_one_job() {
    let server = serve(&[], "");
    let alice = Http::new(&server, ALICE);
    let mut owner = Owner::new(4);
    let job = sum(&mut owner, 1, 2);
    let mut body = alice.upload(&job).await;
    body["request_id"] = json!("00112233445566778899aabbccddeeff");
    let first = alice.post("/v1/jobs", &body).await;
    assert_eq!(
        (first.status.as_u16(), &first.json()["repeated_request"]),
        (201, &json!(false))
    );
    let id = first.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(alice.ended(&id).await["state"], "done");
    let again = alice.post("/v1/jobs", &body).await;
    assert_eq!(again.json(), json!({"id": id, "repeated_request": true}));
    // Also when the blobs are gone.
    let blobs = [&job.program, &job.inputs, &job.key].map(|bytes| name(bytes));
    let forget = json!({"blobs": blobs});
    alice.post("/v1/forget", &forget).await.found();
    let again = alice.post("/v1/jobs", &body).await;
    assert_eq!(again.json(), json!({"id": id, "repeated_request": true}));
    body["name"] = json!("another");
    let other = alice.post("/v1/jobs", &body).await;
    other.refused(409, "ALREADY_EXISTS", "request_id");
    // Without one, each is a job of its own.
    body.as_object_mut().unwrap().remove("request_id");
    alice.upload(&job).await;
    assert_ne!(alice.submit(&body).await, alice.submit(&body).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_everybodys_jobs() {
    let server = serve(&[], "");
    let (alice, bob) = (Http::new(&server, ALICE), Http::new(&server, BOB));
    let root = Http::new(&server, ROOT);
    let mut owner = Owner::new(5);
    let job = sum(&mut owner, 1, 2);
    let mut ids = Vec::new();
    for client in [&alice, &bob] {
        let body = client.upload(&job).await;
        let id = client.submit(&body).await;
        client.ended(&id).await;
        ids.push(id);
    }
    let refused = alice.get("/v1/operator/jobs").await;
    refused.refused(403, "PERMISSION_DENIED", "operators");
    assert_eq!(root.get("/v1/about").await.found()["operator"], true);
    let all = root.get("/v1/operator/jobs").await.found();
    let all = all["jobs"].as_array().unwrap();
    let mut seen: Vec<_> = all
        .iter()
        .map(|job| (job["client"].as_str().unwrap(), job["id"].as_str().unwrap()))
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [("alice", ids[0].as_str()), ("bob", ids[1].as_str())]);
    // An operator sees states; what is in a job stays its client's.
    let outputs = root.get(&format!("/v1/jobs/{}/outputs", ids[0])).await;
    outputs.refused(404, "NOT_FOUND", "no job");
}

/// Programs for everybody, and a plan before anybody has encrypted anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_offered_is_planned_by_what_its_source_marks() {
    let directory = TempDir::new().unwrap();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/credit/credit.elf"
    );
    let credit = std::fs::read(path).unwrap();
    std::fs::write(directory.path().join("credit.elf"), &credit).unwrap();
    std::fs::write(directory.path().join("notes"), "no program").unwrap();
    let programs = directory.path().to_str().unwrap();
    let server = serve(&["--web-programs", programs], "");
    let open = Http::open(&server);
    let listed = open.get("/v1/programs").await.found();
    let expected = json!({"name": "credit.elf", "blake3": name(&credit), "length": credit.len()});
    assert_eq!(listed, json!({"programs": [expected]}));
    let bytes = open.get("/v1/programs/credit.elf").await;
    assert_eq!(bytes.headers["content-type"], "application/octet-stream");
    assert_eq!(bytes.body, credit);
    for path in ["notes", "..%2fcredit.elf", "%2e%2e", "credit.elf%00", "%ff"] {
        let found = open.get(&format!("/v1/programs/{path}")).await;
        assert!([400, 404].contains(&found.status.as_u16()), "{path}");
    }
    let alice = Http::new(&server, ALICE);
    alice.put("program", &name(&credit), &credit).await.found();
    let plan = alice
        .post("/v1/plan", &json!({"program": name(&credit)}))
        .await
        .found();
    let marked = Program::load(&credit).unwrap().secret_variables().count();
    assert_eq!(
        plan["bootstraps"].as_u64().unwrap() > 0,
        marked > 0,
        "{plan}"
    );
}
