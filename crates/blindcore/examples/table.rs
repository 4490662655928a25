//! A table of people, whose rows one run on BGV scores all at once.

use blindcore::{Error, ErrorKind, Keys, Program};

const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/credit/credit.elf"
);
/// Its header names the program's variables.
const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/credit/people.csv"
);

fn main() -> Result<(), Error> {
    let program = Program::open(PROGRAM)?;
    let table = std::fs::read_to_string(TABLE);
    let table = table.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let rows: Vec<Vec<i32>> = lines
        .map(|line| line.split(',').flat_map(str::parse).collect())
        .collect();
    let program = program.secret(header)?;

    // How deep the program is decides the parameters, so the keys are made for it.
    let keys = Keys::for_table(&program, rows.len())?;
    let inputs = keys.secret.encrypt_table(&program, TABLE)?;
    let outputs = program.run(&keys.server, &inputs)?;

    let answer = keys.secret.decrypt(&outputs)?;
    let scores = answer.column::<i32>("score")?;
    println!(
        "{} rows, the first scores {:?}",
        answer.rows(),
        &scores[..5]
    );
    for (row, score) in rows.iter().zip(scores) {
        let &[age, income, debt, years, late] = row.as_slice() else {
            continue;
        };
        let expected = 300 + 2 * age + income / 2 - debt / 8 + 10 * years - 40 * late;
        assert_eq!(score, expected, "{row:?}");
    }
    Ok(())
}
