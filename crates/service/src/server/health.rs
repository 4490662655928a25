//! `/metrics` and `/healthz`, on a port of their own: without TLS, for the machine's own
//! monitoring.

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
        .route("/healthz", get(health))
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

async fn health(State(board): State<Arc<Board>>) -> impl IntoResponse {
    match board.is_draining() {
        false => (StatusCode::OK, "ok\n"),
        true => (StatusCode::SERVICE_UNAVAILABLE, "draining\n"),
    }
}
