//! Memory that a file does not hold, but that its start-up code and its library count on: a heap
//! behind the last variable, a stack where start-up code puts it, variables of the thread.

use super::Segment;
use super::elf::{Image, ThreadLocal};

/// How many bytes a heap has, if no segment comes before.
const HEAP: u32 = 1 << 20;
/// How many bytes the stack of start-up code has.
const STACK: u32 = 1 << 16;
/// Symbols whose address is where the heap begins. Linkers define the first where somebody asks.
const HEAP_BEGINS: [&str; 4] = ["end", "_end", "__end__", "__heap_start"];
/// Those that take memory from it.
const HEAP_USERS: [&str; 5] = ["end", "_sbrk", "sbrk", "_sbrk_r", "__heap_start"];
/// Symbols whose address is where the stack begins, downwards.
const STACK_TOPS: [&str; 5] = ["__stack", "_estack", "__StackTop", "__stack_top", "_stack"];
/// Start-up code, which sets the stack pointer.
const STARTS: [&str; 3] = ["_start", "_mainCRTStartup", "Reset_Handler"];
/// Names whose addresses are wanted wherever they lie.
pub(super) fn is_landmark(name: &str) -> bool {
    let lists = [&HEAP_BEGINS[..], &HEAP_USERS, &STACK_TOPS, &STARTS];
    lists.iter().any(|list| list.contains(&name)) || name == super::stock::REFUSAL
}

fn end(segment: &Segment) -> u64 {
    u64::from(segment.address) + u64::from(segment.size)
}

/// Adds what the program counts on to its segments. Gives the address of the thread's own
/// variables, or 0.
pub(super) fn complete(image: &mut Image<'_>) -> u32 {
    let find = |names: &[&str]| {
        let mut found = names.iter().filter_map(|name| image.landmarks.get(*name));
        found.next().copied()
    };
    let stack = find(&STARTS).and_then(|_| find(&STACK_TOPS));
    let heap = find(&HEAP_USERS).and_then(|_| find(&HEAP_BEGINS));
    if let Some(top) = stack {
        let top = top & !7;
        add(image, top.saturating_sub(STACK), top.min(STACK));
    }
    if let Some(start) = heap {
        grow(image, start);
    }
    let place = image
        .thread_local
        .take()
        .and_then(|block| thread(image, block));
    image.segments.sort_by_key(|segment| segment.address);
    place.unwrap_or(0)
}

/// Adds a writable segment of zeros, unless something is there already.
fn add(image: &mut Image<'_>, address: u32, size: u32) -> bool {
    let last = u64::from(address) + u64::from(size);
    let free = |segment: &Segment| last <= segment.address.into() || end(segment) <= address.into();
    let fits = size > 0 && last <= 1 << 32 && image.segments.iter().all(free);
    if fits {
        image.segments.push(Segment {
            address,
            bytes: Vec::new(),
            size,
            writable: true,
            executable: false,
        });
    }
    fits
}

/// Makes the segment that ends at `start` larger, or adds one, up to the next segment.
fn grow(image: &mut Image<'_>, start: u32) {
    let after = image.segments.iter().map(|segment| segment.address);
    let next = after.filter(|address| *address > start).min();
    let room = next.unwrap_or(0x7000_0000).saturating_sub(start).min(HEAP);
    let before = |segment: &&mut Segment| {
        // Linkers align the end of the last variable.
        let gap = u64::from(start).checked_sub(end(segment));
        segment.writable && gap.is_some_and(|gap| gap < 16)
    };
    match image.segments.iter_mut().find(before) {
        Some(segment) => segment.size = start - segment.address + room,
        None => {
            add(image, start, room);
        }
    }
}

/// Lays the block of the thread's variables out: two words of the system's, then the variables
/// (Addenda to the ABI for the Arm architecture, variant 1 of thread-local storage).
fn thread(image: &mut Image<'_>, block: ThreadLocal) -> Option<u32> {
    const SYSTEM: u32 = 8;
    let first = block.align.max(SYSTEM);
    let size = first.checked_add(block.size)?;
    let places = (0..64).map(|i| 0xc000_0000 + (i << 24));
    let place = places.into_iter().find(|place| add(image, *place, size))?;
    let segment = image.segments.last_mut()?;
    segment.bytes = vec![0; first as usize];
    segment.bytes.extend(block.bytes);
    Some(place)
}
