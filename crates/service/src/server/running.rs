//! A server from its start to its end.

use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use super::ServerError;
use super::api::Api;
use super::arguments::Serve;
use super::board::{Board, RESTING, Settings, machine_memory};
use super::connections::{self, Credentials, Door, Places};
use super::desk::Desk;
use super::metrics::Metrics;
use super::office::Office;
use super::passed::{self, Passed};
use super::policy::Policy;
use super::quota::Quotas;
use super::signals::Hangups;
use super::store::{Revocations, Store};
use super::{backups, health, web, work};
use crate::tls::{Clients, Material};

/// How often quotas on time and rates are looked at.
const TICK: Duration = Duration::from_millis(250);
/// How long a job goes on while others wait.
const TURN: Duration = Duration::from_secs(1);
/// How often old things are looked for.
const HOUSEKEEPING: Duration = Duration::from_secs(600);
/// How long runs take to stop when they are told to, and streams to end.
const STOPPING: Duration = Duration::from_secs(3);

/// Where a server listens.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// For clients.
    pub clients: SocketAddr,
    /// For `/metrics` and `/healthz`, if anywhere.
    pub metrics: Option<SocketAddr>,
    /// For HTTP, if anywhere.
    pub web: Option<SocketAddr>,
    /// Whether that is by TLS.
    pub web_tls: bool,
}

