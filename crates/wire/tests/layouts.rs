//! Inputs with large values: each begins a ciphertext of its own.

use blindcore_wire::container::{
    FORMAT_VERSION, HEADER_BYTES, PADDED_MASKS_VERSION, PADDED_VERSION, open, seal_as,
};
use blindcore_wire::{Inputs, Kind, Variable, WireError, decode, encode};
use tfhe::{Layout, PackedInputs, TOY_BLOCK};
use values::{Element, Type};

use crate::samples::{generator, public_key, secret_key};

/// A byte, an array of more than a ciphertext, a bit's worth of bytes behind it.
fn variables() -> Vec<Variable> {
    let kinds = [
        Type::scalar(Element::U8),
        Type::array(Element::U32, vec![65]).unwrap(),
        Type::scalar(Element::U16),
    ];
    let variable = |(name, kind): (&str, Type)| Variable {
        name: name.to_owned(),
        kind,
    };
    ["a", "b", "c"]
        .into_iter()
        .zip(kinds)
        .map(variable)
        .collect()
}

fn layout() -> Layout {
    let sizes: Vec<usize> = variables()
        .iter()
        .map(|variable| variable.kind.bits())
        .collect();
    Layout::of(&TOY_BLOCK, &sizes).unwrap()
}

#[test]
fn large_values_begin_ciphertexts() {
    let (key, layout) = (secret_key(TOY_BLOCK), layout());
    assert_eq!(layout.padding(), [8..512, 512 + 65 * 32..6 * 512]);
    let bits: Vec<bool> = (0..layout.bits()).map(|at| at % 3 == 0).collect();
    let padded = layout.padded(&bits);
    let owners = key.encrypt(&padded, &mut generator());
    let others = public_key(&key).encrypt(&padded, &mut generator()).unwrap();
    for (encrypted, version) in [(owners, PADDED_VERSION), (others, PADDED_MASKS_VERSION)] {
        let encrypted = encrypted.with_layout(layout.clone()).unwrap();
        let inputs = Inputs::new(variables(), encrypted).unwrap();
        let file = encode(&inputs).unwrap();
        assert_eq!(u16::from_le_bytes([file[8], file[9]]), version);
        let read: Inputs = decode(&file).unwrap();
        assert_eq!(read, inputs);
        let read = read.bits().unpack();
        let decrypted: Vec<bool> = read.iter().map(|bit| key.decrypt(bit).unwrap()).collect();
        assert_eq!(decrypted, bits);
        for length in (HEADER_BYTES..file.len()).step_by(997) {
            assert!(decode::<Inputs>(&file[..length]).is_err());
        }
    }
}

/// A version says where the bits are, so that each file has one.
#[test]
fn other_versions_are_refused() {
    let (key, layout) = (secret_key(TOY_BLOCK), layout());
    let padded = layout.padded(&vec![true; layout.bits()]);
    let encrypted = key.encrypt(&padded, &mut generator());
    let encrypted = encrypted.with_layout(layout).unwrap();
    let file = encode(&Inputs::new(variables(), encrypted).unwrap()).unwrap();
    let small = vec![variables().remove(0)];
    let plain = key.encrypt(&[true; 8], &mut generator());
    let plain = encode(&Inputs::new(small, plain).unwrap()).unwrap();
    let as_version = |file: &[u8], version| {
        let (header, payload) = open(file).unwrap();
        let sealed = seal_as(
            version,
            Kind::INPUTS,
            header.fingerprint,
            header.key,
            payload,
        );
        decode::<Inputs>(&sealed.unwrap()).err()
    };
    assert_eq!(as_version(&file, PADDED_VERSION), None);
    let longer = |error| {
        matches!(
            error,
            Some(WireError::TrailingBytes { .. } | WireError::Malformed { .. })
        )
    };
    assert!(longer(as_version(&file, FORMAT_VERSION)));
    let no_gaps = as_version(&plain, PADDED_VERSION).unwrap().to_string();
    assert!(no_gaps.contains("leave no gaps"), "{no_gaps}");
}

#[test]
fn layouts_fit_their_ciphertexts() {
    let key = secret_key(TOY_BLOCK);
    let packed: PackedInputs = key.encrypt(&[true; 9], &mut generator());
    assert!(packed.with_layout(layout()).is_err());
    assert_eq!(Layout::of(&TOY_BLOCK, &[usize::MAX, 1]), None);
    assert_eq!(Layout::of(&TOY_BLOCK, &[]).unwrap(), Layout::plain(0));
    // Rows that fit exactly leave no gaps, wherever they begin.
    let exact = Layout::of(&TOY_BLOCK, &[2048, 4096]).unwrap();
    assert_eq!(exact, Layout::plain(6144));
}
