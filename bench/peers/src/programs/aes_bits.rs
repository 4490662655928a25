//! One block of AES-128 on the peer's `FheBool`: the S-box is the 115 gates of J. Boyar and R. Peralta,
//! "A new combinational logic minimization technique with applications to cryptology" (SEA 2010), and
//! the bytes of a step are computed side by side.

use std::collections::HashMap;

use rayon::prelude::*;
use tfhe::FheBool;

/// The lowest bit first.
type Byte = Vec<FheBool>;

/// A gate a line: AND, XOR, and `~` for its complement; x0 and s0 are the highest bits.
const S_BOX: &str = include_str!("s_box.txt");

fn substituted(byte: &Byte) -> Byte {
    let mut wires: HashMap<String, FheBool> = HashMap::new();
    for (i, bit) in byte.iter().rev().enumerate() {
        wires.insert(format!("x{i}"), bit.clone());
    }
    for line in S_BOX.lines() {
        let [out, _, a, gate, b] = line.split(' ').collect::<Vec<_>>()[..] else {
            continue;
        };
        let (a, b) = (&wires[a], &wires[b]);
        let bit = match gate {
            "&" => a & b,
            "^" => a ^ b,
            _ => !(a ^ b),
        };
        wires.insert(out.to_owned(), bit);
    }
    (0..8)
        .rev()
        .map(|i| wires[&format!("s{i}")].clone())
        .collect()
}

fn sum(a: &Byte, b: &Byte) -> Byte {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// Times x in GF(2^8).
fn doubled(a: &Byte) -> Byte {
    let turned = (0..8).map(|i| match i {
        1 | 3 | 4 => &a[i - 1] ^ &a[7],
        _ => a[(i + 7) % 8].clone(),
    });
    turned.collect()
}

/// Bytes side by side, on the threads of rayon's pool, which have the key.
fn each(count: usize, byte: impl Fn(usize) -> Byte + Send + Sync) -> Vec<Byte> {
    (0..count).into_par_iter().map(byte).collect()
}

/// Sixteen bytes each.
pub fn aes(mut key: Vec<Byte>, plain: &[Byte]) -> Vec<Byte> {
    let mut state = each(16, |i| sum(&plain[i], &key[i]));
    let mut constant = 1_u8;
    for round in 1..=10 {
        // The key's four with them.
        let all = each(20, |i| match i {
            0..16 => substituted(&state[i * 5 % 16]),
            _ => substituted(&key[12 + (i - 15) % 4]),
        });
        let (moved, changed) = all.split_at(16);
        state = moved.to_vec();
        if round < 10 {
            let columns: Vec<Byte> = each(4, |c| {
                let column = &moved[4 * c..][..4];
                sum(&sum(&column[0], &column[1]), &sum(&column[2], &column[3]))
            });
            state = each(16, |i| {
                let (c, r) = (i / 4, i % 4);
                let column = &moved[4 * c..][..4];
                let pair = sum(&column[r], &column[(r + 1) % 4]);
                sum(&sum(&column[r], &columns[c]), &doubled(&pair))
            });
        }
        key[..4]
            .par_iter_mut()
            .zip(changed)
            .for_each(|(byte, changed)| *byte = sum(byte, changed));
        for (i, bit) in key[0].iter_mut().enumerate() {
            if constant >> i & 1 == 1 {
                *bit = !&*bit;
            }
        }
        for word in 1..4 {
            let next = each(4, |r| sum(&key[4 * word + r], &key[4 * word - 4 + r]));
            key[4 * word..][..4].clone_from_slice(&next);
        }
        constant = constant << 1 ^ (constant >> 7) * 0x1b;
        state = each(16, |i| sum(&state[i], &key[i]));
    }
    state
}
