//! The second part of a server key beside the first: found, or named, and nothing but the right one.

#![cfg(feature = "secret")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Cursor;
use std::path::{Path, PathBuf};

use blindcore_session::evaluator::{Given, Target};
use blindcore_session::owner::{
    Encryptor, KeyPair, SecretKey, ServerKeyFile, Settings, generate, generate_selectors,
};
use blindcore_session::schemes::Adapter;
use blindcore_session::schemes::tfhe::{ExpandedKey, Selectors, Tfhe};
use blindcore_session::{Control, Error, ErrorKind};
use tempfile::TempDir;
use tfhe::{Lookup, TOY_BLOCK, TOY_UNIFORM, TruthTable};

/// A folder with `mine.server`, and two bits for its key: 1 and 0.
struct Rig {
    folder: TempDir,
    keys: KeyPair,
    given: Given<Tfhe>,
    control: Control,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let control = Control::default();
        let keys = generate(&Settings::Tfhe(TOY_BLOCK), &control).unwrap();
        let variables = ["one", "zero"].map(|name| wire::Variable {
            name: name.to_owned(),
            kind: "u8".parse().unwrap(),
        });
        let bits: Vec<bool> = (0..16).map(|bit| bit < 8).collect();
        let file = Encryptor::of_secret(&keys.secret)
            .encrypt(&variables, &bits, &control)
            .unwrap();
        let (inputs, _) = Tfhe::read(Box::new(Cursor::new(file.to_vec())), None).unwrap();
        let given = Given::joined(vec![("bits.inputs".to_owned(), inputs)]).unwrap();
        let rig = Self {
            folder,
            keys,
            given,
            control,
        };
        std::fs::write(rig.path("mine.server"), rig.server()).unwrap();
        rig
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn server(&self) -> Vec<u8> {
        let ServerKeyFile::Tfhe(server) = &self.keys.server else {
            unreachable!("a key of another scheme");
        };
        wire::encode(server).unwrap().to_vec()
    }

    /// The file of a selector key of this pair or of another.
    fn selectors(&self, pair: &KeyPair) -> Vec<u8> {
        wire::encode(&generate_selectors(secret(pair), &self.control).unwrap())
            .unwrap()
            .to_vec()
    }

    fn read(&self, server: &Path, selectors: Selectors) -> Result<ExpandedKey, Error> {
        let target = Target {
            selectors,
            ..Target::of(&self.control)
        };
        Tfhe::read_key(server, &self.given, &target, &self.control)
    }

    /// What is wrong with bytes that stand beside the server key.
    fn refused(&self, bytes: &[u8]) -> Error {
        std::fs::write(self.path("mine.selectors"), bytes).unwrap();
        let read = self.read(&self.path("mine.server"), Selectors::Beside);
        read.map(|_| ()).unwrap_err()
    }
}

fn secret(pair: &KeyPair) -> &tfhe::SecretKey {
    let SecretKey::Tfhe(secret) = &pair.secret else {
        unreachable!("a key of another scheme");
    };
    secret
}

#[test]
fn the_second_part_is_read_where_it_is_wanted() {
    let rig = Rig::new();
    let server = rig.path("mine.server");
    let beside = rig.read(&server, Selectors::Beside).unwrap();
    assert!(beside.selectors.is_none(), "there is none");
    std::fs::write(rig.path("mine.selectors"), rig.selectors(&rig.keys)).unwrap();
    let unused = rig.read(&server, Selectors::Unused).unwrap();
    assert!(unused.selectors.is_none(), "nobody asked");

    let key = rig.read(&server, Selectors::Beside).unwrap();
    let selectors = key.selectors.unwrap();
    // It chooses: the same bit by 1, the other one by 0.
    let given = rig.given.first().unwrap().1.bits().unpack();
    let (one, zero) = (&given[0], &given[8]);
    let mut work = selectors.work(&key.lookups, 1);
    for (condition, expected) in [(one, true), (zero, false)] {
        let lookup = Lookup {
            terms: &[(condition, 1)],
            constant: 0,
            tables: &[TruthTable::of(|t| t == 1)],
        };
        let made = selectors.selectors(&key.lookups, &mut work, &[lookup]);
        let selector = &made.unwrap()[0][0];
        let chosen = selectors.choose(&mut work, selector, zero, one).unwrap();
        assert_eq!(secret(&rig.keys).decrypt(&chosen).unwrap(), expected);
    }

    // Under another name it is found only by that name.
    let named = rig.path("elsewhere");
    std::fs::rename(rig.path("mine.selectors"), &named).unwrap();
    assert!(
        rig.read(&server, Selectors::Beside)
            .unwrap()
            .selectors
            .is_none()
    );
    let key = rig.read(&server, Selectors::In(named)).unwrap();
    assert!(key.selectors.is_some());
}

#[test]
fn what_is_no_second_part_of_this_key_is_refused() {
    let rig = Rig::new();
    let other = |set| generate(&Settings::Tfhe(set), &rig.control).unwrap();
    let is = |error: &Error, kind, parts: &[&str]| {
        assert_eq!(error.kind, kind, "{error}");
        for part in [&["mine.selectors: "], parts].concat() {
            assert!(error.to_string().contains(part), "no {part:?} in {error}");
        }
    };
    let stray = rig.refused(&rig.selectors(&other(TOY_BLOCK)));
    is(
        &stray,
        ErrorKind::Key,
        &["made with key", "another server key", "key selectors"],
    );
    let stray = rig.refused(&rig.selectors(&other(TOY_UNIFORM)));
    is(
        &stray,
        ErrorKind::Key,
        &["set TOY_UNIFORM", "another server key"],
    );
    let kind = [
        "this is a server key, a selector key was expected",
        "NAME.selectors",
    ];
    is(&rig.refused(&rig.server()), ErrorKind::File, &kind);
    let own = rig.selectors(&rig.keys);
    is(
        &rig.refused(&own[..own.len() - 1]),
        ErrorKind::File,
        &["truncated"],
    );
    let mut flipped = own.clone();
    flipped[own.len() / 2] ^= 1;
    is(&rig.refused(&flipped), ErrorKind::File, &["corrupted"]);
    is(
        &rig.refused(b"notes"),
        ErrorKind::File,
        &["not a Blindcore file"],
    );

    let missing = rig.path("missing");
    let error = rig.read(&rig.path("mine.server"), Selectors::In(missing));
    assert_eq!(error.map(|_| ()).unwrap_err().kind, ErrorKind::Io);
    // Nor is it a server key.
    std::fs::write(rig.path("mine.server"), own).unwrap();
    let error = rig.read(&rig.path("mine.server"), Selectors::Unused);
    let error = error.map(|_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("this is a selector key, a server key was expected"),
        "{error}"
    );
}
