//! A program that branches on a secret asks whoever has the key, who answers as far as rules allow.

use blindcore::{Branches, Error, Keys, Otherwise, Program, Rules, Values};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gcd/gcd.elf");

/// At most 64 questions, all of them from `main`: what the computer learns is the number of rounds.
const RULES: &str = "
    max_bits = 64

    [[allow]]
    site = \"main\"
    answers = 64
";

fn main() -> Result<(), Error> {
    let program = Program::open(PROGRAM)?
        .secret(["a", "b"])?
        .branches(Branches {
            otherwise: Otherwise::Ask,
            ..Branches::default()
        });
    for leak in program.plan()?.leaks() {
        println!("{leak}");
    }

    let keys = Keys::generate()?;
    let values = Values::new().set("a", 1071).set("b", 462);
    let inputs = keys.secret.encrypt(&program, &values)?;

    // The ledger counts what is ever revealed of this key. Here it lasts as long as the example.
    let folder = std::env::temp_dir().join(format!("blindcore-asking-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|error| Error::new(blindcore::ErrorKind::Io, error.to_string()))?;
    let rules = Rules::from_toml(RULES)?;
    let outputs = program
        .runner(&keys.server)
        .answering(&keys.secret, rules, folder.join("ledger"))
        .run(&inputs)?;

    println!("{}", keys.secret.decrypt(&outputs)?.get::<u32>("divisor")?);
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}
