//! `/metrics`, `/livez`, `/readyz` and `/healthz`, on a port of their own: without TLS, for the
//! machine's own monitoring.
//!
//! Alive is a server that answers here: starting it again would mend nothing. Ready is one that
//! takes jobs: it is not stopping, its storage works, its disk has room. `/healthz` is `/readyz`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;

use super::board::Board;

/// The type that Prometheus expects of the OpenMetrics text format.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves until it is dropped.
pub(super) async fn serve(listener: TcpListener, board: Arc<Board>) {
    let routes = Router::new()
        .route("/metrics", get(metrics))
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/healthz", get(ready))
        .with_state(board);
    if let Err(error) = axum::serve(listener, routes).await {
        tracing::error!(%error, "metrics are no longer served");
    }
}

async fn metrics(State(board): State<Arc<Board>>) -> impl IntoResponse {
    match board.metrics.text() {
        Ok(text) => (StatusCode::OK, [(header::CONTENT_TYPE, OPEN_METRICS)], text),
        Err(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
            String::new(),
        ),
    }
}

async fn ready(State(board): State<Arc<Board>>) -> impl IntoResponse {
    let looked = tokio::task::spawn_blocking(move || hindrances(&board));
    match looked.await.unwrap_or_default() {
        hindrances if hindrances.is_empty() => (StatusCode::OK, "ok\n".to_owned()),
        hindrances => (
            StatusCode::SERVICE_UNAVAILABLE,
            hindrances.join("\n") + "\n",
        ),
    }
}

/// Why no jobs are taken, a line each.
fn hindrances(board: &Board) -> Vec<String> {
    let draining = board.is_draining().then(|| "draining".to_owned());
    let storage = board.store.trouble();
    let storage = storage.map(|said| format!("storage fails: {said}"));
    [draining, storage, board.full_disk()]
        .into_iter()
        .flatten()
        .collect()
}
