//! A circuit that nobody drew before: how many of seven votes are yes, and whether they carry the
//! motion.

use blindcore::circuits::{Wire, library};
use blindcore::{Bit, Error, Keys, Word};

fn main() -> Result<(), Error> {
    let keys = Keys::generate()?;
    let votes = [true, false, true, true, false, true, false];
    let encrypted: Vec<Bit> = votes
        .iter()
        .map(|vote| keys.secret.encrypt_bit(*vote))
        .collect::<Result<_, _>>()?;

    let outputs = keys.server.evaluate_circuit(&encrypted, |build, wires| {
        // Three bits hold a count of up to seven. The library's units are there to be used, and so
        // are gates.
        let mut count = vec![Wire::FALSE; 3];
        for wire in wires {
            count = library::add(build, &count, &[*wire, Wire::FALSE, Wire::FALSE]);
        }
        let carried = count[2];
        count.push(carried);
        count
    })?;

    let count = keys
        .server
        .evaluate(&Word::<u8>::from_bits(&outputs[..3]))?;
    println!("yes: {}", keys.secret.decrypt_word(&count)?);
    println!("carried: {}", keys.secret.decrypt_bit(&outputs[3])?);
    Ok(())
}
