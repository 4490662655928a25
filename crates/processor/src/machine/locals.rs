//! Which of the local variables an access at a secret address is meant to reach.
//!
//! Where DWARF names the arrays of a frame, an access need not select over all that lies between
//! two saved registers. What is meant is the array around the address at index 0; but where another
//! begins above it, an index that was lowered may be meant for that one: it is selected over as
//! well if it is no farther than the start of the first, and within [`NEAR`], or if it is at most
//! [`LOWERED`] of its own elements away. DWARF does not name all that is there: of literals and
//! spilled registers it says nothing, and bytes of no variable that lie as near are candidates like
//! arrays.
//!
//! The number is no evidence, and all of the region stays, where it was reached by subtracting the
//! index, where the secret was added to a pointer into another variable, and where the access is
//! wider than the array's elements. But variables that are one number are nobody's elements: they
//! are left out, so that a loop's counter does not become secret by a store into an array beside
//! it.

use super::objects::{Extent, NEAR, Stack};
use super::origin::Base;
use super::{Symbolic, Word};
use crate::program::{Elements, Local};

/// By how many elements an index may be lowered so far that it begins in the array below.
const LOWERED: u32 = 2;

impl Symbolic {
    /// The local variables of the frame in progress and of its callers', as far up as these bases
    /// lead.
    pub(super) fn locals(&self, bases: &[Base]) -> Vec<Local> {
        let Some((frames, highest)) = self.objects.frames_around(bases) else {
            return Vec::new();
        };
        let registers = self.registers.each_ref().map(Word::clear);
        frames.locals(self.pc, registers, highest, |address| {
            let bytes = self.memory.clear_bytes(address, 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        })
    }
}

/// Some bytes of the stack: variables that overlap are one part, for compilers let those that are
/// never alive at once share their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    start: u32,
    size: u32,
    name: String,
    elements: Option<Elements>,
}

impl Part {
    fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.start) < self.size
    }

    fn end(&self) -> u32 {
        self.start.saturating_add(self.size)
    }

    fn extent(&self) -> Extent {
        Extent::of_bytes(self.start, self.size, self.name.clone())
    }
}

/// What of these regions a pointer of this base may reach.
pub(super) fn narrowed(base: &Base, stack: &Stack<'_>, regions: Vec<Extent>) -> Vec<Extent> {
    if stack.locals.is_empty() {
        return regions;
    }
    let parts = parts(stack.locals);
    if let Some(found) = meant(base, stack, &parts, &regions) {
        return found;
    }
    // A pointer to a number may be one of several.
    let named = [Some(base.at), base.anchor];
    let is_meant = |part: &Part| named.iter().flatten().any(|at| part.contains(*at));
    let numbers: Vec<Part> = parts
        .into_iter()
        .filter(|part| part.elements.is_none() && !is_meant(part))
        .collect();
    let left = regions.iter();
    left.flat_map(|region| without(region, &numbers)).collect()
}

/// The only array of a region that a pointer of this base is meant to reach, if it is one.
pub(super) fn only(base: &Base, stack: &Stack<'_>, region: &Extent) -> Option<Extent> {
    let found = meant(
        base,
        stack,
        &parts(stack.locals),
        std::slice::from_ref(region),
    )?;
    <[Extent; 1]>::try_from(found).ok().map(|[array]| array)
}

/// The array that a pointer of this base is meant to reach and what else it may be, or nothing
/// where the number is no evidence.
fn meant(
    base: &Base,
    stack: &Stack<'_>,
    parts: &[Part],
    regions: &[Extent],
) -> Option<Vec<Extent>> {
    let around = |address: u32| parts.iter().find(|part| part.contains(address));
    let array = around(base.at)?;
    let home = base.anchor.and_then(around);
    let fits = array.elements?.inner >= stack.size;
    if !fits || base.down || home.is_some_and(|home| home != array) {
        return None;
    }
    let own = (base.at - array.start).min(NEAR);
    let is_near = |start: u32, element: u32| {
        let most = own.max(element.saturating_mul(LOWERED));
        start > base.at && start - base.at <= most
    };
    let near = parts.iter().filter(|part| {
        part.elements
            .is_some_and(|of| is_near(part.start, of.outer))
    });
    let gaps = regions.iter().flat_map(|region| without(region, parts));
    let gaps = gaps.filter(|gap| is_near(gap.start, stack.size));
    let all = [array].into_iter().chain(near).map(Part::extent);
    Some(all.chain(gaps).collect())
}

/// Variables by address, those that overlap joined.
fn parts(locals: &[Local]) -> Vec<Part> {
    let mut sorted: Vec<&Local> = locals.iter().collect();
    sorted.sort_by_key(|local| (local.start, std::cmp::Reverse(local.size)));
    let mut parts: Vec<Part> = Vec::new();
    for local in sorted {
        let Some(end) = local.start.checked_add(local.size) else {
            continue;
        };
        match parts.last_mut().filter(|last| local.start < last.end()) {
            Some(last) => {
                last.size = last.end().max(end) - last.start;
                last.elements = match (last.elements, local.elements) {
                    (Some(a), Some(b)) => Some(Elements {
                        outer: a.outer.max(b.outer),
                        inner: a.inner.max(b.inner),
                    }),
                    (a, b) => a.or(b),
                };
            }
            None => parts.push(Part {
                start: local.start,
                size: local.size,
                name: local.name.to_string(),
                elements: local.elements,
            }),
        }
    }
    parts
}

