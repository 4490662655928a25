//! What tells one call from another: its id, in its answer and in each line of the log.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Response};
use hyper::body::{Body, Frame, SizeHint};
use tracing::{Instrument as _, Span};

use super::board::hexadecimal;
use crate::request_id::{HEADER, is_sane};

/// Longest part of a path that is logged.
const PATH: usize = 128;

tokio::task_local! {
    static CURRENT: CallId;
}

/// The id of a call.
#[derive(Clone, Debug)]
pub(super) struct CallId(HeaderValue);

impl CallId {
    /// The one that the client chose, if it is one, or a new one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let chosen = headers.get(HEADER);
        let sane = |value: &&HeaderValue| value.to_str().is_ok_and(is_sane);
        match chosen.filter(sane) {
            Some(value) => Self(value.clone()),
            None => Self::new(),
        }
    }

    fn new() -> Self {
        let mut random = [0; 16];
        // Without randomness calls cannot be told apart, and go on all the same.
        let _ = getrandom::fill(&mut random);
        let text = hexadecimal(&random);
        Self(HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("none")))
    }

    /// The id of the call that this task answers, if it does.
    pub(super) fn current() -> Option<String> {
        let text = |id: &Self| id.text().to_owned();
        CURRENT.try_with(text).ok()
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// Answers a call; whatever is logged meanwhile has its id.
    pub(super) async fn around<F: Future>(&self, path: &str, answer: F) -> F::Output {
        // At this level whatever is logged at all.
        let path = beginning(path);
        let span = tracing::error_span!("call", id = self.text(), path);
        CURRENT.scope(self.clone(), answer.instrument(span)).await
    }

    /// Gives an answer the id.
    pub(super) fn sign<B>(&self, response: &mut Response<B>) {
        let name = HeaderName::from_static(HEADER);
        response.headers_mut().insert(name, self.0.clone());
    }
}

/// What of a path is logged; a letter across the limit is left out.
fn beginning(path: &str) -> &str {
    let fits = (0..=PATH).rev().find_map(|end| path.get(..end));
    match path.len() {
        ..=PATH => path,
        _ => fits.unwrap_or_default(),
    }
}

/// Does something on another thread as a part of the call that asked for it.
pub(super) fn within_call<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let span = Span::current();
    move || span.in_scope(work)
}

/// An answer whose trailers have the id, too: a stream that fails on its way says so there.
pub(super) struct Signed<B> {
    body: B,
    id: CallId,
}

impl<B> Signed<B> {
    pub(super) fn new(body: B, id: CallId) -> Self {
        Self { body, id }
    }
}

impl<B: Body + Unpin> Body for Signed<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let mut next = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &mut next
            && let Some(trailers) = frame.trailers_mut()
        {
            let name = HeaderName::from_static(HEADER);
            trailers.insert(name, self.id.0.clone());
        }
        next
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_is_logged_beyond_the_limit() {
        let short = "/".repeat(PATH);
        assert_eq!(beginning(&short), short);
        assert_eq!(beginning(&format!("{short}x")), short);
        let across = format!("{}\u{1f600}{short}", &short[..PATH - 1]);
        assert_eq!(beginning(&across), &short[..PATH - 1]);
    }
}
