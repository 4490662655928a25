//! The same calls as HTTP with JSON, for clients that have no gRPC: browsers, scripts.
//! `docs/http.md` describes the interface.
//!
//! | module | what |
//! |---|---|
//! | `options` | the command line's part |
//! | `connection` | HTTP/1.1, and its patience |
//! | `headers` | which pages may call; headers of all answers |
//! | `request`, `refusal`, `json` | between HTTP and the protocol's messages |
//! | `calls`, `blobs`, `job`, `plan` | the calls |
//! | `files` | the page, and programs for everybody |
//!
//! HTTP/1.1 only: there is nothing here that several streams on one connection would gain, and one
//! request at a time is what a connection's limits then mean.

mod blobs;
mod calls;
mod connection;
mod files;
mod headers;
mod job;
mod json;
mod options;
mod plan;
mod refusal;
mod request;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::Status;
use tower_service::Service as _;

use super::ServerError;
use super::caller::Caller;
use super::calls::CallId;
use super::connections::{self, Credentials, Door, Places};
use super::desk::Desk;
use super::policy::Policy;
use crate::tls::{Clients, Material};
use files::{Page, Programs};
use options::Protection;
use plan::Plans;
use refusal::Refusal;
use request::Named;

pub use options::WebOptions;

/// What is read before anything is served, so that a server which starts is in order.
pub(super) struct Prepared {
    pub(super) address: SocketAddr,
    places: Arc<Places>,
    policy: Arc<Policy>,
    credentials: Option<Arc<Credentials>>,
    /// Whether addresses of peers are those of clients.
    direct: bool,
    programs: Programs,
    page: Page,
    origins: Vec<String>,
}

impl Prepared {
    /// Reads what the options name; `server` is the directory of the server's certificate.
    pub(super) fn read(
        options: &WebOptions,
        server: &Path,
        policy: &Arc<Policy>,
        places: Arc<Places>,
    ) -> Result<Option<Self>, ServerError> {
        let Some(address) = options.web else {
            return Ok(None);
        };
        let protection = options
            .protection(server)
            .map_err(|reason| ServerError::Web { reason })?;
        let credentials = match &protection {
            Protection::Tls(directory) => {
                let material = Material::read(directory)?;
                let made =
                    Credentials::new(directory, &material, Clients::Anybody, policy, &places);
                let made = made.map_err(|reason| ServerError::Certificate {
                    path: directory.clone(),
                    reason,
                })?;
                Some(made)
            }
            Protection::Loopback | Protection::Proxy => None,
        };
        let wrong = |path: Option<&Path>, reason: String| ServerError::Directory {
            path: path.unwrap_or(Path::new("")).to_path_buf(),
            reason,
        };
        let (programs, app) = (options.web_programs.as_deref(), options.web_app.as_deref());
        Ok(Some(Self {
            address,
            places,
            policy: Arc::clone(policy),
            credentials,
            direct: protection != Protection::Proxy,
            programs: Programs::read(programs).map_err(|reason| wrong(programs, reason))?,
            page: Page::read(app).map_err(|reason| wrong(app, reason))?,
            origins: options.web_origin.clone(),
        }))
    }

    /// Whether connections are by TLS.
    pub(super) fn is_tls(&self) -> bool {
        self.credentials.is_some()
    }

    /// What it says in handshakes, for who replaces that.
    pub(super) fn credentials(&self) -> Option<Arc<Credentials>> {
        self.credentials.clone()
    }

    /// Serves until `closing` says so.
    pub(super) async fn serve(
        self,
        listener: TcpListener,
        desk: Arc<Desk>,
        closing: watch::Receiver<bool>,
    ) {
        if self.credentials.is_none() && desk.board.settings.policy.now().tokens().is_empty() {
            tracing::warn!(
                "nobody can call --web: the configuration has no [token.NAME]; `blindcore token NAME` makes one"
            );
        }
        let web = Arc::new(Web {
            desk,
            programs: self.programs,
            page: self.page,
            origins: self.origins,
            plans: Arc::default(),
        });
        let face = Arc::new(Face {
            routes: routes().with_state(Arc::clone(&web)),
            tls: self.credentials.is_some(),
            web,
        });
        let door = Door {
            listener,
            tls: self.credentials,
            direct: self.direct,
            places: self.places,
            policy: self.policy,
        };
        connections::serve(door, face, closing).await;
    }
}

/// What answers.
struct Face {
    web: Arc<Web>,
    routes: Router,
    /// Whether connections are by TLS.
    tls: bool,
}

/// What all calls share.
pub(super) struct Web {
    desk: Arc<Desk>,
    programs: Programs,
    page: Page,
    origins: Vec<String>,
    plans: Arc<Plans>,
}

fn routes() -> Router<Arc<Web>> {
    Router::new()
        .route("/v1/about", get(calls::about))
        .route("/v1/programs", get(programs))
        .route("/v1/programs/{name}", get(program))
        .route("/v1/missing", post(calls::missing))
        .route("/v1/blobs/{blake3}", put(blobs::put))
        .route("/v1/plan", post(calls::plan))
        .route("/v1/jobs", get(calls::jobs).post(calls::submit))
        .route("/v1/jobs/{id}", get(calls::status))
        .route("/v1/jobs/{id}/events", get(calls::events))
        .route("/v1/jobs/{id}/cancel", post(calls::cancel))
        .route("/v1/jobs/{id}/outputs", get(calls::outputs))
        .route("/v1/jobs/{id}/written", get(calls::written))
        .route("/v1/forget", post(calls::forget))
        .route("/v1/operator/jobs", get(calls::everybodys))
        .method_not_allowed_fallback(other_method)
        .fallback(nothing)
}

async fn programs(State(web): State<Arc<Web>>) -> Response {
    json::found(&web.programs.list())
}

async fn program(State(web): State<Arc<Web>>, Named(name): Named) -> Result<Response, Refusal> {
    web.programs.answer(&name)
}

async fn other_method() -> Refusal {
    Refusal::with(
        StatusCode::METHOD_NOT_ALLOWED,
        "there is no such call: the path is right, its method is another",
    )
}

async fn nothing() -> Refusal {
    Status::not_found("there is no such call: docs/http.md lists them").into()
}

impl Face {
    /// Answers one request.
    async fn answer(&self, request: hyper::Request<hyper::body::Incoming>) -> Response {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        if path != "/v1" && !path.starts_with("/v1/") {
            let page = self.web.page.answer(&parts);
            return page.unwrap_or_else(|refusal| headers::complete_page(refusal.into_response()));
        }
        let id = CallId::of(&parts.headers);
        let path = path.to_owned();
        let mut response = id.around(&path, self.answer_call(parts, body)).await;
        id.sign(&mut response);
        response
    }

    /// Answers a call of the interface.
    async fn answer_call(&self, parts: Parts, body: hyper::body::Incoming) -> Response {
        let origin = match headers::origin(&parts, &self.web.origins, self.tls) {
            Ok(origin) => origin,
            Err(refusal) => {
                let refused = self.web.refuse(refusal).into_response();
                return headers::complete(refused, None);
            }
        };
        let response = match headers::preflight(&parts, &origin) {
            Some(response) => response,
            None => {
                let request = Request::from_parts(parts, Body::new(body));
                let Ok(response) = self.routes.clone().call(request).await;
                response
            }
        };
        headers::complete(response, Some(origin))
    }
}

impl Web {
    /// Counts and logs a refusal.
    fn refuse(&self, mut refusal: Refusal) -> Refusal {
        refusal.status = self.desk.refuse(refusal.status);
        refusal
    }
}
