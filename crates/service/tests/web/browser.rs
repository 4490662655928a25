//! What a browser needs to be told: which pages may call, what the page may do.

use tempfile::TempDir;

use super::*;

const OTHER: &str = "https://other.example";
const EVIL: &str = "https://evil.example";

async fn from(http: &Http, method: &str, path: &str, origin: &str, asks: bool) -> Answer {
    let mut request = http.request(method, path).header("origin", origin);
    if asks {
        request = request
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization");
    }
    http.send(request.body(Body::empty()).unwrap())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_call_where_they_are_named_and_nowhere_else() {
    let server = serve(&["--web-origin", OTHER], "");
    let open = Http::open(&server);
    let asked = from(&open, "OPTIONS", "/v1/jobs", OTHER, true).await;
    assert_eq!(asked.status, 204);
    let allowed = |name: &str| asked.headers[format!("access-control-allow-{name}")].clone();
    assert_eq!(allowed("origin"), OTHER);
    assert_eq!(allowed("methods"), "GET, POST, PUT");
    assert_eq!(
        allowed("headers"),
        "authorization, content-type, x-request-id"
    );
    assert!(
        !asked
            .headers
            .contains_key("access-control-allow-credentials")
    );

    let alice = Http::new(&server, ALICE);
    let answer = from(&alice, "GET", "/v1/about", OTHER, false).await;
    answer.found();
    assert_eq!(answer.headers["access-control-allow-origin"], OTHER);
    assert_eq!(answer.headers["vary"], "origin");
    // A refusal can be read there as well.
    let refused = from(&open, "GET", "/v1/about", OTHER, false).await;
    refused.refused(401, "UNAUTHENTICATED", "token");
    assert_eq!(refused.headers["access-control-allow-origin"], OTHER);

    let similar = format!("{OTHER}.evil.example");
    for origin in [
        EVIL,
        "null",
        "*",
        "",
        "https://other.example:444",
        similar.as_str(),
    ] {
        for (method, asks) in [("OPTIONS", true), ("GET", false), ("POST", false)] {
            // With a token even: a page of anywhere has none, but a certificate comes by itself.
            let answer = from(&alice, method, "/v1/jobs", origin, asks).await;
            answer.refused(403, "PERMISSION_DENIED", "--web-origin");
            let names = answer.headers.keys().map(|name| name.as_str());
            assert_eq!(
                names
                    .filter(|name| name.starts_with("access-control"))
                    .count(),
                0
            );
        }
    }
    // The page that is served here.
    let own = format!("http://{}", server.web.unwrap());
    let answer = from(&alice, "GET", "/v1/about", &own, false).await;
    answer.found();
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_its_files_with_their_headers() {
    let directory = TempDir::new().unwrap();
    let put = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put("app/index.html", "<p>here");
    put("app/pkg/client.wasm", "\0asm");
    put("app/main.js", "1");
    put("secret", "not for everybody");
    let app = directory.path().join("app");
    let server = serve(&["--web-app", app.to_str().unwrap()], "");
    let open = Http::open(&server);
    let page = open.get("/").await;
    assert_eq!(
        (page.status.as_u16(), page.body.as_slice()),
        (200, &b"<p>here"[..])
    );
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-cache"),
        (
            "content-security-policy",
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
             connect-src 'self'; img-src 'self' data:; style-src 'self'; frame-ancestors 'none'; \
             base-uri 'none'; form-action 'self'",
        ),
    ] {
        assert_eq!(page.headers[name], value);
    }
    let wasm = open.get("/pkg/client.wasm").await;
    assert_eq!(wasm.headers["content-type"], "application/wasm");
    let script = open.get("/main.js").await;
    assert_eq!(
        script.headers["content-type"],
        "text/javascript; charset=utf-8"
    );
    // A link from elsewhere leads to the page, whatever its origin.
    assert_eq!(from(&open, "GET", "/", EVIL, false).await.status, 200);
    let head = open.request("HEAD", "/").body(Body::empty()).unwrap();
    let head = open.send(head).await.unwrap();
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    let request = open
        .request("GET", "/")
        .header("if-none-match", page.headers["etag"].clone());
    let again = open
        .send(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    for path in [
        "/../secret",
        "/pkg/../../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "/pkg/..%5c..%5csecret",
        "//secret",
        "/secret",
        "/pkg",
        "/./index.html",
        "/index.html%00.js",
        "/%ff",
    ] {
        let answer = open.get(path).await;
        answer.refused(404, "NOT_FOUND", "nothing");
    }
    let request = open.request("POST", "/").body(Body::from("x")).unwrap();
    open.send(request)
        .await
        .unwrap()
        .refused(405, "UNIMPLEMENTED", "read");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_page_it_says_how_to_get_one() {
    let server = serve(&[], "");
    let open = Http::open(&server);
    let page = open.get("/").await;
    let text = String::from_utf8(page.body).unwrap();
    assert!(text.contains("--web-app DIR"), "{text}");
    open.get("/index.html")
        .await
        .refused(404, "NOT_FOUND", "nothing");
    assert_eq!(
        open.get("/v1/programs").await.found()["programs"],
        serde_json::json!([])
    );
}
