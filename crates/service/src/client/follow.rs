//! To follow a job to its end, and to answer its questions meanwhile.

use std::time::Duration;

use processor::Answer;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, Streaming};

use super::connection::Attempts;
use super::jobs::id;
use session::policy::Refusal;
use session::question::ReceivedQuestion;

use super::{Client, ClientError};
use crate::proto::{
    self, Attendance, ClientMessage, JobState, JobStatus, ServerMessage, client_message,
    server_message,
};

/// Most answers that wait to be sent: there is one open question at a time.
const ANSWERS: usize = 16;
/// How long a server may take from a job's last question to its end, or to another connection.
const PARTING: Duration = Duration::from_secs(5);

/// The reply to a question leaves this long after the question came, or a multiple of it: reading,
/// charging, decrypting and recording take a few milliseconds, so that their duration does not
/// show. Where they take longer (on a disk that others use), the multiple reveals only that.
const BEAT: Duration = Duration::from_millis(250);

/// The owner of the secret key.
pub trait Responder {
    /// Answers a question, if it may be answered. The answer leaves at a time that does not reveal
    /// how long this took: at the next multiple of a quarter of a second after the question came.
    ///
    /// # Errors
    /// [`Refusal`].
    fn answer(&mut self, question: &ReceivedQuestion) -> Result<Answer, Refusal>;
}

/// Whether a job has ended: done, failed or cancelled.
#[must_use]
pub fn ended(status: &JobStatus) -> bool {
    matches!(
        status.state(),
        JobState::Done | JobState::Failed | JobState::Cancelled
    )
}

/// When something leaves that took so long: at the next beat.
fn due(took: Duration) -> Duration {
    let beats = took.as_millis() / BEAT.as_millis() + 1;
    BEAT.saturating_mul(u32::try_from(beats).unwrap_or(u32::MAX))
}

/// What came over one of the two streams.
enum Event {
    Status(JobStatus),
    Message(ServerMessage),
    /// The stream of questions ended, as it does with its job.
    Unattended,
    /// The stream of statuses ended, as it does when its server stops.
    Ended,
    Failed(Status),
}

/// The two streams of a job that is followed.
struct Streams {
    watch: Streaming<JobStatus>,
    attend: Option<(Streaming<ServerMessage>, mpsc::Sender<ClientMessage>)>,
    /// Until when the job's end is waited for, after its questions have ended.
    until: Option<Instant>,
}

impl Streams {
    async fn next(&mut self) -> Event {
        let attended = async {
            match &mut self.attend {
                Some((stream, _)) => stream.message().await,
                None => std::future::pending().await,
            }
        };
        let over = async {
            match self.until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            status = self.watch.message() => match status {
                Ok(Some(status)) => Event::Status(status),
                Ok(None) => Event::Ended,
                Err(status) => Event::Failed(status),
            },
            message = attended => match message {
                Ok(Some(message)) => Event::Message(message),
                Ok(None) => Event::Unattended,
                Err(status) => Event::Failed(status),
            },
            () = over => Event::Ended,
        }
    }
}

impl Client {
    /// Follows a job until it ends, over connections that break. `watcher` is called with every
    /// status; `responder` answers questions, without one they wait for another client.
    ///
    /// # Errors
    /// [`ClientError`]. After [`ClientError::Question`] with `waits` the job waits for an answer
    /// still: it can be attended to again.
    pub fn follow(
        &self,
        job: &str,
        mut responder: Option<&mut dyn Responder>,
        watcher: &mut dyn FnMut(&JobStatus),
    ) -> Result<JobStatus, ClientError> {
        let mut attempts = self.attempts();
        self.block_on(async {
            loop {
                let once = self.follow_once(job, &mut responder, watcher, &mut attempts);
                let ended = tokio::select! {
                    ended = once => ended,
                    () = self.cancelled() => return Err(ClientError::Interrupted),
                };
                match ended {
                    Err(error) => attempts.failed(error).await?,
                    ended => return ended,
                }
            }
        })
    }

