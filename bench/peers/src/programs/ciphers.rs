//! The ciphers and the digest among the programs, in the clear, and their constants.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};

/// 32 rounds of XTEA, words in the machine's order.
pub fn xtea(key: &[u32], plain: &[u32]) -> Vec<u8> {
    let (mut v0, mut v1, mut sum) = (plain[0], plain[1], 0_u32);
    let mixed = |v: u32| ((v << 4) ^ (v >> 5)).wrapping_add(v);
    for _ in 0..32 {
        v0 = v0.wrapping_add(mixed(v1) ^ sum.wrapping_add(key[sum as usize & 3]));
        sum = sum.wrapping_add(0x9e37_79b9);
        v1 = v1.wrapping_add(mixed(v0) ^ sum.wrapping_add(key[(sum >> 11) as usize & 3]));
    }
    [v0, v1].map(u32::to_le_bytes).concat()
}

/// One block of AES-128; key and block have sixteen bytes.
pub fn aes(key: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut block = [0; 16];
    let mut known = [0; 16];
    block.copy_from_slice(plain);
    known.copy_from_slice(key);
    let mut block = block.into();
    Aes128::new(&known.into()).encrypt_block(&mut block);
    block.to_vec()
}

/// What SHA-256 makes of its first state and one block of sixteen words.
pub fn sha256(block: &[u32]) -> Vec<u8> {
    let mut state = sha256_start();
    let mut bytes = [0; 64];
    for (bytes, word) in bytes.chunks_mut(4).zip(block) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    sha2::block_api::compress256(&mut state, &[bytes]);
    state.map(u32::to_le_bytes).concat()
}

/// The S-box: the inverse in GF(2^8) and an affine function of it (FIPS 197, §5.1.1).
pub fn s_box() -> [u8; 256] {
    let times = |a: u8, b: u8| {
        let doubled = |a: u8| a << 1 ^ (a >> 7) * 0x1b;
        let powers = std::iter::successors(Some(a), |&a| Some(doubled(a)));
        let chosen = powers.take(8).enumerate().filter(|(i, _)| b >> i & 1 == 1);
        chosen.fold(0, |sum, (_, power)| sum ^ power)
    };
    std::array::from_fn(|a| {
        let inverse = (0..=255).find(|&b| times(a as u8, b) == 1).unwrap_or(0);
        (1..5).fold(0x63 ^ inverse, |sum, i| sum ^ inverse.rotate_left(i))
    })
}

/// The first bits of the cube roots of primes, after the point (FIPS 180-4, §4.2.2).
pub fn sha256_constants() -> Vec<u32> {
    primes().take(64).map(|p| fraction(p.cbrt())).collect()
}

/// The first bits of the square roots (§5.3.3).
pub fn sha256_start() -> [u32; 8] {
    let mut primes = primes();
    std::array::from_fn(|_| fraction(primes.next().unwrap_or_default().sqrt()))
}

fn primes() -> impl Iterator<Item = f64> {
    let is_prime = |n: &u32| (2..*n).all(|d| n % d != 0);
    (2_u32..).filter(is_prime).map(f64::from)
}

fn fraction(x: f64) -> u32 {
    (x.fract() * f64::from(1 << 16).powi(2)) as u32
}
