//! GMP and FLINT of the system, loaded while the command runs: bindings to the few functions that
//! are compared.
//!
//! Neither is linked, and a machine without them loses their rows only. All `unsafe` of this
//! command is here. Both take little-endian limbs of 64 bits on the machines that this crate is
//! built for.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::path::Path;

use libloading::{Library, Symbol};

/// Where libraries are looked for: by the names of Debian and of most others.
const GMP_NAMES: [&str; 3] = ["libgmp.so.10", "libgmp.so", "libgmp.10.dylib"];
const FLINT_NAMES: [&str; 4] = [
    "libflint.so.24",
    "libflint.so.22",
    "libflint.so",
    "libflint.dylib",
];

type Product = unsafe extern "C" fn(*mut u64, *const u64, *const u64, c_long) -> u64;
type ProductNothing = unsafe extern "C" fn(*mut u64, *const u64, *const u64, c_long);
type Square = unsafe extern "C" fn(*mut u64, *const u64, c_long) -> u64;
type SquareNothing = unsafe extern "C" fn(*mut u64, *const u64, c_long);
type Quotient =
    unsafe extern "C" fn(*mut u64, *mut u64, c_long, *const u64, c_long, *const u64, c_long);
type Reduction = unsafe extern "C" fn(*mut u64, *mut u64, *const u64, c_long, *const u64);
type Inverse = unsafe extern "C" fn(*mut u64, *const u64, c_long, *mut u64);
type InverseRoom = unsafe extern "C" fn(c_long) -> c_long;
type Preinverse = unsafe extern "C" fn(*mut u64, *const u64, c_long);
type Residue =
    unsafe extern "C" fn(*mut u64, *const u64, *const u64, c_long, *const u64, *const u64, u64);
type Threads = unsafe extern "C" fn(c_int);

/// The libraries that this machine has.
#[derive(Clone, Copy)]
pub(super) struct Peers<'a> {
    pub(super) gmp: Option<&'a Gmp>,
    pub(super) flint: Option<&'a Flint>,
}

/// GMP.
pub(super) struct Gmp {
    pub(super) version: String,
    multiply: ProductNothing,
    square: SquareNothing,
    divide: Quotient,
    /// Not part of its interface, but exported: reduction by Montgomery's method above its
    /// thresholds.
    montgomery: Option<(Reduction, Inverse, InverseRoom)>,
    _library: Library,
}

/// FLINT.
pub(super) struct Flint {
    pub(super) version: String,
    /// Whether its fastest product is in it, which not every build has.
    pub(super) fft_small: bool,
    multiply: Product,
    square: Option<Square>,
    residue: Option<(Preinverse, Residue)>,
    threads: Option<Threads>,
    _library: Library,
}

/// The first library of these names that the system has.
fn open<'a>(names: impl IntoIterator<Item = &'a Path>) -> Option<Library> {
    names.into_iter().find_map(|name| {
        // SAFETY: initialisers of GMP and FLINT set up tables of their own and nothing else.
        unsafe { Library::new(name) }.ok()
    })
}

/// A function, or the address of a datum, by the first of its names that is there.
///
/// # Safety
/// `T` is a pointer of the right kind, used while the library is open.
unsafe fn symbol<T: Copy>(library: &Library, names: &[&str]) -> Option<T> {
    names.iter().find_map(|name| {
        // SAFETY: by this function's contract.
        let symbol: Result<Symbol<'_, T>, _> = unsafe { library.get(name.as_bytes()) };
        symbol.ok().map(|symbol| *symbol)
    })
}

/// A text of the library's.
///
/// # Safety
/// The address is null or that of a text which ends in zero.
unsafe fn text(address: *const c_char) -> String {
    if address.is_null() {
        return "unknown version".to_owned();
    }
    // SAFETY: by this function's contract.
    let text = unsafe { CStr::from_ptr(address) };
    text.to_string_lossy().into_owned()
}

fn length(limbs: &[u64]) -> c_long {
    // A slice has fewer elements than a signed word can count.
    limbs.len() as c_long
}

