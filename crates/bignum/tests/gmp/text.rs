//! Numbers as text.

use blindcore_bignum::text::{
    TextError, from_decimal, from_hexadecimal, to_decimal, to_hexadecimal,
};
use blindcore_bignum::{Multiplier, Options};

use super::operands::{Kind, gmp};

fn multiplier() -> Multiplier {
    Multiplier::new(0, Options::default()).unwrap()
}

#[test]
fn both_ways() {
    let with = multiplier();
    for n in [0, 1, 2, 62, 63, 64, 65, 127, 130, 500, 1000, 3001] {
        for kind in Kind::ALL {
            let number = kind.operand(1, n);
            let expected = gmp(&number).to_string();
            let text = to_decimal(&number, &with, &mut |_, _| {}).unwrap();
            assert!(text == expected, "{kind:?} {n}");
            let trimmed = &number[..number
                .iter()
                .rposition(|&limb| limb != 0)
                .map_or(0, |at| at + 1)];
            let read = from_decimal(text.as_bytes(), &with, &mut |_, _| {}).unwrap();
            assert!(read == trimmed, "{kind:?} {n}");
            let text = to_hexadecimal(&number);
            assert!(text == gmp(&number).to_string_radix(16), "{kind:?} {n}");
            assert!(
                from_hexadecimal(text.as_bytes()).as_deref() == Ok(trimmed),
                "{kind:?} {n}"
            );
        }
    }
    // Powers of ten and their neighbours, where digits are all zeros or all nines.
    for exponent in [18, 19, 20, 1215, 1216, 1217, 2432, 30_000] {
        let power = rug::Integer::from(rug::Integer::u_pow_u(10, exponent));
        for near in [-1, 0, 1] {
            let text = rug::Integer::from(&power + near).to_string();
            let number = from_decimal(text.as_bytes(), &with, &mut |_, _| {}).unwrap();
            assert_eq!(
                to_decimal(&number, &with, &mut |_, _| {}).as_ref(),
                Ok(&text),
                "10^{exponent} {near:+}"
            );
        }
    }
}

#[test]
fn a_wrong_digit_is_named_with_its_place() {
    let with = multiplier();
    let decimal = |text: &str| from_decimal(text.as_bytes(), &with, &mut |_, _| {});
    assert_eq!(
        decimal(" \n12x4\n"),
        Err(TextError::Digit {
            position: 4,
            byte: b'x'
        })
    );
    assert_eq!(
        decimal("-5"),
        Err(TextError::Digit {
            position: 0,
            byte: b'-'
        })
    );
    assert_eq!(decimal(" \n"), Err(TextError::Empty));
    assert_eq!(decimal("\t0042\r\n"), Ok(vec![42]));
    assert_eq!(
        from_hexadecimal(b"0xfg"),
        Err(TextError::Digit {
            position: 3,
            byte: b'g'
        })
    );
    assert_eq!(from_hexadecimal(b" 0x"), Err(TextError::Empty));
    assert_eq!(
        from_hexadecimal(b"0xFFffffffffffffff0\n"),
        Ok(vec![0xffff_ffff_ffff_fff0, 0xf])
    );
}

#[test]
fn progress_goes_up_to_the_end() {
    let with = multiplier();
    let number = super::operands::numbers(1, 2000);
    let mut last = (0, 1);
    let text = to_decimal(&number, &with, &mut |done, total| {
        assert!(done >= last.0 && done <= total);
        last = (done, total);
    })
    .unwrap();
    let mut last = 0;
    from_decimal(text.as_bytes(), &with, &mut |done, total| {
        assert!(done >= last && done <= total);
        last = done;
        if done == total {
            last = total;
        }
    })
    .unwrap();
    assert!(last > 0 && last % 1000 == 0);
}
