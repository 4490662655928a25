//! Routines of stock libraries, in whose place ours are carried out.
//!
//! Compilers call libgcc for quotients and for numbers with a fraction, which it computes with
//! branches on them; and the libraries that come with `arm-none-eabi-gcc` for ARMv7 are Thumb code.
//! Where the file has a routine of a known name, `stock/library.elf` has another that gives the same
//! results without branches on data. NaNs may differ in their sign and payload, and quotients by
//! zero, which C leaves open. Names with two underscores belong to compilers. Those of C itself are
//! taken only where the routine is Thumb code and could not run, or has a source of its name.
//!
//! A program that defines the symbol `BLINDCORE_STOCK_LIBRARY` keeps what it brings.

use a32::Detours;

use super::elf::{self, Image};
use super::table::{RawSymbol, SymbolKind};
use super::{Function, Segment};

const LIBRARY: &[u8] = include_bytes!("../../stock/library.elf");
const NAMES: &str = include_str!("../../stock/names.txt");

/// Defined by those who want none of this.
pub(super) const REFUSAL: &str = "BLINDCORE_STOCK_LIBRARY";

/// What is carried out in place of what.
#[derive(Default)]
pub(super) struct StandIns {
    pub(super) detours: Detours,
    pub(super) segments: Vec<Segment>,
    pub(super) functions: Vec<Function>,
}

/// Where a routine is replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    Thumb,
    /// Where it is Thumb code, or has a source of its name.
    Pure,
    /// Where it is Thumb code and takes floating-point numbers in core registers.
    SoftThumb,
}

/// The stand-ins for the routines of a file; `source` tells the source of the code at an address.
pub(super) fn stand_ins(image: &Image<'_>, source: &dyn Fn(u32) -> Option<String>) -> StandIns {
    let mut found = StandIns::default();
    let Ok(library) = elf::read(LIBRARY) else {
        return found;
    };
    let taken = |a: &Segment| {
        let end = |s: &Segment| u64::from(s.address) + u64::from(s.size);
        let meets = |b: &Segment| u64::from(a.address) < end(b) && u64::from(b.address) < end(a);
        image.segments.iter().any(meets)
    };
    if image.landmarks.contains_key(REFUSAL) || library.segments.iter().any(taken) {
        return found;
    }
    for symbol in &image.symbols {
        let thumb = symbol.address & 1 == 1;
        let source = source(symbol.address & !1).unwrap_or_default();
        // The library that `blindcore cc` links.
        let is_ours = source.starts_with("blindcore/");
        let of_its_name = || {
            let file = source.rsplit('/').next();
            let rest = file.and_then(|file| file.strip_prefix(&symbol.name));
            rest.is_some_and(|rest| rest.starts_with(['.', '-']))
        };
        let replaced = match when(&symbol.name) {
            Some(When::Always) => true,
            Some(When::Thumb) => thumb,
            Some(When::Pure) => thumb || of_its_name(),
            Some(When::SoftThumb) => thumb && !image.hard_float,
            None => false,
        };
        let stock = symbol.kind == SymbolKind::Function && !is_ours;
        let ours = || library.symbols.iter().find(|s| s.name == symbol.name);
        if let Some(ours) = (replaced && stock).then(ours).flatten() {
            found.detours.insert(symbol.address, ours.address);
        }
    }
    if !found.detours.is_empty() {
        found.segments = library.segments;
        let functions = library.symbols.into_iter();
        let functions = functions.filter(|symbol| symbol.kind == SymbolKind::Function);
        found.functions = functions.map(named).collect();
    }
    found
}

/// When a routine of this name is replaced, if ever.
fn when(name: &str) -> Option<When> {
    let mut lines = NAMES.lines().filter(|line| !line.starts_with('#'));
    let line = lines.find(|line| line.split(' ').skip(1).any(|other| other == name))?;
    match line.split(' ').next() {
        Some("any") => Some(When::Always),
        Some("thumb") => Some(When::Thumb),
        Some("pure") => Some(When::Pure),
        _ => Some(When::SoftThumb),
    }
}

/// As profiles and messages name it.
fn named(symbol: RawSymbol) -> Function {
    Function {
        name: format!("blindcore::{}", symbol.name),
        address: symbol.address,
        size: symbol.size,
        thumb: false,
        parameters: None,
        result: None,
        unsupported: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each name of the list is a routine of the library.
    #[test]
    fn the_library_has_every_routine() {
        let library = elf::read(LIBRARY).unwrap();
        let names = NAMES.lines().filter(|line| !line.starts_with('#'));
        for name in names.flat_map(|line| line.split(' ').skip(1)) {
            let is_it =
                |symbol: &&RawSymbol| symbol.name == name && symbol.kind == SymbolKind::Function;
            assert!(library.symbols.iter().any(|s| is_it(&s)), "{name}");
            assert!(when(name).is_some());
        }
    }
}
