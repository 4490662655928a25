//! The circuits that everybody in the field knows, against integers and another AES.
//!
//! They are their authors' files and not in this repository; `docs/formats.md` says where they
//! are. `BLINDCORE_BRISTOL` names the folder.

use std::path::PathBuf;

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use blindcore_circuits::formats::{Format, Netlist};

use super::{Numbers, both_ways};

/// Reads a circuit by the first of its names that is there.
fn circuit(names: &[&str]) -> Netlist {
    let folder = std::env::var("BLINDCORE_BRISTOL")
        .expect("BLINDCORE_BRISTOL names the folder of the public circuits");
    let paths = names.iter().map(|name| PathBuf::from(&folder).join(name));
    let found: Vec<PathBuf> = paths.filter(|path| path.exists()).collect();
    let path = found
        .first()
        .unwrap_or_else(|| panic!("none of {names:?} in {folder}"));
    let bytes = std::fs::read(path).unwrap();
    let netlist = Format::Bristol.read(&bytes).unwrap();
    println!("{}: {} gates", path.display(), netlist.gates());
    netlist
}

/// A circuit of words against a function of integers, on 256 assignments.
fn check(names: &[&str], function: impl Fn(&[u128]) -> Option<u128>) {
    let netlist = circuit(names);
    let mut numbers = Numbers(9);
    for _ in 0..4 {
        let values = numbers.assignments(&netlist.interface().inputs);
        for (value, found) in values.iter().zip(both_ways(&netlist, &values)) {
            // `None`: nothing is said of it (a division by 0).
            if let Some(expected) = function(value) {
                assert_eq!(found, [expected], "{names:?} {value:x?}");
            }
        }
    }
}

const LOW: u128 = u64::MAX as u128;

#[test]
#[ignore = "needs the public circuits (BLINDCORE_BRISTOL, docs/formats.md), 5 s"]
fn arithmetic() {
    check(&["adder64.txt"], |x| Some((x[0] + x[1]) & LOW));
    check(&["sub64.txt", "subtract64.txt"], |x| {
        Some(x[0].wrapping_sub(x[1]) & LOW)
    });
    check(&["mult64.txt"], |x| Some(x[0].wrapping_mul(x[1]) & LOW));
    check(&["udivide64.txt"], |x| x[0].checked_div(x[1]));
    check(&["zero_equal.txt"], |x| {
        Some(u128::from(x.iter().all(|&word| word == 0)))
    });
}

#[test]
#[ignore = "needs the public circuits (BLINDCORE_BRISTOL, docs/formats.md), 10 s"]
fn aes_128() {
    let netlist = circuit(&["aes_128.txt"]);
    // FIPS 197, appendix B, and what its example in appendix C.1 is.
    let mut values = vec![
        vec![
            0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c,
            0x3243_f6a8_885a_308d_3131_98a2_e037_0734,
        ],
        vec![
            0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f,
            0x0011_2233_4455_6677_8899_aabb_ccdd_eeff,
        ],
    ];
    let published = [
        0x3925_841d_02dc_09fb_dc11_8597_196a_0b32,
        0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a,
    ];
    values.extend(
        Numbers(4)
            .assignments(&netlist.interface().inputs)
            .into_iter()
            .take(62),
    );
    let found = both_ways(&netlist, &values);
    for (at, (value, found)) in values.iter().zip(found).enumerate() {
        let [key, text]: [u128; 2] = value[..].try_into().unwrap();
        // The circuit's words are the numbers whose bytes FIPS 197 writes from left to right.
        let mut block = text.to_be_bytes().into();
        Aes128::new(&key.to_be_bytes().into()).encrypt_block(&mut block);
        let expected = u128::from_be_bytes(block.into());
        if let Some(published) = published.get(at) {
            assert_eq!(expected, *published);
        }
        assert_eq!(found, [expected], "{value:x?}");
    }
}
