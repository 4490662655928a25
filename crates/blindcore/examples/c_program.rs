//! A compiled C program on encrypted salaries: plan, encrypt, run, decrypt.

use blindcore::{Error, Keys, Program, Values};

/// Made from `salaries.c` by `arm-none-eabi-gcc`.
const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/salaries/salaries.elf"
);

fn main() -> Result<(), Error> {
    let program = Program::open(PROGRAM)?.secret(["salary", "count"])?;
    println!("{}\n", program.plan()?);

    let keys = Keys::generate()?;
    let values = Values::new()
        .set("salary", [5200, 4100, 3950])
        .set("count", 3);
    let inputs = keys.secret.encrypt(&program, &values)?;

    // What the other computer has: the program, keys.server, and these inputs.
    let outputs = program.run(&keys.server, &inputs)?;

    let answer = keys.secret.decrypt(&outputs)?;
    println!("total   {}", answer.get::<u32>("total")?);
    println!("highest {}", answer.get::<u32>("highest")?);
    Ok(())
}
