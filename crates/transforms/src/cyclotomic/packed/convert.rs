//! Between words of 64 bits and packed rows.

use super::arch::{GROUP, GROUP_LOWS, Kernel, LEVEL, LOWS, Line, Lines};
use super::{CHUNK, MOST_PLANES, rolled};

/// Groups of a chunk.
const GROUPS: usize = CHUNK / GROUP;

/// Appends the chunks of words.
pub(super) struct Pack<'a> {
    pub(super) words: &'a [u64],
    pub(super) planes: usize,
    pub(super) lines: &'a mut Vec<Line>,
}

impl Kernel for Pack<'_> {
    #[inline(always)]
    fn run<V: Lines>(self, v: V) {
        match self.planes.div_ceil(LEVEL) {
            0 => pack::<V, 0>(v, self),
            1 => pack::<V, 1>(v, self),
            2 => pack::<V, 2>(v, self),
            _ => pack::<V, 3>(v, self),
        }
    }
}

#[inline(always)]
fn pack<V: Lines, const LEVELS: usize>(v: V, call: Pack<'_>) {
    let chunks = call.words.chunks_exact(rolled(CHUNK));
    let rest = chunks.remainder();
    for chunk in chunks {
        pack_chunk::<V, LEVELS>(v, chunk, call.planes, call.lines);
    }
    if !rest.is_empty() {
        let mut chunk = [0; CHUNK];
        chunk[..rest.len()].copy_from_slice(rest);
        pack_chunk::<V, LEVELS>(v, &chunk[..rolled(CHUNK)], call.planes, call.lines);
    }
}

#[inline(always)]
fn pack_chunk<V: Lines, const LEVELS: usize>(
    v: V,
    words: &[u64],
    planes: usize,
    into: &mut Vec<Line>,
) {
    let mut lines = [Line::ZERO; LOWS + MOST_PLANES];
    let (low, upper) = lines.split_at_mut(LOWS);
    let mut bits = [[[0; LEVEL]; LEVELS]; GROUPS];
    let groups = words.as_chunks::<GROUP>().0.iter();
    let lows = low.as_chunks_mut::<GROUP_LOWS>().0.iter_mut();
    for ((words, low), bits) in groups.zip(lows).zip(&mut bits) {
        v.cut(words, low, bits);
    }
    for (j, line) in upper.iter_mut().take(planes).enumerate() {
        for (word, bits) in line.0.iter_mut().zip(&bits) {
            *word = bits[j / LEVEL][j % LEVEL];
        }
    }
    into.extend_from_slice(&lines[..LOWS + planes]);
}

/// The words of chunks.
pub(super) struct Unpack<'a> {
    pub(super) lines: &'a [Line],
    pub(super) planes: usize,
    pub(super) words: &'a mut [u64],
}

impl Kernel for Unpack<'_> {
    #[inline(always)]
    fn run<V: Lines>(self, v: V) {
        match self.planes.div_ceil(LEVEL) {
            0 => unpack::<V, 0>(v, self),
            1 => unpack::<V, 1>(v, self),
            2 => unpack::<V, 2>(v, self),
            _ => unpack::<V, 3>(v, self),
        }
    }
}

#[inline(always)]
fn unpack<V: Lines, const LEVELS: usize>(v: V, call: Unpack<'_>) {
    let mut lines = call.lines.chunks_exact(LOWS + call.planes);
    let mut chunks = call.words.chunks_exact_mut(rolled(CHUNK));
    for (chunk, lines) in chunks.by_ref().zip(&mut lines) {
        unpack_chunk::<V, LEVELS>(v, lines, chunk);
    }
    let rest = chunks.into_remainder();
    if let Some(lines) = lines.next() {
        let mut chunk = [0; CHUNK];
        unpack_chunk::<V, LEVELS>(v, lines, &mut chunk[..rolled(CHUNK)]);
        rest.copy_from_slice(&chunk[..rest.len()]);
    }
}

#[inline(always)]
fn unpack_chunk<V: Lines, const LEVELS: usize>(v: V, lines: &[Line], words: &mut [u64]) {
    let (low, upper) = lines.split_at(LOWS);
    // All of them first: what is stored by words is not at once loaded by lines.
    let mut bits = [[[0; LEVEL]; LEVELS]; GROUPS];
    for (j, line) in upper.iter().enumerate() {
        for (bits, &word) in bits.iter_mut().zip(&line.0) {
            bits[j / LEVEL][j % LEVEL] = word;
        }
    }
    let groups = words.as_chunks_mut::<GROUP>().0.iter_mut();
    let lows = low.as_chunks::<GROUP_LOWS>().0;
    for ((words, low), bits) in groups.zip(lows).zip(&bits) {
        v.join(low, bits, words);
    }
}
