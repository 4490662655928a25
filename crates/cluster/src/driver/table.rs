//! The driver of a table: each row, or batch of rows, is a run of its own on one worker. Workers hear nothing of
//! each other.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use circuits::exec::Cancel;
use processor::Task;
use session::ErrorKind;

use super::dialler::Dialler;
use super::members::Members;
use super::watch::Watch;
use super::{Patience, name};
use crate::message::{Letter, Message, TableMessage, TableScheme};
use crate::transport::{Event, Member, Transport};
use crate::{Addresses, ClusterError, Losses, STOPPED};

/// Rows that a worker has at once: the next one travels while it computes.
const EACH: usize = 2;
/// Rows for each worker that may be done before one that was given out earlier: they are kept in memory.
const AHEAD: usize = 8;
/// Files of inputs of one row, with their names.
pub type Files = Vec<(String, Vec<u8>)>;

/// A program for the rows of a table.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the program is called in messages.
    pub name: String,
    /// Its file.
    pub program: Vec<u8>,
    /// What to execute.
    pub task: Task,
    /// Which variable of the inputs each secret of the task is.
    pub places: Vec<usize>,
    /// What evaluates it.
    pub scheme: TableScheme,
    /// The server key's file.
    pub key: Arc<[u8]>,
    /// The rows, or batches, that are to be run: the first of them, and the one behind the last.
    pub rows: std::ops::Range<u32>,
}

/// Where a table's rows come from, and where their outputs go.
pub trait Rows {
    /// Why it cannot go on.
    type Error: From<ClusterError>;

    /// The next row.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn next(&mut self) -> Result<Files, Self::Error>;

    /// The outputs file of a row; they come in order.
    ///
    /// # Errors
    /// Where it cannot be kept.
    fn done(&mut self, outputs: &[u8], instructions: u64) -> Result<(), Self::Error>;

    /// So many rows of the table are done, and of others so many nodes; often.
    fn progress(&mut self, rows: u32, nodes: u64);

    /// Something that a person wants to know: a worker was lost, or has come.
    fn told(&mut self, text: &str);
}

/// Runs a program on rows, on workers at these addresses. A worker that is lost costs the rows that it has, which
/// others then compute.
///
/// # Errors
/// [`ClusterError`]: at the start if a worker cannot be reached, later only if none is left, if a run fails, or if
/// three workers are lost with one row.
pub fn drive_table<R: Rows>(
    transport: &Arc<dyn Transport>,
    addresses: &Addresses,
    table: Table,
    patience: Patience,
    rows: &mut R,
    cancel: &Cancel,
) -> Result<(), R::Error> {
    let mut farm = Farm {
        transport: Arc::clone(transport),
        dialler: Dialler::new(transport, patience.redial),
        members: Members::new(addresses),
        next: table.rows.start,
        passed: table.rows.start,
        table,
        patience,
        rows,
        again: VecDeque::new(),
        given: HashMap::new(),
        done: BTreeMap::new(),
    };
    let ended = farm.run(cancel);
    // It has no bulk, so that it can be written.
    if let Ok(frame) = Letter::from(Message::End).seal() {
        for member in farm.members.numbers() {
            farm.transport.send(member, frame.clone());
        }
    }
    ended
}

/// A row that is given out.
struct Row {
    number: u32,
    files: Files,
    losses: Losses,
}

/// What a worker has.
#[derive(Default)]
struct Hands {
    rows: VecDeque<Row>,
    /// Nodes of the first of them that are done.
    nodes: u64,
}

struct Farm<'a, R> {
    transport: Arc<dyn Transport>,
    dialler: Dialler,
    members: Members,
    table: Table,
    patience: Patience,
    rows: &'a mut R,
    /// The next row to read.
    next: u32,
    /// Rows that are to be computed again.
    again: VecDeque<Row>,
    given: HashMap<Member, Hands>,
    /// Outputs of rows that wait for an earlier one.
    done: BTreeMap<u32, (Vec<u8>, u64)>,
    /// The first row whose outputs have not been passed on.
    passed: u32,
}

