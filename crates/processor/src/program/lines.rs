//! Source lines of addresses: from DWARF's line programs, or as an assembler knows them.
//!
//! The table is a sorted list of rows, read once: a line program yields at most one row for each
//! of its bytes, so its size is bounded by the file's.

use super::debug::dwarf;
use super::elf::Sections;

#[derive(Clone, Debug)]
struct Row {
    address: u32,
    /// Index into `files`; `None` ends a sequence.
    file: Option<usize>,
    line: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct LineTable {
    files: Vec<String>,
    rows: Vec<Row>,
}

impl LineTable {
    /// The lines of one file, by address in ascending order; `None` where no line is.
    pub(super) fn of(file: &str, rows: impl Iterator<Item = (u32, Option<u32>)>) -> Self {
        let rows = rows.map(|(address, line)| Row {
            address,
            file: line.map(|_| 0),
            line: line.unwrap_or(0),
        });
        Self {
            files: vec![file.to_owned()],
            rows: rows.collect(),
        }
    }

    /// Reads every line program; a damaged one gives the rows before the damage.
    pub(super) fn read(sections: &Sections<'_>) -> Self {
        let dwarf = dwarf(sections);
        let mut table = Self::default();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else {
                continue;
            };
            let Some(program) = unit.line_program.clone() else {
                continue;
            };
            let mut names = std::collections::HashMap::new();
            let mut rows = program.rows();
            while let Ok(Some((header, row))) = rows.next_row() {
                let Ok(address) = u32::try_from(row.address()) else {
                    continue;
                };
                let file = (!row.end_sequence()).then(|| {
                    *names.entry(row.file_index()).or_insert_with(|| {
                        let name = row
                            .file(header)
                            .and_then(|file| dwarf.attr_string(&unit, file.path_name()).ok())
                            .map_or_else(|| "?".to_owned(), |n| n.to_string_lossy().into_owned());
                        table.files.push(name);
                        table.files.len() - 1
                    })
                });
                let line = row
                    .line()
                    .map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
                table.rows.push(Row {
                    address,
                    file,
                    line,
                });
            }
        }
        // Stable, so that of rows for one address the last stands; the end of one sequence sorts
        // before the beginning of the next at the same address.
        table
            .rows
            .sort_by_key(|row| (row.address, row.file.is_some()));
        table
    }

    /// The file and line of an address.
    pub(super) fn find(&self, address: u32) -> Option<(String, u32)> {
        let index = self.rows.partition_point(|row| row.address <= address);
        let row = self.rows.get(index.checked_sub(1)?)?;
        let file = self.files.get(row.file?)?;
        (row.line > 0).then(|| (file.clone(), row.line))
    }
}
