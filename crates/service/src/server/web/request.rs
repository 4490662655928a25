//! What a request says: who sends it, what its path and query name, what its body holds.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use tonic::Status;

use super::Web;
use super::refusal::Refusal;
use crate::server::caller::Caller;
use crate::server::connections::Network;
use crate::server::desk::WebCall;
use crate::token;

/// Longest JSON body, in bytes.
const JSON_LIMIT: usize = 64 << 10;
/// How long one may take.
const JSON_TIME: Duration = Duration::from_secs(10);

/// Who is at the other end of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// Whose certificate was shown, if any.
    pub(super) caller: Option<Arc<Caller>>,
    /// Whence it comes, where that is counted.
    pub(super) network: Option<Network>,
}

/// What a call holds once it is known whose it is; given back when its answer has gone.
#[derive(Clone, Default)]
pub(super) struct CallHeld(Arc<Mutex<Option<WebCall>>>);

impl CallHeld {
    fn keep(&self, held: WebCall) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(held);
    }
}

/// Who calls, by token or certificate.
pub(super) struct Called(pub(super) Caller);

impl FromRequestParts<Arc<Web>> for Called {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Refusal> {
        let caller = caller(parts, web).and_then(|caller| {
            let network = parts.extensions.get::<Peer>().and_then(|peer| peer.network);
            let held = web.desk.web_call(&caller, network)?;
            if let Some(place) = parts.extensions.get::<CallHeld>() {
                place.keep(held);
            }
            Ok(caller)
        });
        let caller = caller.map_err(|status| web.desk.refuse(status))?;
        // Who pays for the body.
        parts.extensions.insert(Arc::new(caller.clone()));
        Ok(Self(caller))
    }
}

fn caller(parts: &Parts, web: &Web) -> Result<Caller, Status> {
    let quotas = web.desk.board.settings.policy.now();
    // A token that is shown is meant, even beside a certificate.
    if let Some(value) = parts.headers.get(header::AUTHORIZATION) {
        let text = value.to_str().ok();
        let token = text.and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let token = token.filter(|token| !token.is_empty() && token.len() <= token::LONGEST);
        return match token {
            Some(token) => Caller::of_token(token, &quotas),
            None => Err(Status::unauthenticated(
                "the header Authorization is not of the form: Bearer TOKEN",
            )),
        };
    }
    let peer = parts.extensions.get::<Peer>();
    match peer.and_then(|peer| peer.caller.as_deref()) {
        Some(caller) => caller.again(&quotas),
        None => Err(Status::unauthenticated(
            "no token: send the header Authorization: Bearer TOKEN; the server's operator gives you one",
        )),
    }
}

/// What the one variable part of a path holds.
pub(super) struct Named(pub(super) String);

impl FromRequestParts<Arc<Web>> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Refusal> {
        let name = Path::<String>::from_request_parts(parts, web).await;
        let Path(name) = name.map_err(|_| Refusal::wrong("the path is no UTF-8"))?;
        Ok(Self(name))
    }
}

/// The fields of a query; one that is unknown, or is there twice, is refused by name.
pub(super) fn query<'q, const N: usize>(
    parts: &'q Parts,
    known: [&str; N],
) -> Result<[Option<&'q str>; N], Refusal> {
    let mut values = [None; N];
    let pairs = parts.uri.query().unwrap_or_default().split('&');
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let place = known.iter().position(|known| *known == name);
        let Some(place) = place.and_then(|place| values.get_mut(place)) else {
            let known = known.join(", ");
            return Err(Refusal::wrong(format!(
                "the query has no field {name:?} here: known are {known}"
            )));
        };
        if place.replace(value).is_some() {
            return Err(Refusal::wrong(format!("the query has {name:?} twice")));
        }
    }
    Ok(values)
}

/// A JSON body.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<Web>> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, web: &Arc<Web>) -> Result<Self, Refusal> {
        let read = read(request, web).await;
        read.map(Self).map_err(|refusal| web.refuse(refusal))
    }
}

async fn read<T: DeserializeOwned>(request: Request, web: &Web) -> Result<T, Refusal> {
    let (parts, body) = request.into_parts();
    let network = parts.extensions.get::<Peer>().and_then(|peer| peer.network);
    let caller = parts.extensions.get::<Arc<Caller>>();
    let mut lease = caller.map(|caller| web.desk.budget.lease(caller, network));
    if let Some(lease) = &mut lease {
        lease.set(JSON_LIMIT)?;
    }
    // Pages of other origins cannot send this type without asking first.
    let kind = parts.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Refusal::with(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body is to be JSON: send the header Content-Type: application/json",
        ));
    }
    let bytes = tokio::time::timeout(JSON_TIME, whole(body)).await;
    let bytes = bytes.map_err(|_| {
        Status::deadline_exceeded(format!(
            "the body did not come within {} s",
            JSON_TIME.as_secs()
        ))
    })??;
    serde_json::from_slice(&bytes).map_err(|error| Refusal::wrong(format!("the body: {error}")))
}

async fn whole(body: Body) -> Result<axum::body::Bytes, Refusal> {
    use axum::body::HttpBody as _;
    let long = || {
        Refusal::with(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is longer than {JSON_LIMIT} bytes"),
        )
    };
    if body.size_hint().lower() > JSON_LIMIT as u64 {
        return Err(long());
    }
    to_bytes(body, JSON_LIMIT).await.map_err(|error| {
        // The limit's own error is the only one that is no transport's.
        let mut source: Option<&dyn std::error::Error> = Some(&error);
        while let Some(error) = source {
            if error.is::<hyper::Error>() {
                return Refusal::wrong("the body ended early");
            }
            source = error.source();
        }
        long()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(uri: &str) -> Parts {
        Request::builder().uri(uri).body(()).unwrap().into_parts().0
    }

    #[test]
    fn queries_have_known_fields_once() {
        let parts_of = |uri| parts(uri);
        let parts = parts_of("/v1/jobs?limit=3&unfinished=true");
        let found = query(&parts, ["unfinished", "limit"]).unwrap();
        assert_eq!(found, [Some("true"), Some("3")]);
        assert_eq!(query(&parts_of("/v1/jobs"), ["limit"]).unwrap(), [None]);
        for (uri, part) in [
            ("/?token=x", "\"token\""),
            ("/?limit=1&limit=2", "twice"),
            ("/?limit", ""),
        ] {
            let parts = parts_of(uri);
            match query(&parts, ["limit"]) {
                Ok(found) => assert_eq!(found, [Some("")]),
                Err(error) => assert!(error.status.message().contains(part), "{error:?}"),
            }
        }
    }
}
