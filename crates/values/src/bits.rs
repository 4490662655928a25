//! Bytes as bits and back.

/// The bits of bytes, each byte's least significant bit first.
#[must_use]
pub fn bits_of(bytes: &[u8]) -> Vec<bool> {
    bytes
        .iter()
        .flat_map(|&byte| (0..8).map(move |i| (byte >> i) & 1 == 1))
        .collect()
}

/// The inverse of [`bits_of`]; missing bits of the last byte are 0.
#[must_use]
pub fn bytes_of(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8)
        .map(|bits| {
            bits.iter()
                .enumerate()
                .fold(0, |byte, (i, &bit)| byte | (u8::from(bit) << i))
        })
        .collect()
}
