//! Programs through keys that were saved, ciphertexts that travelled, and runs that were
//! interrupted.

use blindcore::{
    Cancel, ErrorKind, Inputs, Keys, Outputs, Program, PublicKey, SecretKey, ServerKey, Values,
};

fn salaries() -> Program {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/salaries/salaries.elf"
    );
    Program::open(path)
        .unwrap()
        .secret(["salary", "count"])
        .unwrap()
}

fn values() -> Values {
    Values::new()
        .set("salary", [5200, 4100, 3950])
        .set("count", 3)
}

#[test]
#[ignore = "slow: 13 s"]
fn keys_and_ciphertexts_travel_as_files() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("ada");
    let keys = Keys::generate().unwrap();
    keys.save(&name, Some("a long passphrase")).unwrap();
    let again = keys.save(&name, None).unwrap_err();
    assert_eq!(again.kind, ErrorKind::Io, "{again}");

    let path = |ending: &str| folder.path().join(format!("ada.{ending}"));
    let locked = SecretKey::open(path("secret"), None).err().unwrap();
    assert_eq!(locked.kind, ErrorKind::Passphrase, "{locked}");
    let wrong = SecretKey::open(path("secret"), Some("another"))
        .err()
        .unwrap();
    assert_eq!(wrong.kind, ErrorKind::Passphrase, "{wrong}");
    let secret = SecretKey::open(path("secret"), Some("a long passphrase")).unwrap();
    let public = PublicKey::open(path("public")).unwrap();
    let server = ServerKey::open(path("server")).unwrap();

    // Encrypted by who can read nothing.
    let program = salaries();
    let inputs = public.encrypt(&program, &values()).unwrap();
    let inputs = Inputs::from_bytes(inputs.to_bytes()).unwrap();

    // Interrupted before anything is done, and then resumed from what is there, if anything is.
    let checkpoint = folder.path().join("run.bcp");
    let cancel = Cancel::new();
    cancel.cancel();
    let interrupted = program
        .runner(&server)
        .checkpoint(&checkpoint)
        .cancel(cancel)
        .run(&inputs)
        .unwrap_err();
    assert_eq!(interrupted.kind, ErrorKind::Interrupted, "{interrupted}");
    let outputs = program
        .runner(&server)
        .threads(1)
        .checkpoint(&checkpoint)
        .run(&inputs)
        .unwrap();
    assert!(!checkpoint.exists());

    outputs.save(path("outputs")).unwrap();
    let outputs = Outputs::open(path("outputs")).unwrap();
    let answer = secret.decrypt(&outputs).unwrap();
    assert_eq!(answer.get::<u32>("total").unwrap(), 13250);
    assert_eq!(answer.rows(), 1);
    let none = answer.get::<u32>("totals").unwrap_err();
    assert_eq!(none.kind, ErrorKind::Input, "{none}");
    let narrow = answer.get::<u8>("total").unwrap_err();
    assert_eq!(narrow.kind, ErrorKind::Input, "{narrow}");
    assert!(!format!("{answer:?}").contains("13250"));
}

#[test]
#[ignore = "slow: 2 s"]
fn what_does_not_belong_together_is_refused() {
    let program = salaries();
    let (keys, others) = (Keys::generate().unwrap(), Keys::generate().unwrap());
    let missing = Values::new().set("count", 3);
    let missing = keys.secret.encrypt(&program, &missing).unwrap_err();
    assert_eq!(missing.kind, ErrorKind::Input, "{missing}");
    let unknown = keys.secret.encrypt(&program, &values().set("wage", 1));
    assert_eq!(unknown.unwrap_err().kind, ErrorKind::Input);
    let wide = keys
        .secret
        .encrypt(&program, &values().set("count", 1_u64 << 40));
    assert_eq!(wide.unwrap_err().kind, ErrorKind::Input);
    assert!(salaries().secret(["wage"]).is_err());

    let inputs = keys.secret.encrypt(&program, &values()).unwrap();
    let mixed = program.run(&others.server, &inputs).unwrap_err();
    assert_eq!(mixed.kind, ErrorKind::Key, "{mixed}");

    let bytes = inputs.to_bytes();
    assert!(Inputs::from_bytes(&bytes[..7]).is_err());
    assert!(Outputs::from_bytes(bytes).is_err());
    let mut broken = bytes.to_vec();
    let middle = broken.len() / 2;
    broken[middle] ^= 1;
    let broken = Inputs::from_bytes(broken).unwrap();
    let broken = program.run(&keys.server, &broken).unwrap_err();
    assert_eq!(broken.kind, ErrorKind::File, "{broken}");
}