impl Gmp {
    pub(super) fn load() -> Option<Self> {
        let library = open(GMP_NAMES.iter().map(Path::new))?;
        // SAFETY: these are the types of the functions in gmp.h and gmp-impl.h, with `long` for a
        // number of limbs, and of a text; the library stays open as long as the value.
        unsafe {
            let version: Option<*const *const c_char> = symbol(&library, &["__gmp_version"]);
            let reduction = symbol(&library, &["__gmpn_redc_n"]);
            let inverse = symbol(&library, &["__gmpn_binvert"]);
            let room = symbol(&library, &["__gmpn_binvert_itch"]);
            Some(Self {
                version: version.map_or_else(String::new, |version| text(*version)),
                multiply: symbol(&library, &["__gmpn_mul_n"])?,
                square: symbol(&library, &["__gmpn_sqr"])?,
                divide: symbol(&library, &["__gmpn_tdiv_qr"])?,
                montgomery: match (reduction, inverse, room) {
                    (Some(reduction), Some(inverse), Some(room)) => {
                        Some((reduction, inverse, room))
                    }
                    _ => None,
                },
                _library: library,
            })
        }
    }

    /// `out = a·b` of operands of one length, into twice that.
    pub(super) fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert!(!a.is_empty() && a.len() == b.len() && out.len() == 2 * a.len());
        // SAFETY: the slices have the lengths that the function reads and writes, and do not
        // overlap.
        unsafe { (self.multiply)(out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), length(a)) }
    }

    /// `out = a²`, into twice the length.
    pub(super) fn square(&self, out: &mut [u64], a: &[u64]) {
        assert!(!a.is_empty() && out.len() == 2 * a.len());
        // SAFETY: as of `multiply`.
        unsafe { (self.square)(out.as_mut_ptr(), a.as_ptr(), length(a)) }
    }

    /// Quotient and remainder of a number by one whose top limb is not zero; the quotient has one
    /// limb more than the lengths differ by.
    pub(super) fn divide(&self, quotient: &mut [u64], rest: &mut [u64], a: &[u64], d: &[u64]) {
        assert!(d.last().is_some_and(|&top| top != 0) && a.len() >= d.len());
        assert!(rest.len() == d.len() && quotient.len() == a.len() - d.len() + 1);
        // SAFETY: the lengths are those that the function asks for, its third argument is 0 as it
        // must be, and nothing overlaps.
        unsafe {
            (self.divide)(
                quotient.as_mut_ptr(),
                rest.as_mut_ptr(),
                0,
                a.as_ptr(),
                length(a),
                d.as_ptr(),
                length(d),
            );
        }
    }

    /// `1/d` modulo `2^(64·n)`, for an odd `d` of `n` limbs; `None` if this GMP does not export it.
    pub(super) fn inverse(&self, d: &[u64]) -> Option<Vec<u64>> {
        let (_, inverse, room) = self.montgomery?;
        assert!(d.first().is_some_and(|&low| low & 1 == 1));
        // SAFETY: a function of a number.
        let room = unsafe { room(length(d)) };
        let mut scratch = vec![0; usize::try_from(room).ok()?];
        let mut out = vec![0; d.len()];
        // SAFETY: the slices have the lengths that the functions ask for.
        unsafe {
            inverse(
                out.as_mut_ptr(),
                d.as_ptr(),
                length(d),
                scratch.as_mut_ptr(),
            )
        }
        Some(out)
    }

    /// `out = wide/2^(64·n) mod d`, by Montgomery's method; `wide` has `2·n` limbs and is
    /// destroyed. Nothing happens if this GMP does not export it.
    pub(super) fn reduce(&self, out: &mut [u64], wide: &mut [u64], d: &[u64], inverse: &[u64]) {
        let Some((reduction, _, _)) = self.montgomery else {
            return;
        };
        let n = d.len();
        assert!(n > 0 && out.len() == n && wide.len() == 2 * n && inverse.len() == n);
        // SAFETY: the slices have the lengths that the function reads and writes.
        unsafe {
            reduction(
                out.as_mut_ptr(),
                wide.as_mut_ptr(),
                d.as_ptr(),
                length(d),
                inverse.as_ptr(),
            );
        }
    }
}

impl Flint {
    /// The library at a path, or the system's.
    pub(super) fn load(path: Option<&Path>) -> Option<Self> {
        let library = match path {
            Some(path) => open([path]),
            None => open(FLINT_NAMES.iter().map(Path::new)),
        }?;
        // SAFETY: these are the types of the functions in flint.h and mpn_extras.h, whose `slong`
        // is `long` here, and of a text; the library stays open as long as the value.
        unsafe {
            let version: Option<*const c_char> = symbol(&library, &["flint_version"]);
            let small: Option<*const c_void> = symbol(&library, &["mpn_ctx_mpn_mul"]);
            let preinverse = symbol(&library, &["flint_mpn_preinvn"]);
            let residue = symbol(&library, &["flint_mpn_mulmod_preinvn"]);
            Some(Self {
                version: text(version.unwrap_or(std::ptr::null())),
                fft_small: small.is_some(),
                multiply: symbol(&library, &["flint_mpn_mul_n", "_flint_mpn_mul_n"])?,
                square: symbol(&library, &["flint_mpn_sqr", "_flint_mpn_sqr"]),
                residue: match (preinverse, residue) {
                    (Some(preinverse), Some(residue)) => Some((preinverse, residue)),
                    _ => None,
                },
                threads: symbol(&library, &["flint_set_num_threads"]),
                _library: library,
            })
        }
    }

