//! Headers that every answer has, and which pages may call.
//!
//! A browser sends a client's certificate by itself, so a page of anywhere could act for whoever has
//! one. Therefore a call that names an origin is answered only for the page that is served here and
//! for origins that the command line names, whatever the method.

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tonic::Status;

use super::refusal::Refusal;

/// How long a browser may remember that it may call, in seconds.
const REMEMBERED: &str = "600";

const PAGE: [(HeaderName, &str); 3] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
         img-src 'self' data:; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
         form-action 'self'",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-embedder-policy"),
        "require-corp",
    ),
];

const ALL: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// What an origin may do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The page that is served here, or no page at all.
    Own,
    /// One that the command line names.
    Named(HeaderValue),
}

/// Whose call it is; an error for pages that may not. Where connections are by TLS, a page that was
/// not is another's.
pub(super) fn origin(parts: &Parts, named: &[String], tls: bool) -> Result<Origin, Refusal> {
    let Some(origin) = parts.headers.get(header::ORIGIN) else {
        return Ok(Origin::Own);
    };
    let text = origin.to_str().unwrap_or_default();
    if named.iter().any(|named| named == text) {
        return Ok(Origin::Named(origin.clone()));
    }
    let host = parts.headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let own = text
        .split_once("://")
        .is_some_and(|(scheme, authority)| host == Some(authority) && !(tls && scheme != "https"));
    if own {
        return Ok(Origin::Own);
    }
    Err(Status::permission_denied(
        "pages of this origin may not call: the server's operator can allow it with --web-origin",
    )
    .into())
}

/// What a browser that asks first is told; `None` for a call that is one.
pub(super) fn preflight(parts: &Parts, origin: &Origin) -> Option<Response> {
    let asks = parts.method == Method::OPTIONS
        && parts
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !asks || *origin == Origin::Own {
        return None;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, x-request-id",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
    ];
    put(response.headers_mut(), &allowed);
    Some(response)
}

/// Completes an answer of the interface.
pub(super) fn complete(mut response: Response, origin: Option<Origin>) -> Response<Body> {
    let headers = response.headers_mut();
    put(headers, &ALL);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // What one origin may read must not be given to another from a cache.
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(Origin::Named(origin)) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        let shown = HeaderValue::from_static("retry-after, x-request-id");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, shown);
        let shared = HeaderValue::from_static("cross-origin");
        headers.insert("cross-origin-resource-policy", shared);
    }
    response
}

/// Completes an answer with a part of the page.
pub(super) fn complete_page(mut response: Response) -> Response<Body> {
    put(response.headers_mut(), &ALL);
    put(response.headers_mut(), &PAGE);
    response
}

fn put(headers: &mut HeaderMap, values: &[(HeaderName, &'static str)]) {
    for (name, value) in values {
        headers.insert(name.clone(), HeaderValue::from_static(value));
    }
}
