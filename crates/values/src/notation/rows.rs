//! Rows of CSV files, below a header line; cells are trimmed.

use std::io::Read;

/// All rows of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// What messages call the file.
    pub path: String,
    /// The cells of the header line.
    pub header: Vec<String>,
    /// The number of each other line, and its cells.
    pub rows: Vec<(u64, Vec<String>)>,
}

/// A reader of such a file.
pub fn rows_of<R: Read>(file: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(file)
}

/// Reads the next row; whether there is one.
///
/// # Errors
///
/// In words: what is wrong with the file, or that there is an empty line above the row. Readers of
/// CSV skip such lines, but in a file of one column they may be rows without a value, and every row
/// behind would belong to somebody else.
pub fn next_row<R: Read>(
    reader: &mut csv::Reader<R>,
    row: &mut csv::StringRecord,
) -> Result<bool, String> {
    let begin = reader.position().line();
    if !reader.read_record(row).map_err(|error| error.to_string())? {
        return Ok(false);
    }
    let breaks = |cell: &str| cell.matches('\n').count() as u64;
    let own = 1 + row.iter().map(breaks).sum::<u64>();
    if row.len() == 1 && reader.position().line() - begin > own {
        return Err(format!(
            "an empty line above '{}': give a value in each row",
            row.get(0).unwrap_or_default()
        ));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Vec<String>>, String> {
        let mut reader = rows_of(text.as_bytes());
        let mut row = csv::StringRecord::new();
        reader.headers().map_err(|error| error.to_string())?;
        let mut rows = Vec::new();
        while next_row(&mut reader, &mut row)? {
            rows.push(row.iter().map(str::to_owned).collect());
        }
        Ok(rows)
    }

    #[test]
    fn no_row_of_one_column_vanishes() {
        for text in ["a\n1\n2\n", "a\r\n1\r\n2", "a\n 1\n2\n\n\n", "\na\n1\n2"] {
            assert_eq!(read(text).unwrap(), [["1"], ["2"]], "{text:?}");
        }
        for text in [
            "a\n1\n\n2\n",
            "a\n\n1\n2\n",
            "a\r\n1\r\n\r\n2\r\n",
            "a\r\n\r\n1",
        ] {
            let error = read(text).unwrap_err();
            assert!(
                error.starts_with("an empty line above"),
                "{text:?}: {error}"
            );
        }
        // A cell that is there, of several lines.
        assert_eq!(read("a\n\"1\n\n2\"\n3\n").unwrap(), [["1\n\n2"], ["3"]]);
        assert_eq!(read("a\n\"\"\n3\n").unwrap(), [[""], ["3"]]);
        // Of two columns no row is empty.
        assert_eq!(read("a,b\n1,2\n\n3,4\n").unwrap(), [["1", "2"], ["3", "4"]]);
    }
}
