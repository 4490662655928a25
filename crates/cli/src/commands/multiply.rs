//! `blindcore multiply`: the product of two numbers in files, of any size that memory holds.

use std::fs::{self, File};
use std::io::{IsTerminal, Read, Write};
use std::path::Path;

use bignum::text::{self, TextError};
use bignum::{Error, Multiplier, Options};
use tempfile::NamedTempFile;

use super::tuning::tune;
use super::{internal, threads};
use crate::arguments::{Multiply, NumberForm};
use crate::failure::{Code, Failure};
use crate::progress::Steps;

/// Units of progress for each number that is read or written.
const UNITS: u64 = 1000;

/// Bytes of a number from which on it matters which transforms are the faster ones.
const LARGE: u64 = 1 << 16;

/// Reads both factors, multiplies, writes the product.
pub(crate) fn multiply(arguments: &Multiply) -> Result<(), Failure> {
    let to = arguments.to.unwrap_or(arguments.from);
    if to == NumberForm::Raw && arguments.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::new(
            Code::Usage,
            "a raw product is no text for a terminal: name a file with --out, or a form with --to",
        ));
    }
    if let Some(out) = &arguments.out
        && !arguments.force
        && out.exists()
    {
        let exists = std::io::ErrorKind::AlreadyExists.into();
        return Err(Failure::io(out, "write", &exists));
    }
    let options = Options {
        route: arguments.algorithm,
        threads: threads(arguments.threads),
        ..Options::default()
    };
    let steps = Steps::new(arguments.quiet, 4 * UNITS);
    let large = |path| fs::metadata(path).is_ok_and(|file| file.len() >= LARGE);
    if large(&arguments.a) || large(&arguments.b) {
        tune(|| steps.begin("measuring this machine, once"))?;
    }
    // Conversions take whatever is fastest; the product alone is done as asked.
    let fastest = Options {
        threads: options.threads,
        ..Options::default()
    };
    let conversions = Multiplier::new(0, fastest).map_err(internal)?;
    let multiplier = Multiplier::new(0, options).map_err(failed)?;
    let result: Result<Vec<u8>, Failure> = (|| {
        let a = read(&arguments.a, arguments.from, &conversions, &steps)?;
        let product = if arguments.b == arguments.a {
            steps.begin("squaring");
            let mut product = vec![0; 2 * a.len()];
            multiplier.square(&mut product, &a).map_err(failed)?;
            product
        } else {
            let b = read(&arguments.b, arguments.from, &conversions, &steps)?;
            steps.begin("multiplying");
            let mut product = vec![0; a.len() + b.len()];
            multiplier.multiply(&mut product, &a, &b).map_err(failed)?;
            product
        };
        steps.reach(UNITS);
        written(&product, to, &conversions, &steps)
    })();
    steps.finish();
    save(arguments, &result?)
}

/// The number in a file, without zeros at the top.
fn read(
    path: &Path,
    form: NumberForm,
    with: &Multiplier,
    steps: &Steps,
) -> Result<Vec<u64>, Failure> {
    steps.begin(format!("reading {}", path.display()));
    let mut content = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut content)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut content))
    }
    .map_err(|error| Failure::io(path, "read", &error))?;
    let number = match form {
        NumberForm::Raw => {
            let limbs = content.chunks(8).map(|chunk| {
                let mut limb = [0; 8];
                limb[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(limb)
            });
            let mut number: Vec<u64> = limbs.collect();
            while number.last() == Some(&0) {
                number.pop();
            }
            Ok(number)
        }
        NumberForm::Hex => text::from_hexadecimal(&content),
        NumberForm::Decimal => text::from_decimal(&content, with, &mut |done, total| {
            steps.reach(UNITS * done / total.max(1));
        }),
    };
    let number = number.map_err(|error| match error {
        TextError::Arithmetic(error) => internal(error),
        error => Failure::new(
            Code::Input,
            format!("{}: {error}{}", path.display(), advice(form, &error)),
        ),
    })?;
    steps.reach(UNITS);
    Ok(number)
}

/// What to do about a text that is no number.
fn advice(form: NumberForm, error: &TextError) -> &'static str {
    match (form, error) {
        (NumberForm::Decimal, TextError::Digit { byte, .. })
            if byte.is_ascii_hexdigit() || *byte == b'x' =>
        {
            " (say --from hex for hexadecimal digits)"
        }
        (_, TextError::Digit { byte: b'-', .. }) => " (numbers have no sign)",
        (_, TextError::Digit { byte, .. })
            if !byte.is_ascii_graphic() && !byte.is_ascii_whitespace() =>
        {
            " (say --from raw for bytes)"
        }
        _ => "",
    }
}

/// The product as it goes into the file.
fn written(
    product: &[u64],
    form: NumberForm,
    with: &Multiplier,
    steps: &Steps,
) -> Result<Vec<u8>, Failure> {
    steps.begin("writing");
    let mut bytes = match form {
        NumberForm::Raw => {
            let mut bytes: Vec<u8> = product.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            while bytes.last() == Some(&0) {
                bytes.pop();
            }
            return Ok(bytes);
        }
        NumberForm::Hex => text::to_hexadecimal(product),
        NumberForm::Decimal => text::to_decimal(product, with, &mut |done, total| {
            steps.reach(UNITS * done / total.max(1));
        })
        .map_err(internal)?,
    }
    .into_bytes();
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes beside the place and moves there, so that no half of a number bears the name.
fn save(arguments: &Multiply, bytes: &[u8]) -> Result<(), Failure> {
    let Some(path) = &arguments.out else {
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::io(Path::new("standard output"), "write", &error))
            }
            _ => Ok(()),
        };
    };
    let failed = |error: std::io::Error| Failure::io(path, "write", &error);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A temporary file is its owner's alone; a product is a file like others.
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).map_err(failed)?;
    }
    let moved = if arguments.force {
        file.persist(path)
    } else {
        file.persist_noclobber(path)
    };
    moved.map(|_| ()).map_err(|error| failed(error.error))
}

/// A product that this machine or this route cannot compute.
fn failed(error: Error) -> Failure {
    match error {
        Error::Oversize { .. } | Error::Unavailable { .. } => Failure::new(
            Code::Input,
            format!("{error}: leave --algorithm out, and one that can is taken"),
        ),
        error => internal(error),
    }
}
