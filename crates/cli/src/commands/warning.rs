//! What this scheme does not protect against, said at each dimension.

use gentry_halevi::Parameters;

/// What attacks there are, in one line.
pub(crate) fn warning(parameters: &Parameters) -> String {
    let by_reduction = match parameters.dimension() {
        ..512 => "lattice reduction recovers everything in minutes",
        512..2048 => {
            "the public challenge of this dimension was solved by lattice reduction (LLL) in 24 days on \
             one processor (Plantard, Susilo, Zhang 2015)"
        }
        2048..8192 => {
            "lattice reduction (LLL) breaks it: 45 core-years at most by the estimate of 2011 (Chen, \
             Nguyen), less with what was found since"
        }
        _ => {
            "lattice reduction (LLL) breaks it, too: about 2^72 cycles by the estimate of 2011 (Chen, \
             Nguyen), less with what was found since"
        }
    };
    format!(
        "the Gentry–Halevi scheme at dimension {} PROTECTS NOTHING: {by_reduction}; at every dimension a \
         quantum computer finds the key, and so does anyone who sees the decryptions of ciphertexts of \
         their own making. Use it to compare schemes, never for data that matter",
        parameters.dimension()
    )
}

/// Says it on standard error.
pub(super) fn warn(parameters: &Parameters) {
    use std::io::Write;
    let line = format!("blindcore: warning: {}", warning(parameters));
    // An error is ignored: where this cannot be read, the keys' file names cannot either.
    let _ = writeln!(std::io::stderr(), "{line}");
}
