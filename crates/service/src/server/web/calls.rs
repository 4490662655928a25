//! The interface's calls. Each learns who calls and what is meant; the desk does the rest.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_stream::StreamExt as _;
use tonic::Status;

use super::Web;
use super::job::JobBody;
use super::json::{self, document, found};
use super::refusal::{Refusal, name};
use super::request::{Called, Json, Named, query};
use crate::proto::{FetchRequest, JobsRequest, Part};
use crate::server::board::hexadecimal;

/// How often a stream of events says that it is alive: so a connection that is dead is noticed, and
/// a proxy does not take it for one.
const ALIVE: Duration = Duration::from_secs(15);

type Answer = Result<Response, Refusal>;
type Shared = State<Arc<Web>>;

pub(super) async fn about(State(web): Shared, Called(caller): Called) -> Answer {
    let operator = caller.operator;
    let about = web.desk.ask(move |board| Ok(board.about(&caller))).await?;
    Ok(found(&json::about(&about, operator)))
}

/// The body of `POST /v1/missing`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hashes {
    blake3: Vec<String>,
}

pub(super) async fn missing(
    State(web): Shared,
    Called(caller): Called,
    Json(body): Json<Hashes>,
) -> Answer {
    let list = hashes("blake3", &body.blake3).map_err(|refusal| web.refuse(refusal))?;
    let missing = web.desk.missing(caller, list).await?;
    let missing: Vec<String> = missing.iter().map(|hash| hexadecimal(hash)).collect();
    Ok(found(&json!({ "blake3": missing })))
}

fn hashes(field: &str, texts: &[String]) -> Result<Vec<Vec<u8>>, Refusal> {
    let hashes = texts.iter().map(|text| json::hash(text)).collect();
    let hashes: Option<Vec<Vec<u8>>> = hashes;
    hashes.ok_or_else(|| {
        Refusal::wrong(format!(
            "{field}: each BLAKE3 hash is 64 lower-case hexadecimal digits"
        ))
    })
}

pub(super) async fn plan(
    State(web): Shared,
    Called(caller): Called,
    Json(body): Json<JobBody>,
) -> Answer {
    let plan = web.plans.plan(&web.desk, caller, body).await?;
    Ok(found(&plan))
}

pub(super) async fn submit(
    State(web): Shared,
    Called(caller): Called,
    Json(body): Json<JobBody>,
) -> Answer {
    let by = caller.clone();
    let spec = web
        .desk
        .ask_with_files(move |board| body.spec(board, &by))
        .await?;
    let job = web.desk.submit(caller, spec).await?;
    let answer = json!({"id": job.id, "repeated_request": job.repeated_request});
    Ok(document(StatusCode::CREATED, &answer))
}

pub(super) async fn jobs(State(web): Shared, Called(caller): Called, parts: Parts) -> Answer {
    let wanted = wanted(&parts).map_err(|refusal| web.refuse(refusal))?;
    let list = web.desk.ask(move |board| Ok(board.list(&caller, wanted)));
    let jobs: Vec<Value> = list.await?.jobs.iter().map(json::status).collect();
    Ok(found(&json!({ "jobs": jobs })))
}

fn wanted(parts: &Parts) -> Result<JobsRequest, Refusal> {
    let [unfinished, limit] = query(parts, ["unfinished", "limit"])?;
    let unfinished = match unfinished {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Refusal::wrong("unfinished is true or false")),
    };
    let limit = limit.map(str::parse).transpose();
    let limit = limit.map_err(|_| Refusal::wrong("limit is a number from 1 to 1000"))?;
    Ok(JobsRequest {
        unfinished,
        limit: limit.unwrap_or(0),
    })
}

pub(super) async fn status(State(web): Shared, Called(caller): Called, Named(id): Named) -> Answer {
    let status = web.desk.ask(move |board| board.status(&caller, &id));
    Ok(found(&json::status(&status.await?)))
}

pub(super) async fn cancel(State(web): Shared, Called(caller): Called, Named(id): Named) -> Answer {
    let status = web.desk.cancel(caller, id).await?;
    Ok(found(&json::status(&status)))
}

/// The body of `POST /v1/forget`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Forget {
    #[serde(default)]
    jobs: Vec<String>,
    #[serde(default)]
    blobs: Vec<String>,
}

pub(super) async fn forget(
    State(web): Shared,
    Called(caller): Called,
    Json(body): Json<Forget>,
) -> Answer {
    let blobs = hashes("blobs", &body.blobs).map_err(|refusal| web.refuse(refusal))?;
    let bytes = web.desk.forget(caller, body.jobs, blobs).await?;
    Ok(found(&json!({ "bytes": bytes })))
}

/// A job's status whenever it changes, as server-sent events.
pub(super) async fn events(State(web): Shared, Called(caller): Called, Named(id): Named) -> Answer {
    let changes = web.desk.watch(caller, id).await?;
    let events = changes.map(|change| {
        let (event, data) = match change {
            Ok(status) => ("status", json::status(&status)),
            Err(status) => {
                let code = name(status.code());
                ("error", json!({"code": code, "message": status.message()}))
            }
        };
        Ok::<_, Infallible>(Event::default().event(event).data(data.to_string()))
    });
    let alive = KeepAlive::new().interval(ALIVE);
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

pub(super) async fn outputs(
    State(web): Shared,
    Called(caller): Called,
    Named(id): Named,
) -> Answer {
    file(&web, caller, id, Part::Outputs).await
}

pub(super) async fn written(
    State(web): Shared,
    Called(caller): Called,
    Named(id): Named,
) -> Answer {
    file(&web, caller, id, Part::Written).await
}

async fn file(web: &Web, caller: super::Caller, id: String, part: Part) -> Answer {
    let part = part as i32;
    let opened = web.desk.fetch(caller, FetchRequest { id, part }).await?;
    let length = opened.header.length;
    let mut response = Response::new(Body::from_stream(opened.pieces()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    let bytes = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, bytes);
    Ok(response)
}

/// Everybody's jobs, for who runs the server.
pub(super) async fn everybodys(State(web): Shared, Called(caller): Called) -> Answer {
    if !caller.operator {
        let message = "this is for tokens of operators (operator = true in [token.NAME])";
        return Err(web.refuse(Status::permission_denied(message).into()));
    }
    let all = web.desk.ask(|board| Ok(board.everybodys())).await?;
    let jobs = all.iter().map(|(client, status)| {
        let mut job = json::status(status);
        job["client"] = client.as_str().into();
        job
    });
    Ok(found(&json!({"jobs": jobs.collect::<Vec<_>>()})))
}
