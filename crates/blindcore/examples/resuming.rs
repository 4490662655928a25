//! A run is interrupted half-way and goes on from its checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};

use blindcore::{Cancel, Error, ErrorKind, Keys, Program, Progress, Values};

const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/salaries/salaries.elf"
);

fn main() -> Result<(), Error> {
    let program = Program::open(PROGRAM)?.secret(["salary", "count"])?;
    let keys = Keys::generate()?;
    let values = Values::new()
        .set("salary", [5200, 4100, 3950])
        .set("count", 3);
    let inputs = keys.secret.encrypt(&program, &values)?;
    let checkpoint = std::env::temp_dir().join(format!("blindcore-{}.bcp", std::process::id()));

    // Whatever ends a run, here it is we ourselves, as soon as anything is done.
    let cancel = Cancel::default();
    let ended = cancel.clone();
    let told = AtomicBool::new(false);
    let first = program
        .runner(&keys.server)
        .checkpoint(&checkpoint)
        .cancel(cancel)
        .progress(move |progress| {
            if let Progress::Run { progress, .. } = progress
                && !told.swap(true, Ordering::Relaxed)
            {
                println!("interrupted: {progress:?}");
                ended.cancel();
            }
        })
        .run(&inputs);
    match first {
        Err(error) if error.kind == ErrorKind::Interrupted => println!("{error}"),
        Err(error) => return Err(error),
        Ok(_) => println!("the run was over before it could be interrupted"),
    }

    // The same run again finds the checkpoint, if there is one, and goes on from there.
    let outputs = program
        .runner(&keys.server)
        .checkpoint(&checkpoint)
        .run(&inputs)?;
    println!("{}", keys.secret.decrypt(&outputs)?.get::<u32>("total")?);
    Ok(())
}
