//! A peer that no registry offers: a program built elsewhere from the peer's own repository,
//! its rounds interleaved with ours.
//!
//! The program makes its keys and prints `ready`. Then it reads numbers, one a line: for each
//! it evaluates that many independent gates (NAND), compares the answers with the clear ones, and
//! prints the milliseconds that the gates took together, or anything else if an answer is
//! wrong. It ends with its input. While it waits for a number it costs nothing, so that each
//! side has the machine to itself in its turn.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use clap::Args;
use clock::{Failure, Provenance, Side, Times};
use serde::Serialize;

use crate::contest::{Terms, one_round, repeats};
use crate::operation::Operation;
use crate::ours::Lookups;

/// What the program is, for the record.
#[derive(Args)]
pub struct Peer {
    /// The library, as the record's file is called: `<date>-NAME.csv`.
    #[arg(long)]
    name: String,
    /// The commit of its repository.
    #[arg(long)]
    peer_commit: String,
    /// Its parameter set: name or dimensions, security, failure probability.
    #[arg(long)]
    parameters: String,
    /// Its FFT processor.
    #[arg(long)]
    processor: String,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    program: Vec<String>,
}

/// The program at work.
struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(peer: &Peer) -> Result<Self, Failure> {
        let [program, arguments @ ..] = &peer.program[..] else {
            return Err("no program to run".into());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{program} has no input or output").into());
        };
        let mut running = Self {
            child,
            input,
            output: BufReader::new(output),
        };
        match running.line()?.as_str() {
            "ready" => Ok(running),
            other => Err(format!("{program} says '{other}' instead of 'ready'").into()),
        }
    }

    fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    fn evaluate(&mut self, gates: usize) -> Result<Duration, Failure> {
        writeln!(self.input, "{gates}")?;
        self.input.flush()?;
        let answer = self.line()?;
        match answer.parse::<f64>() {
            Ok(milliseconds) if milliseconds > 0.0 => {
                Ok(Duration::try_from_secs_f64(milliseconds / 1e3)?)
            }
            _ => Err(format!("the program says '{answer}' to {gates} gates").into()),
        }
    }

    fn end(self) -> Result<(), Failure> {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        child.wait()?;
        Ok(())
    }
}

/// Runs and prints the rows of gates, and keeps them in `folder` if there is one.
pub fn measure(
    peer: &Peer,
    terms: Terms,
    provenance: &Provenance,
    folder: Option<&Path>,
) -> Result<Option<PathBuf>, Failure> {
    if terms.threads != 1 {
        return Err("an external program has one thread, so ours has one, too".into());
    }
    let ours = Lookups::new(1)?;
    let mut program = Running::start(peer)?;
    let set = ours.engine().key().parameters().name();
    println!(
        "  {} {} {}, {}\n  Blindcore {set}",
        peer.name, peer.peer_commit, peer.processor, peer.parameters
    );
    println!(
        "  {:<10} {:>33} {:>33} {:>8}",
        "row", "peer, ms a gate", "ours, ms a gate", "ratio"
    );
    let mut lines = Vec::new();
    for row in Operation::GATES {
        let gates = row.gates();
        let rounds = terms.rounds_of(row);
        let mut sides: [Side<'_>; 2] = [
            // As many in a row as ours, and the time of one row.
            Box::new(|_| Ok(program.evaluate(gates * repeats(row) as usize)? / repeats(row))),
            Box::new(|round| one_round(row, round, &ours)),
        ];
        let [theirs, own] = clock::interleave(rounds, &mut sides)?[..] else {
            return Err("two sides have two times".into());
        };
        drop(sides);
        let (theirs, own) = (theirs.divided(gates as u32), own.divided(gates as u32));
        println!(
            "  {:<10} {:>33} {:>33} {:>7.2}x",
            row.name(),
            theirs,
            own,
            theirs.over(&own)
        );
        lines.push(Line::new(peer, provenance, row, rounds, theirs, set, own));
    }
    program.end()?;
    folder
        .map(|folder| {
            let file = format!("{}-{}.csv", provenance.date, peer.name);
            clock::append(&folder.join(file), lines)
        })
        .transpose()
}

/// One line of the record; times are those of one gate of the row, in milliseconds.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    peer: &'a str,
    peer_commit: &'a str,
    processor: &'a str,
    parameters: &'a str,
    row: &'a str,
    gates: usize,
    rounds: u64,
    ms: f64,
    ms_least: f64,
    ms_most: f64,
    ours: &'a str,
    our_ms: f64,
    our_ms_least: f64,
    our_ms_most: f64,
    ratio: f64,
}

impl<'a> Line<'a> {
    fn new(
        peer: &'a Peer,
        of: &'a Provenance,
        row: Operation,
        rounds: u64,
        theirs: Times,
        ours: &'a str,
        own: Times,
    ) -> Self {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        Self {
            date: &of.date,
            commit: &of.commit,
            machine: &of.machine,
            command: &of.command,
            peer: &peer.name,
            peer_commit: &peer.peer_commit,
            processor: &peer.processor,
            parameters: &peer.parameters,
            row: row.name(),
            gates: row.gates(),
            rounds,
            ms: ms(theirs.median),
            ms_least: ms(theirs.least),
            ms_most: ms(theirs.most),
            ours,
            our_ms: ms(own.median),
            our_ms_least: ms(own.least),
            our_ms_most: ms(own.most),
            ratio: theirs.over(&own),
        }
    }
}