    /// Whether it takes a number of threads, and the number from now on.
    pub(super) fn set_threads(&self, threads: usize) -> bool {
        let (Some(set), Ok(threads)) = (self.threads, c_int::try_from(threads)) else {
            return threads == 1;
        };
        // SAFETY: the function takes any positive number; this command calls it from one thread
        // only.
        unsafe { set(threads) };
        true
    }

    /// `out = a·b` of operands of one length, into twice that.
    pub(super) fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert!(!a.is_empty() && a.len() == b.len() && out.len() == 2 * a.len());
        // SAFETY: the slices have the lengths that the function reads and writes, and do not
        // overlap.
        unsafe {
            (self.multiply)(out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), length(a));
        }
    }

    /// `out = a²`, by a function of its own where there is one.
    pub(super) fn square(&self, out: &mut [u64], a: &[u64]) {
        assert!(!a.is_empty() && out.len() == 2 * a.len());
        match self.square {
            // SAFETY: as of `multiply`.
            Some(square) => unsafe {
                square(out.as_mut_ptr(), a.as_ptr(), length(a));
            },
            None => self.multiply(out, a, a),
        }
    }

    /// The reciprocal of a modulus whose top bit is set; `None` if this FLINT does not export it.
    pub(super) fn reciprocal(&self, d: &[u64]) -> Option<Vec<u64>> {
        let (preinverse, _) = self.residue?;
        assert!(d.last().is_some_and(|&top| top >> 63 == 1));
        let mut out = vec![0; d.len()];
        // SAFETY: the slices have the length that the function reads and writes.
        unsafe { preinverse(out.as_mut_ptr(), d.as_ptr(), length(d)) }
        Some(out)
    }

    /// `out = a·b mod d` with the reciprocal of `d`, all of one length.
    pub(super) fn residue(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        d: &[u64],
        inverse: &[u64],
    ) {
        let Some((_, residue)) = self.residue else {
            return;
        };
        let n = d.len();
        assert!(n > 0 && [out.len(), a.len(), b.len(), inverse.len()] == [n; 4]);
        // SAFETY: the slices have the length that the function reads and writes; a modulus whose
        // top bit is set needs no shift, which the last argument says.
        unsafe {
            residue(
                out.as_mut_ptr(),
                a.as_ptr(),
                b.as_ptr(),
                length(d),
                d.as_ptr(),
                inverse.as_ptr(),
                0,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gmp_multiplies_and_divides() {
        // A machine without it has nothing to test.
        let Some(gmp) = Gmp::load() else { return };
        assert!(
            gmp.version
                .starts_with(|first: char| first.is_ascii_digit())
        );
        let (a, b) = ([u64::MAX, 5], [3, 1 << 63]);
        let (mut product, mut expected) = ([0; 4], [0; 4]);
        gmp.multiply(&mut product, &a, &b);
        bignum::multiply(&mut expected, &a, &b).unwrap();
        assert_eq!(product, expected);
        let (mut quotient, mut rest) = ([0; 3], [0; 2]);
        gmp.divide(&mut quotient, &mut rest, &product, &b);
        assert_eq!((quotient, rest), ([u64::MAX, 5, 0], [0; 2]));
        gmp.square(&mut product, &a);
        bignum::square(&mut expected, &a).unwrap();
        assert_eq!(product, expected);
        if let Some(inverse) = gmp.inverse(&[7, 1]) {
            let mut one = [0; 4];
            gmp.multiply(&mut one, &inverse, &[7, 1]);
            assert_eq!(one[..2], [1, 0]);
        }
    }

    #[test]
    fn a_library_that_is_not_there_is_none() {
        assert!(Flint::load(Some(Path::new("no-such-library.so"))).is_none());
        // One that is there, but another.
        assert!(Flint::load(Some(Path::new("libm.so.6"))).is_none());
    }
}