    async fn follow_once(
        &self,
        job: &str,
        responder: &mut Option<&mut dyn Responder>,
        watcher: &mut dyn FnMut(&JobStatus),
        attempts: &mut Attempts<'_>,
    ) -> Result<JobStatus, ClientError> {
        let failed = |status| self.error(&status);
        let watch = self.stub().watch(Request::new(id(job))).await;
        let watch = watch.map_err(failed)?.into_inner();
        let attend = match responder {
            Some(_) => Some(self.attend(job).await.map_err(failed)?),
            None => None,
        };
        let mut streams = Streams {
            watch,
            attend,
            until: None,
        };
        loop {
            let message = match streams.next().await {
                Event::Status(status) => {
                    attempts.succeeded();
                    if status.id != job {
                        return Err(self.protocol("it reports another job than was asked about"));
                    }
                    watcher(&status);
                    if ended(&status) {
                        return Ok(status);
                    }
                    continue;
                }
                Event::Message(message) => message,
                Event::Unattended => {
                    streams.attend = None;
                    streams.until = Some(Instant::now() + PARTING);
                    continue;
                }
                Event::Ended => {
                    let reason = "the server ended the connection".to_owned();
                    let server = self.server().to_owned();
                    return Err(ClientError::Unreachable { server, reason });
                }
                Event::Failed(status) => return Err(self.error(&status)),
            };
            attempts.succeeded();
            let question = match message.of {
                Some(server_message::Of::Question(question)) => question,
                Some(server_message::Of::Status(status)) if status.id == job && ended(&status) => {
                    watcher(&status);
                    return Ok(status);
                }
                // What is stored, the other stream shows by going on.
                _ => continue,
            };
            let (Some(responder), Some((_, answers))) = (responder.as_mut(), &streams.attend)
            else {
                continue;
            };
            let came = Instant::now();
            let replied = self.reply(job, *responder, &question);
            // Answers, refusals and errors alike.
            tokio::time::sleep_until(came + due(came.elapsed())).await;
            let (reply, refusal) = replied?;
            if let Some(reply) = reply {
                let message = client_message::Of::Answer(reply);
                // Where nobody takes it, the stream has ended, and says so next.
                let _ = answers.send(ClientMessage { of: Some(message) }).await;
            }
            if let Some(refusal) = refusal {
                return Err(self.refused(job, refusal, &mut streams).await);
            }
        }
    }

    /// What to send, and why it is not an answer.
    fn reply(
        &self,
        job: &str,
        responder: &mut dyn Responder,
        message: &proto::Question,
    ) -> Result<(Option<proto::Answer>, Option<Refusal>), ClientError> {
        if message.job != job {
            return Err(self.protocol("it asks for another job than is attended to"));
        }
        let question = crate::question::from_message(message);
        let question = question.map_err(|error| self.protocol(error.to_string()))?;
        let answer = |answer| proto::Answer {
            job: job.to_owned(),
            number: message.number,
            blake3: message.blake3.clone(),
            answer: Some(answer),
        };
        use proto::answer::Answer as Reply;
        Ok(match responder.answer(&question) {
            Ok(Answer::Holds(holds)) => (Some(answer(Reply::Holds(holds))), None),
            Ok(Answer::Next(next)) => (Some(answer(Reply::Next(next))), None),
            // The rules may be changed, and the question answered then: it stays open. What they
            // are is not the server's business.
            Err(refusal) if refusal.is_matter_of_rules() => (None, Some(refusal)),
            // One text for all: which of them it is would tell more than was paid for.
            Err(refusal) => {
                let text = "the question is not one that the job's program asks";
                (Some(answer(Reply::Refused(text.to_owned()))), Some(refusal))
            }
        })
    }

    /// What a refusal means for the caller. One that was sent is given time to arrive: the job ends
    /// by it, or its stream does.
    async fn refused(&self, job: &str, refusal: Refusal, streams: &mut Streams) -> ClientError {
        let waits = refusal.is_matter_of_rules();
        let ended = async {
            loop {
                match streams.next().await {
                    Event::Status(status) if !ended(&status) => {}
                    Event::Message(_) => {}
                    Event::Unattended => streams.attend = None,
                    _ => break,
                }
            }
        };
        if !waits {
            // What becomes of the job after that, its status says.
            let _ = tokio::time::timeout(PARTING, ended).await;
        }
        ClientError::Question {
            job: job.to_owned(),
            refusal: Box::new(refusal),
            waits,
        }
    }

    async fn attend(
        &self,
        job: &str,
    ) -> Result<(Streaming<ServerMessage>, mpsc::Sender<ClientMessage>), Status> {
        let (answers, sent) = mpsc::channel(ANSWERS);
        let attendance = client_message::Of::Attend(Attendance {
            jobs: vec![job.to_owned()],
        });
        // There is room for it.
        let _ = answers
            .send(ClientMessage {
                of: Some(attendance),
            })
            .await;
        let stream = ReceiverStream::new(sent);
        let reply = self.stub().attend(Request::new(stream)).await?;
        Ok((reply.into_inner(), answers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_leaves_at_a_beat() {
        let milliseconds = Duration::from_millis;
        for (took, expected) in [(0, 250), (1, 250), (249, 250), (250, 500), (999, 1000)] {
            assert_eq!(due(milliseconds(took)), milliseconds(expected), "{took}");
        }
    }
}
