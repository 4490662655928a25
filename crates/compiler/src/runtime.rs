//! The library that programs are linked with, as text.

/// The name of the file that says where a program's parts lie in memory.
pub(crate) const LAYOUT: &str = "program.ld";

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../runtime/", $name))),)*]
    };
}

/// Names and contents.
pub(crate) const FILES: &[(&str, &str)] = files![
    "program.ld",
    "include/assert.h",
    "include/blindcore.h",
    "include/ctype.h",
    "include/errno.h",
    "include/inttypes.h",
    "include/math.h",
    "include/memory.h",
    "include/stdio.h",
    "include/stdlib.h",
    "include/string.h",
    "include/time.h",
    "include/wchar.h",
    "choice.c",
    "convert.c",
    "counts.c",
    "ctype.c",
    "division.c",
    "heap.c",
    "math.c",
    "memory.c",
    "numbers.c",
    "print.c",
    "runtime.c",
    "search.c",
    "shift.c",
    "sort.c",
    "string.c",
    "system.c",
    "weak.c",
    "whole.c",
];

#[cfg(test)]
mod tests {
    #[test]
    fn no_file_is_forgotten() {
        let mut names = Vec::new();
        for folder in ["", "include/"] {
            let place = format!("{}/runtime/{folder}", env!("CARGO_MANIFEST_DIR"));
            for entry in std::fs::read_dir(place).unwrap().map(Result::unwrap) {
                if entry.path().is_file() {
                    names.push(format!("{folder}{}", entry.file_name().to_string_lossy()));
                }
            }
        }
        let mut known: Vec<_> = super::FILES.iter().map(|(name, _)| *name).collect();
        names.sort();
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
