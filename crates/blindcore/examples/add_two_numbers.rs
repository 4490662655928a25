//! Two encrypted numbers are added by somebody who cannot read them.

use blindcore::{Error, Keys};

fn main() -> Result<(), Error> {
    let keys = Keys::generate()?;
    let a = keys.secret.encrypt_word(5200_u32)?;
    let b = keys.secret.encrypt_word(8050_u32)?;

    // Operators record; one call evaluates what they recorded, on all cores.
    let sum = keys.server.evaluate(&(a + b))?;

    println!("{}", keys.secret.decrypt_word(&sum)?);
    Ok(())
}