/// Serves until something comes from `stop`, then drains; what comes after that cuts the draining
/// short. `ready` learns the addresses. SIGHUP has files read anew.
///
/// # Errors
/// [`ServerError`], if it does not start or the listener breaks.
pub async fn serve(
    arguments: &Serve,
    stop: &mut mpsc::Receiver<()>,
    ready: impl FnOnce(Addresses),
) -> Result<(), ServerError> {
    // A signal that comes while it starts must not end it.
    let system = |source| ServerError::System { source };
    let mut hangups = Hangups::listen().map_err(system)?;
    let asked = backups::asked().map_err(system)?;
    let Some(certificate) = &arguments.tls else {
        return Err(ServerError::NoCertificate);
    };
    // A cluster may take minutes to place workers.
    let (options, threads, cancel) = (arguments.crew.clone(), arguments.threads, Cancel::new());
    let own = cancel.clone();
    let mut opening = tokio::task::spawn_blocking(move || options.open(threads, &own));
    let opened = tokio::select! {
        opened = &mut opening => opened,
        _ = stop.recv() => {
            cancel.cancel();
            let _ = opening.await;
            return Ok(());
        }
    };
    let crew = opened.map_err(|error| ServerError::Serving {
        reason: error.to_string(),
    })??;
    let settings = settings(
        arguments,
        crew.as_ref().map(|(crew, each)| (crew.len(), *each)),
    )?;
    let policy = Arc::clone(&settings.policy);
    let limits = *policy.now().connections();
    let figures = Metrics::default();
    let places = Places::new(limits, limits.clients, figures.doors.clone());
    let material = Material::read(certificate)?;
    let made = Credentials::new(certificate, &material, Clients::Certified, &policy, &places);
    let credentials = made.map_err(|reason| ServerError::Certificate {
        path: certificate.clone(),
        reason,
    })?;
    let web_places = Places::new(limits, limits.web, figures.doors.clone());
    let mut passed = Passed::take()?;
    // What protects HTTP is decided by where it is answered.
    let mut web_options = arguments.web.clone();
    web_options.web = passed.web_address().or(web_options.web);
    let web = web::Prepared::read(&web_options, certificate, &policy, web_places)?;
    let (listener, clients) = open(passed.grpc(), arguments.listen).await?;
    let metrics = match (passed.metrics(), arguments.no_metrics) {
        (None, true) => None,
        (listener, _) => Some(open(listener, arguments.metrics).await?),
    };
    let web = match web {
        None => None,
        Some(web) => {
            let (listener, address) = open(passed.web(), web.address).await?;
            Some((web, listener, address))
        }
    };
    let store = Store::open(&arguments.dir)?;
    arguments.backups.prepare(&store)?;
    let revoked = store.revocations()?;
    log_revoked(&revoked);
    policy.revoke(revoked);
    let board = Arc::new(Board::open(store, settings, figures)?);
    let (order, mut orders) = mpsc::channel(2);
    let office = Arc::new(Office {
        board: Arc::clone(&board),
        config: arguments.config.clone(),
        credentials: [Some(Arc::clone(&credentials))]
            .into_iter()
            .chain(web.as_ref().map(|(web, ..)| web.credentials()))
            .flatten()
            .collect(),
        limits,
        stop: order,
        order: Mutex::default(),
    });
    office.begin().map_err(|status| ServerError::Serving {
        reason: status.message().to_owned(),
    })?;
    let keys = Arc::new(work::Keys::new(arguments.keys));
    let crew = crew.map(|(crew, _)| Arc::new(crew));
    let runner = work::runner(&board, &keys, crew);
    let mut workers = work::start(&board, &runner).map_err(system)?;
    workers.push(work::warm(&board, &keys).map_err(system)?);

    let desk = Desk::new(Arc::clone(&board));
    let (close, closing) = watch::channel(false);
    let door = Door {
        listener,
        tls: Some(credentials),
        direct: true,
        places,
        policy,
    };
    let api = Arc::new(Api::new(Arc::clone(&desk), Arc::clone(&office)));
    let mut serving = tokio::spawn(connections::serve(door, api, closing.clone()));
    let addresses = Addresses {
        clients,
        metrics: metrics.as_ref().map(|(_, address)| *address),
        web: web.as_ref().map(|(_, _, address)| *address),
        web_tls: web.as_ref().is_some_and(|(web, ..)| web.is_tls()),
    };
    let mut others = Vec::new();
    if let Some((listener, _)) = metrics {
        others.push(tokio::spawn(health::serve(listener, Arc::clone(&board))));
    }
    others.push(tokio::spawn(tick(Arc::clone(&board))));
    let copies = backups::serve(arguments.backups.clone(), Arc::clone(&board), asked);
    others.push(tokio::spawn(copies));
    others.push(tokio::spawn(async move {
        loop {
            hangups.next().await;
            let office = Arc::clone(&office);
            // The log has what came of it.
            let _ = tokio::task::spawn_blocking(move || office.reload("SIGHUP")).await;
        }
    }));
    let mut web = web.map(|(web, listener, _)| {
        let desk = Arc::clone(&desk);
        tokio::spawn(web.serve(listener, desk, closing))
    });
    tracing::info!(
        clients = %addresses.clients, metrics = ?addresses.metrics, web = ?addresses.web, "server is ready"
    );
    ready(addresses);

    let ended = tokio::select! {
        () = stopped(stop, &mut orders) => None,
        ended = &mut serving => Some(ended),
    };
    let cut = stopped(stop, &mut orders);
    drain(&board, Duration::from_secs(arguments.drain), cut).await;
    let _ = close.send(true);
    let streams_end = tokio::time::Instant::now() + STOPPING;
    let ended = match ended {
        Some(ended) => Some(ended),
        None => tokio::time::timeout_at(streams_end, &mut serving)
            .await
            .ok(),
    };
    serving.abort();
    if let Some(web) = &mut web {
        let _ = tokio::time::timeout_at(streams_end, &mut *web).await;
        web.abort();
    }
    others.iter().for_each(tokio::task::JoinHandle::abort);
    // Workers look at the board between jobs only; all runs have ended, so that they end at once.
    for worker in workers {
        let _ = tokio::task::spawn_blocking(move || worker.join()).await;
    }
    board.note_time();
    tracing::info!("server has ended");
    match ended {
        None | Some(Ok(())) => Ok(()),
        Some(Err(error)) => Err(ServerError::Serving {
            reason: error.to_string(),
        }),
    }
}