impl<R: Rows> Farm<'_, R> {
    fn run(&mut self, cancel: &Cancel) -> Result<(), R::Error> {
        if self.members.places() == 0 {
            return Err(ClusterError::NoWorkers.into());
        }
        for place in 0..self.members.places() {
            let (member, address) = (self.members.next_number(), self.members.address(place));
            self.transport.connect(member, &address)?;
            self.welcome(member, place, &address)?;
        }
        let mut watch = Watch::begin(self.patience.silent, &mut self.members);
        while self.passed < self.table.rows.end {
            if cancel.is_cancelled() {
                return Err(ClusterError::Cancelled.into());
            }
            match watch.next(self.transport.as_ref(), &mut self.members) {
                Some(Event::Frame { from, bytes }) => self.hear(from, bytes)?,
                Some(Event::Lost { member, reason }) => self.lose(member, &reason)?,
                Some(Event::Coming(_)) | None => {}
            }
            for (member, reason) in watch.silent(&self.members) {
                self.lose(member, &reason)?;
            }
            self.look_around()?;
            self.give()?;
        }
        Ok(())
    }

    fn send(&self, to: Member, letter: &Letter) -> Result<(), ClusterError> {
        self.transport.send(to, letter.seal()?);
        Ok(())
    }

    fn welcome(&mut self, member: Member, place: usize, address: &str) -> Result<(), ClusterError> {
        self.members.add(member, place, address);
        let Table {
            name,
            program,
            task,
            places,
            scheme,
            key,
            ..
        } = &self.table;
        let message = TableMessage {
            name: name.clone(),
            task: task.clone(),
            places: places.iter().map(|&place| place as u64).collect(),
            scheme: *scheme,
            key: blake3::hash(key).into(),
        };
        let letter = Letter {
            message: Message::Table(Box::new(message)),
            bulk: program.clone(),
        };
        self.send(member, &letter)
    }

    fn hear(&mut self, from: Member, bytes: Vec<u8>) -> Result<(), R::Error> {
        if !self.members.hears(from) {
            // It was lost, and says something that was under way.
            return Ok(());
        }
        let Letter { message, bulk } = match Letter::of_worker(bytes) {
            Ok(letter) => letter,
            Err(error) => return self.lose(from, &error.to_string()),
        };
        match message {
            Message::KeyWanted => {
                let letter = Letter {
                    message: Message::Key,
                    bulk: self.table.key.to_vec(),
                };
                self.send(from, &letter)?;
            }
            Message::Ready { .. } => {
                self.given.entry(from).or_default();
            }
            Message::Progress { window, nodes, .. } => {
                if let Some(hands) = self.given.get_mut(&from)
                    && hands.rows.front().is_some_and(|row| row.number == window)
                {
                    hands.nodes = nodes;
                }
                self.report();
            }
            Message::RowDone {
                number,
                instructions,
            } => return self.row_done(from, number, bulk, instructions),
            // It was ended on its machine: no defect of the run.
            Message::Failed {
                kind: ErrorKind::Interrupted,
                reason,
            } => return self.lose(from, &reason),
            Message::Failed { kind, reason } => {
                return Err(ClusterError::Run(session::Error::new(kind, reason)).into());
            }
            // Who is lost the driver hears itself.
            Message::Alive | Message::Accused { .. } => {}
            other => {
                let reason = format!("it says what it must not: {}", name(&other));
                return self.lose(from, &reason);
            }
        }
        Ok(())
    }

    fn row_done(
        &mut self,
        from: Member,
        number: u32,
        outputs: Vec<u8>,
        instructions: u64,
    ) -> Result<(), R::Error> {
        let hands = self.given.get_mut(&from);
        let first = hands.and_then(|hands| {
            hands.nodes = 0;
            hands.rows.pop_front()
        });
        match first {
            Some(row) if row.number == number => {}
            Some(row) => {
                // It goes back with the others.
                if let Some(hands) = self.given.get_mut(&from) {
                    hands.rows.push_front(row);
                }
                return self.lose(from, "it gives a row that it was not to compute");
            }
            None => return self.lose(from, "it gives a row that it was not to compute"),
        }
        self.done.insert(number, (outputs, instructions));
        while let Some((outputs, instructions)) = self.done.remove(&self.passed) {
            self.rows.done(&outputs, instructions)?;
            self.passed += 1;
        }
        self.report();
        Ok(())
    }

    fn report(&mut self) {
        let nodes = self.given.values().map(|hands| hands.nodes);
        let nodes = nodes.fold(0, u64::saturating_add);
        let waiting = u32::try_from(self.done.len()).unwrap_or(u32::MAX);
        self.rows
            .progress(self.passed.saturating_add(waiting), nodes);
    }

    /// Gives rows to whoever has room for one. Near the end nobody takes one to wait that others could compute.
    fn give(&mut self) -> Result<(), R::Error> {
        let members: Vec<Member> = self.members.numbers();
        for wanted in 1..=EACH {
            for &member in &members {
                let has = self.given.get(&member).map(|hands| hands.rows.len());
                if has.is_none_or(|has| has >= wanted) {
                    continue;
                }
                let left = (self.table.rows.end - self.next) as usize + self.again.len();
                if wanted > 1 && left < self.given.len() {
                    return Ok(());
                }
                let Some(row) = self.take(member)? else {
                    continue;
                };
                let files = row.files.iter();
                let message = Message::Row {
                    number: row.number,
                    inputs: files
                        .map(|(name, bytes)| (name.clone(), bytes.len() as u64))
                        .collect(),
                };
                let mut bulk = Vec::new();
                row.files.iter().for_each(|(_, bytes)| bulk.extend(bytes));
                self.send(member, &Letter { message, bulk })?;
                if let Some(hands) = self.given.get_mut(&member) {
                    hands.rows.push_back(row);
                }
            }
        }
        Ok(())
    }

    /// The next row to compute, if there is one, and if not too many wait for an earlier one.
    fn take(&mut self, member: Member) -> Result<Option<Row>, R::Error> {
        let place_of = |member: &Member| self.members.place_of(*member);
        let fits = |row: &Row| {
            let all = self.given.keys().filter_map(place_of);
            place_of(&member).is_some_and(|own| row.losses.fits(own, all))
        };
        if let Some(first) = self.again.iter().position(fits) {
            return Ok(self.again.remove(first));
        }
        let most = AHEAD * self.given.len();
        if self.next == self.table.rows.end || (self.next - self.passed) as usize >= most {
            return Ok(None);
        }
        let files = self.rows.next()?;
        let number = self.next;
        self.next += 1;
        Ok(Some(Row {
            number,
            files,
            losses: Losses::default(),
        }))
    }

    /// A member is lost, and others compute what it had.
    fn lose(&mut self, member: Member, reason: &str) -> Result<(), R::Error> {
        let address = self.members.address_of(member);
        let Some(place) = self.members.remove(member) else {
            return Ok(());
        };
        self.dialler.lost(place, false);
        self.transport.close(member);
        let hands = self.given.remove(&member).unwrap_or_default();
        for (number, mut row) in hands.rows.into_iter().enumerate().rev() {
            // Those behind the first had not begun.
            if number == 0 && reason != STOPPED {
                row.losses.add(place);
            }
            if row.losses.are_deadly(self.members.places()) {
                return Err(ClusterError::Deadly {
                    row: row.number,
                    last: address,
                    reason: reason.to_owned(),
                }
                .into());
            }
            self.again.push_front(row);
        }
        if self.members.count() == 0 {
            return Err(ClusterError::NobodyLeft {
                last: address,
                reason: reason.to_owned(),
            }
            .into());
        }
        self.rows.told(&format!(
            "{address} is lost: {reason}; others compute its rows"
        ));
        Ok(())
    }

    /// Those that were lost may be there again, and others may have come.
    fn look_around(&mut self) -> Result<(), R::Error> {
        for call in self.dialler.answered() {
            let mut vacant = self.members.vacant().into_iter();
            // Somebody may have come there meanwhile.
            if vacant.any(|(vacant, _)| vacant == call.place) {
                self.rows.told(&self.dialler.found(&call));
                self.welcome(call.member, call.place, &call.address)?;
            }
        }
        self.dialler.call_vacant(&mut self.members);
        Ok(())
    }
}
