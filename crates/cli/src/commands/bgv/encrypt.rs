//! Encryption of a table, with either key: for each batch of rows a vector for each bit of a row.

use files::Existing;
use random::Generator;
use wire::bgv::{FreshVectors, Inputs, Share};
use wire::{Kind, WireError};

use super::super::gentry_halevi::kind_of;
use super::super::protection::KeyFile;
use super::super::{bytes, internal, print, read, reserve};
use super::{failure, rows_in_words};
use crate::arguments::Encrypt;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Steps;
use session::Program;
use session::program::Table;

/// Encrypts a table and writes the inputs file, a batch at a time.
pub(in super::super) fn encrypt(arguments: &Encrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    let program = Program::load(&arguments.program)?;
    let wrong = |error: WireError| Failure::file(&arguments.out, &error);
    let table = Table::read(&program, &arguments.values, arguments.call.as_ref())?;
    wire::check_variables(&table.variables).map_err(wrong)?;
    let key = Encryptor::read(KeyFile::new(&arguments.key, &arguments.unlocking))?;
    let kind = Existing::ReplaceKind(Kind::BGV_INPUTS);
    let mut file = reserve::<Inputs>(&arguments.out, kind, interrupt)?.begin();

    let share = |batch| Share::new(table.rows, batch, key.parameters()).map_err(wrong);
    let batches = share(0)?.batches();
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let vectors = table.width() as u64;
    let steps = Steps::new(arguments.quiet, u64::from(batches) * vectors);
    for batch in 0..batches {
        steps.begin(format!("batch {} of {batches}", batch + 1));
        let reach = |done| match interrupt.check() {
            Ok(()) => {
                steps.reach(done);
                Ok(())
            }
            Err(_) => {
                let message = format!("interrupted in batch {} of {batches}", batch + 1);
                Err(Failure::new(Code::Interrupted, message))
            }
        };
        let inputs = encrypted(&table, share(batch)?, &key, &mut generator, reach)?;
        let bytes = wire::encode(&inputs).map_err(wrong)?;
        file.append(&bytes).map_err(wrong)?;
    }
    steps.finish();
    let file = file.finish().map_err(wrong)?;
    let length = file.length();
    interrupt.check()?;
    file.commit().map_err(wrong)?;
    if arguments.quiet {
        return Ok(());
    }
    let Table { variables, .. } = &table;
    let names: Vec<String> = variables
        .iter()
        .map(|variable| format!("{}: {}", variable.name, variable.kind))
        .collect();
    print(&format!(
        "{}\n{}: {} of {vectors} encrypted bits{}, {}\n",
        names.join("\n"),
        arguments.out.display(),
        rows_in_words(table.rows),
        of_slots(batches, key.parameters().slots()),
        bytes(length)
    ))
}

fn of_slots(batches: u32, slots: usize) -> String {
    match batches {
        1 => format!(" in {slots} slots"),
        _ => format!(" in {batches} batches of {slots} slots"),
    }
}

/// What encrypts.
enum Encryptor {
    Secret(bgv::SecretKey),
    Public(bgv::PublicKey),
}

impl Encryptor {
    fn read(file: KeyFile<'_>) -> Result<Self, Failure> {
        let wrong = |error: WireError| Failure::file(file.path, &error);
        if kind_of(file.path) == Some(Kind::BGV_PUBLIC_KEY) {
            let key: wire::bgv::PublicKey = read(file.path)?;
            return key.open().map(Self::Public).map_err(wrong);
        }
        let key: wire::bgv::SecretKey = file.read()?;
        key.open().map(Self::Secret).map_err(wrong)
    }

    fn parameters(&self) -> &bgv::Parameters {
        match self {
            Self::Secret(key) => key.parameters(),
            Self::Public(key) => key.ring().parameters(),
        }
    }

    /// A vector for each list of bits.
    fn vectors(
        &self,
        bits: &[Vec<bool>],
        share: Share,
        generator: &mut Generator,
        reach: impl Fn(u64) -> Result<(), Failure>,
    ) -> Result<FreshVectors, Failure> {
        let parameters = self.parameters();
        let seed = generator.seed();
        let mut vectors = match self {
            Self::Secret(key) => FreshVectors::new(parameters, key.key_id(), seed, share),
            Self::Public(key) => FreshVectors::public(parameters, key.key_id(), share),
        }
        .map_err(internal)?;
        for (number, bits) in (0..).zip(bits) {
            reach(number)?;
            match self {
                Self::Secret(key) => vectors.push(
                    key.encrypt_seeded(bits, &seed, number, generator)
                        .map_err(failure)?,
                ),
                Self::Public(key) => {
                    vectors.push_public(key.encrypt(bits, generator).map_err(failure)?)
                }
            }
            .map_err(internal)?;
        }
        Ok(vectors)
    }
}

/// A batch of the table's rows.
fn encrypted(
    table: &Table,
    share: Share,
    key: &Encryptor,
    generator: &mut Generator,
    reach: impl Fn(u64) -> Result<(), Failure>,
) -> Result<Inputs, Failure> {
    // Every batch but the last fills the slots.
    let first = share.batch() * key.parameters().slots() as u32;
    let bits = table.bits(first..first + share.rows());
    let vectors = key.vectors(&bits, share, generator, reach)?;
    Inputs::new(table.variables.clone(), vectors).map_err(internal)
}