/// Who restores a backup can see here whether it knows of the last revocation.
fn log_revoked(revoked: &Revocations) {
    let newest = revoked.values().map(|record| record.at).max();
    let Some(newest) = newest else {
        tracing::info!("no certificate is revoked");
        return;
    };
    let seconds = i64::try_from(newest / 1000).unwrap_or(i64::MAX);
    let date = OffsetDateTime::from_unix_timestamp(seconds).map(|date| date.to_string());
    let newest = date.unwrap_or_else(|_| format!("{newest} ms"));
    tracing::info!(revoked = revoked.len(), %newest, "certificates are revoked");
}

/// `crew` is how many workers there are, and how many threads each has.
fn settings(
    arguments: &Serve,
    crew: Option<(usize, Option<NonZeroUsize>)>,
) -> Result<Settings, ServerError> {
    let quotas = match &arguments.config {
        None => Quotas::default(),
        Some(path) => {
            let wrong = |reason: String| ServerError::Config {
                path: path.clone(),
                reason,
            };
            let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
            text.parse().map_err(wrong)?
        }
    };
    let machine = || std::thread::available_parallelism().ok();
    let (jobs, threads) = match crew {
        None => (arguments.jobs, arguments.threads.or_else(machine)),
        // A place for each worker, with the threads of one.
        Some((workers, each)) => {
            let jobs = NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN);
            let each = each.or_else(machine).unwrap_or(NonZeroUsize::MIN);
            (jobs, Some(each.saturating_mul(jobs)))
        }
    };
    let day = Duration::from_secs(86_400);
    Ok(Settings {
        jobs,
        threads: threads.unwrap_or(NonZeroUsize::MIN),
        slice: Duration::from_secs(arguments.slice),
        turn: TURN,
        grace: Duration::from_secs(arguments.grace),
        keep: (arguments.keep > 0)
            .then(|| day.saturating_mul(u32::try_from(arguments.keep).unwrap_or(u32::MAX))),
        spare: arguments.spare_disk,
        memory: arguments
            .memory
            .unwrap_or_else(|| half_of_memory(arguments.jobs)),
        policy: Policy::new(quotas),
    })
}

/// What one of so many jobs may take if nobody says: together, and with those that rest, half.
fn half_of_memory(jobs: NonZeroUsize) -> u64 {
    let runs = jobs.get() + RESTING;
    machine_memory().map_or(u64::MAX, |all| all / 2 / runs as u64)
}

/// Listens on what was passed on, or else on an address.
async fn open(
    passed: Option<std::net::TcpListener>,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), ServerError> {
    let failed = |source| ServerError::Listen { address, source };
    let listener = match passed {
        Some(listener) => {
            listener.set_nonblocking(true).map_err(failed)?;
            TcpListener::from_std(listener).map_err(failed)?
        }
        None => TcpListener::bind(address).await.map_err(failed)?,
    };
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Looks after time until it is aborted.
async fn tick(board: Arc<Board>) {
    let mut housekeeping = Instant::now();
    loop {
        tokio::time::sleep(TICK).await;
        let due = housekeeping.elapsed() > HOUSEKEEPING;
        if due {
            housekeeping = Instant::now();
        }
        let board = Arc::clone(&board);
        let _ = tokio::task::spawn_blocking(move || {
            board.tick();
            if due && let Err(error) = board.forget_old() {
                tracing::error!(%error, "cannot remove what is old");
            }
        })
        .await;
    }
}

/// Returns once a signal or an administrator wants the end.
async fn stopped(signals: &mut mpsc::Receiver<()>, orders: &mut mpsc::Receiver<()>) {
    tokio::select! {
        _ = signals.recv() => {}
        // Its sender lives as long as the server answers; then only signals count.
        Some(()) = orders.recv() => {}
    }
}

/// Lets windows come to their end, but not for ever.
async fn drain(board: &Board, patience: Duration, cut: impl Future<Output = ()>) {
    tracing::info!(
        seconds = patience.as_secs(),
        "server stops: no more jobs are taken"
    );
    passed::tell(passed::Tell::Stopping);
    board.drain();
    let idle = async {
        while board.is_busy() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = idle => {}
        () = tokio::time::sleep(patience) => {}
        () = cut => {}
    }
    board.stop();
    let begin = Instant::now();
    while board.is_busy() && begin.elapsed() < STOPPING {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
