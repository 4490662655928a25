//! Runs HElib and Blindcore's BGV beside each other: gates and arithmetic on vectors of bits,
//! rounds interleaved, every slot's answer checked.
//!
//! HElib is in no registry of Rust's: `helib.cpp` is compiled against an installed one, and asked
//! line by line. See `bench/README.md`.

mod helib;
mod ours;
mod rows;

use std::path::PathBuf;
use std::process::ExitCode;

use circuits::Profile;
use circuits::formats::{Format, Interface};
use clap::Parser;
use clock::{Failure, Provenance, Side, Times};
use serde::Serialize;

use helib::{Helib, Promise};
use ours::Ours;
use rows::{Peer, ROWS, Request, Row, Work};

/// The allocator that the `blindcore` command has. HElib runs in a process of its own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(
    name = "bgv",
    about = "Times HElib and Blindcore's BGV beside each other."
)]
struct Arguments {
    /// The program that `helib.cpp` becomes.
    #[arg(long)]
    driver: PathBuf,
    /// HElib's version, for the record.
    #[arg(long)]
    peer_commit: String,
    /// Rows, by their names; all but divide-8 if none is named.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Timed rounds of every row.
    #[arg(long, default_value_t = 3)]
    rounds: u64,
    /// On either side.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Where the records are kept.
    #[arg(long, default_value = "../record")]
    record: PathBuf,
    /// Print and keep nothing.
    #[arg(long)]
    no_record: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bgv: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let provenance = Provenance::of_this_run("bgv");
    println!("{}, commit {}", provenance.machine, provenance.commit);
    let wanted = |row: &&Row| match arguments.only.is_empty() {
        true => row.name != "divide-8",
        false => arguments.only.iter().any(|name| name == row.name),
    };
    for row in ROWS.iter().filter(wanted) {
        for peer in row.peers {
            let line = contest(arguments, row, peer, &provenance)?;
            println!(
                "  {:<16} {:<22} {:>12.3} ms, ours {:>10.3} ms: {:.2}x, a slot {:.2}x",
                line.row, line.request, line.peer_ms, line.our_ms, line.ratio, line.ratio_per_slot
            );
            if !arguments.no_record {
                let file = format!("{}-helib.csv", provenance.date);
                clock::append(&arguments.record.join(file), [line])?;
            }
        }
    }
    Ok(())
}

/// A row with HElib by one set of parameters.
fn contest<'a>(
    arguments: &Arguments,
    row: &'a Row,
    peer: &Peer,
    provenance: &'a Provenance,
) -> Result<Line<'a>, Failure> {
    let (request, name, file) = request(row, peer)?;
    let mut program = Helib::start(&arguments.driver, peer.index, peer.bits, arguments.threads)?;
    let promise = program.promise;
    let mut ours = Ours::new(row, promise.depth, arguments.threads)?;
    let parameters = ours.parameters().clone();
    let ands = ours.native();
    let mut sides: [Side<'_>; 2] = [
        Box::new(|_| program.ask(&request)),
        Box::new(|_| ours.round(row.work)),
    ];
    let [theirs, own] = clock::interleave(arguments.rounds, &mut sides)?[..] else {
        return Err("two sides have two times".into());
    };
    drop(sides);
    if let Some(file) = file {
        std::fs::remove_file(file)?;
    }
    Ok(Line::new(
        provenance,
        row,
        (arguments, name, promise, theirs),
        (&parameters, ands, own),
    ))
}

/// What HElib is asked, what that is called, and the file that it reads.
fn request(row: &Row, peer: &Peer) -> Result<(String, String, Option<PathBuf>), Failure> {
    Ok(match peer.request {
        Request::Gate(gate) => {
            let request = format!("{gate} {}", ours::REPEATS);
            (request, gate.to_owned(), None)
        }
        Request::Own(word) => {
            let request = format!("{word} {}", row.width);
            (request, "HElib's own".to_owned(), None)
        }
        Request::Drawn(adder) => {
            let Work::Circuit(operation) = row.work else {
                return Err("a gate has no circuit".into());
            };
            let mut profile = Profile::gate_simulation();
            profile.architectures = rows::as_drawn(adder).ok_or("no such adder")?;
            let (circuit, results) = operation.circuit(row.width, &profile);
            let interface = Interface::numbered(row.name, &[row.width; 2], &results);
            let text = Format::Bristol.write(&interface, &circuit)?;
            let name = format!("blindcore-{}-{}-{adder}.txt", std::process::id(), row.name);
            let file = std::env::temp_dir().join(name);
            std::fs::write(&file, text)?;
            let request = format!("circuit {}", file.display());
            let drawn = match adder {
                // See `rows::as_drawn`.
                "sklansky" => "prefix adders, add or subtract".to_owned(),
                _ => format!("the paper's, {adder}"),
            };
            (request, drawn, Some(file))
        }
    })
}

/// A line of the record; milliseconds.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    peer: &'static str,
    peer_commit: String,
    row: &'a str,
    threads: usize,
    rounds: u64,
    request: String,
    peer_index: u32,
    peer_degree: usize,
    peer_slots: usize,
    peer_modulus_bits: f64,
    peer_key_bits: f64,
    peer_security: f64,
    peer_depth: u32,
    peer_ms: f64,
    peer_least: f64,
    peer_most: f64,
    ours: String,
    our_index: u32,
    our_degree: usize,
    our_slots: usize,
    our_modulus_bits: f64,
    our_key_bits: f64,
    our_security: u32,
    our_ands: usize,
    our_ms: f64,
    our_least: f64,
    our_most: f64,
    ratio: f64,
    ratio_per_slot: f64,
}

impl<'a> Line<'a> {
    fn new(
        of: &'a Provenance,
        row: &'a Row,
        (arguments, request, peer, theirs): (&Arguments, String, Promise, Times),
        (parameters, our_ands, own): (&bgv::Parameters, usize, Times),
    ) -> Self {
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        let ratio = theirs.over(&own);
        Self {
            date: &of.date,
            commit: &of.commit,
            machine: &of.machine,
            command: &of.command,
            peer: "HElib",
            peer_commit: arguments.peer_commit.clone(),
            row: row.name,
            threads: arguments.threads,
            rounds: arguments.rounds,
            request,
            peer_index: peer.index,
            peer_degree: peer.degree,
            peer_slots: peer.slots,
            peer_modulus_bits: peer.modulus_bits,
            peer_key_bits: peer.key_bits,
            peer_security: peer.security,
            peer_depth: peer.depth,
            peer_ms: ms(theirs.median),
            peer_least: ms(theirs.least),
            peer_most: ms(theirs.most),
            ours: parameters.name(),
            our_index: parameters.index().m(),
            our_degree: parameters.degree(),
            our_slots: parameters.slots(),
            our_modulus_bits: parameters.modulus_bits(parameters.top()),
            our_key_bits: parameters.key_bits(),
            our_security: parameters.security().bits(),
            our_ands,
            our_ms: ms(own.median),
            our_least: ms(own.least),
            our_most: ms(own.most),
            ratio,
            ratio_per_slot: ratio * parameters.slots() as f64 / peer.slots as f64,
        }
    }
}
