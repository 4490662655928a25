//! FLINT's product of limb vectors, from the system's library if there is one. Nothing of it is
//! linked.
#![allow(unsafe_code)]

use libloading::Library;

/// `_flint_mpn_mul(z, x, xn, y, yn)` for `xn ≥ yn ≥ 1`.
type Multiply = unsafe extern "C" fn(*mut u64, *const u64, i64, *const u64, i64) -> u64;

/// The library, as long as it is used.
pub(crate) struct Flint {
    library: Library,
}

impl Flint {
    /// FLINT 3 of this machine.
    pub(crate) fn load() -> Option<Self> {
        let named = std::env::var_os("FLINT_LIBRARY");
        let names = match &named {
            Some(name) => vec![name.as_os_str()],
            None => vec!["libflint.so".as_ref(), "libflint.so.24".as_ref()],
        };
        names.into_iter().find_map(|name| {
            // SAFETY: FLINT's initialisers set up its memory manager and threads, and nothing else.
            let library = unsafe { Library::new(name) }.ok()?;
            // SAFETY: the symbol is only looked for.
            unsafe { library.get::<Multiply>(b"_flint_mpn_mul\0") }.ok()?;
            Some(Self { library })
        })
    }

    /// `out = a·b` for factors of one length.
    pub(crate) fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) {
        assert!(out.len() == a.len() + b.len() && a.len() == b.len() && !a.is_empty());
        // SAFETY: the type is that of FLINT 3's header.
        if let Ok(multiply) = unsafe { self.library.get::<Multiply>(b"_flint_mpn_mul\0") } {
            // SAFETY: the slices have the lengths that are said, and `out` that of both together.
            unsafe {
                multiply(
                    out.as_mut_ptr(),
                    a.as_ptr(),
                    a.len() as i64,
                    b.as_ptr(),
                    b.len() as i64,
                );
            }
        }
    }
}
