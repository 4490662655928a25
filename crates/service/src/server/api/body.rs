//! Requests on their way in: a message is received whole, within its time and within a budget,
//! before anything decodes it.
//!
//! A decoder makes room for as many bytes as a message announces, and waits. Here nothing is taken
//! for an announcement: it is refused if it is more than the method takes, and else room grows with
//! what comes.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::Sleep;
use tonic::Status;

use super::parts;
use crate::proto::{CHUNK_BYTES, MESSAGE_BYTES};
use crate::server::desk::Lease;
use crate::server::metrics::Doors;

/// What stands before each message: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// Least room that is made at once.
const ROOM: usize = 4 << 10;
/// Each byte is there twice for a moment: here, and in the decoder.
const COPIES: usize = 2;

/// Most parts of a submission. A task has at most half as many of one kind.
const PARTS: usize = 1 << 17;
/// Bytes that a part takes when it is decoded.
const PART_BYTES: usize = 128;

/// What a method is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Longest message.
    longest: usize,
    /// Whether there may be several.
    stream: bool,
    /// Whether its parts are counted: small messages cannot have many.
    parts: bool,
}

impl Shape {
    /// That of a method, by its path.
    pub(super) fn of(path: &str) -> Self {
        let (longest, stream) = match path.rsplit('/').next() {
            // A wrong length is better said by who knows what a chunk is.
            Some("Upload") => (CHUNK_BYTES + (64 << 10), true),
            Some("Attend") => (256 << 10, true),
            Some("Submit") => (MESSAGE_BYTES, false),
            Some("Missing" | "Forget") => (256 << 10, false),
            _ => (16 << 10, false),
        };
        Self {
            longest,
            stream,
            parts: longest == MESSAGE_BYTES,
        }
    }
}

/// A request's body, message by message.
pub(super) struct Messages<B = Incoming> {
    body: B,
    shape: Shape,
    lease: Lease,
    doors: Doors,
    /// For one message; for all of a call that has one.
    time: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    /// What has come of a message, its prefix included.
    message: Vec<u8>,
    /// What has come behind a whole message.
    rest: Bytes,
    count: usize,
    ended: bool,
}

impl<B> Messages<B> {
    pub(super) fn new(body: B, shape: Shape, lease: Lease, doors: Doors, time: Duration) -> Self {
        let deadline = (!shape.stream).then(|| Box::pin(tokio::time::sleep(time)));
        Self {
            body,
            shape,
            lease,
            doors,
            time,
            deadline,
            message: Vec::new(),
            rest: Bytes::new(),
            count: 0,
            ended: false,
        }
    }

    /// Length of the message that is coming, its prefix included, once that is known.
    fn length(&self) -> Option<usize> {
        let length = self.message.get(1..PREFIX)?.try_into().ok()?;
        Some(PREFIX + u32::from_be_bytes(length) as usize)
    }

    /// Takes what has come, as far as it belongs to one message; gives that once it is whole.
    fn take(&mut self) -> Result<Option<Bytes>, Status> {
        while !self.rest.is_empty() {
            if self.message.is_empty() {
                self.begin()?;
            }
            let wanted = self.length().unwrap_or(PREFIX) - self.message.len();
            let part = self.rest.split_to(wanted.min(self.rest.len()));
            self.make_room(part.len())?;
            self.message.extend_from_slice(&part);
            let Some(length) = self.length() else {
                continue;
            };
            if length - PREFIX > self.shape.longest {
                self.doors.unread("too_large");
                return Err(Status::out_of_range(format!(
                    "a message of {} bytes is too large: at most {} are taken here",
                    length - PREFIX,
                    self.shape.longest
                )));
            }
            if self.message.len() == length {
                if self.shape.stream {
                    self.deadline = None;
                }
                if self.shape.parts {
                    self.count_parts()?;
                }
                return Ok(Some(std::mem::take(&mut self.message).into()));
            }
        }
        Ok(None)
    }

    /// A submission is larger when it is decoded.
    fn count_parts(&mut self) -> Result<(), Status> {
        // What is compressed is refused by the decoder.
        let [0, ..] = self.message[..] else {
            return Ok(());
        };
        let message = self.message.get(PREFIX..).unwrap_or_default();
        let parts = parts::count(message).filter(|parts| *parts <= PARTS);
        let Some(parts) = parts else {
            self.doors.unread("too_large");
            return Err(Status::invalid_argument(format!(
                "task: this is no submission, or one of more than {PARTS} parts"
            )));
        };
        self.lease
            .set(COPIES * self.message.capacity() + PART_BYTES * parts)
    }

    /// The first byte of a message has come; nobody needs the last one any more.
    fn begin(&mut self) -> Result<(), Status> {
        self.count += 1;
        if self.count > 1 && !self.shape.stream {
            return Err(Status::invalid_argument(
                "a second message: this call takes one",
            ));
        }
        self.lease.set(0)?;
        if self.shape.stream {
            self.deadline = Some(Box::pin(tokio::time::sleep(self.time)));
        }
        Ok(())
    }

    /// Doubles, so that nothing is copied often, but for the last time.
    fn make_room(&mut self, more: usize) -> Result<(), Status> {
        let needed = self.message.len() + more;
        if needed <= self.message.capacity() {
            return Ok(());
        }
        let longest = self.length().unwrap_or(ROOM);
        let room = (2 * self.message.capacity()).max(ROOM).min(longest);
        let room = room.max(needed);
        self.lease.set(COPIES * room)?;
        self.message.reserve_exact(room - self.message.len());
        Ok(())
    }

    /// Fails once the message is late.
    fn watch(&mut self, context: &mut Context<'_>) -> Result<(), Status> {
        let late = self
            .deadline
            .as_mut()
            .is_some_and(|deadline| deadline.as_mut().poll(context).is_ready());
        if !late {
            return Ok(());
        }
        self.doors.unread("late");
        Err(Status::deadline_exceeded(format!(
            "the message did not come whole within {} s: send it again",
            self.time.as_secs()
        )))
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Messages<B>
where
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        loop {
            if this.ended {
                return Poll::Ready(None);
            }
            match this.take() {
                Ok(None) => {}
                Ok(Some(message)) => return Poll::Ready(Some(Ok(Frame::data(message)))),
                Err(status) => {
                    this.ended = true;
                    return Poll::Ready(Some(Err(status)));
                }
            }
            let next = match Pin::new(&mut this.body).poll_frame(context) {
                Poll::Ready(next) => next,
                Poll::Pending => {
                    if let Err(status) = this.watch(context) {
                        this.ended = true;
                        return Poll::Ready(Some(Err(status)));
                    }
                    return Poll::Pending;
                }
            };
            match next {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                Some(Err(error)) => {
                    this.ended = true;
                    return Poll::Ready(Some(Err(Status::from_error(error.into()))));
                }
                // What is incomplete is called so by who decodes it.
                None if this.message.is_empty() => return Poll::Ready(None),
                None => {
                    this.ended = true;
                    let part = std::mem::take(&mut this.message);
                    return Poll::Ready(Some(Ok(Frame::data(part.into()))));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ended || self.rest.is_empty() && self.message.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