/// A region's bytes that are in none of the parts, which are in order.
fn without(region: &Extent, parts: &[Part]) -> Vec<Extent> {
    let (mut start, end) = (region.start, region.start.saturating_add(region.size));
    let mut left = Vec::new();
    let cut = parts
        .iter()
        .filter(|part| part.end() > region.start && part.start < end)
        .map(|part| (part.start, part.end()));
    for (from, to) in cut.chain([(end, end)]) {
        if start < from {
            let name = format!("stack at {start:#010x}");
            left.push(Extent::of_bytes(start, from - start, name));
        }
        start = start.max(to);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(name: &str, start: u32, size: u32, element: Option<u32>) -> Local {
        Local {
            name: name.into(),
            start,
            size,
            elements: element.map(|size| Elements {
                outer: size,
                inner: size,
            }),
        }
    }

    /// A number, four bytes that nobody names, four words, a hundred words, two bytes.
    fn frame() -> Vec<Local> {
        vec![
            local("n", 0x1000, 4, None),
            local("small", 0x1008, 16, Some(4)),
            local("large", 0x1018, 400, Some(4)),
            local("text", 0x11a8, 2, Some(1)),
        ]
    }

    fn reached(anchor: Option<u32>, at: u32, down: bool, size: u32) -> Vec<(u32, u32)> {
        let stack = Stack {
            pointer: 0x1000,
            locals: &frame(),
            size,
        };
        let region = Extent::of_bytes(0x1000, 0x1b0, "region".to_owned());
        let base = Base { anchor, at, down };
        let mut found: Vec<_> = narrowed(&base, &stack, vec![region])
            .iter()
            .map(|extent| (extent.start, extent.size))
            .collect();
        found.sort_unstable();
        found
    }

    const SMALL: (u32, u32) = (0x1008, 16);
    const LARGE: (u32, u32) = (0x1018, 400);
    /// All but the number.
    const REST: [(u32, u32); 1] = [(0x1004, 0x1ac)];

    #[test]
    fn an_array_by_its_start_is_meant_alone() {
        assert_eq!(reached(None, 0x1008, false, 4), [SMALL]);
        assert_eq!(reached(Some(0x1008), 0x1008, false, 4), [SMALL]);
        // The anchor is nobody's, as the word above all variables.
        assert_eq!(reached(Some(0x11b0), 0x1008, false, 4), [SMALL]);
        assert_eq!(reached(None, 0x1018, false, 4), [LARGE]);
        // Bytes of a word.
        assert_eq!(reached(None, 0x1008, false, 1), [SMALL]);
    }

    #[test]
    fn an_array_that_begins_as_near_above_is_meant_as_well() {
        // small[i + 1], or large[i - 3].
        assert_eq!(reached(None, 0x100c, false, 4), [SMALL]);
        // small[i + 2], or large[i - 2].
        assert_eq!(reached(None, 0x1010, false, 4), [SMALL, LARGE]);
        // Neither of the two bytes at the end nor what no variable covers behind them is far.
        let last = [LARGE, (0x11a8, 2), (0x11aa, 6)];
        assert_eq!(reached(None, 0x11a0, false, 4), last);
        assert_eq!(reached(None, 0x1100, false, 4), [LARGE]);
    }

    #[test]
    fn all_but_numbers_stay_where_the_number_is_no_evidence() {
        // Behind the start of no array.
        assert_eq!(reached(None, 0x1004, false, 4), REST);
        // The index was subtracted.
        assert_eq!(reached(None, 0x1008, true, 4), REST);
        // The pointer was one into the other array.
        assert_eq!(reached(Some(0x1018), 0x1008, false, 4), REST);
        // Words of bytes.
        assert_eq!(reached(None, 0x11a8, false, 4), REST);
        // One of several pointers points to the number.
        assert_eq!(reached(None, 0x1000, false, 4), [(0x1000, 0x1b0)]);
    }

    #[test]
    fn variables_that_share_their_bytes_are_one() {
        let mut locals = frame();
        locals.push(local("other", 0x1010, 16, Some(4)));
        let joined = parts(&locals);
        let places: Vec<_> = joined.iter().map(|part| (part.start, part.size)).collect();
        assert_eq!(places, [(0x1000, 4), (0x1008, 416), (0x11a8, 2)]);
        // At the end of the address space, and beyond.
        let wild = [
            local("a", u32::MAX - 3, 4, Some(1)),
            local("b", 0xffff_0000, u32::MAX, Some(1)),
        ];
        assert_eq!(parts(&wild).len(), 0);
    }
}
