//! The engine behind AXI4: products beside GMP's, whatever the sides of the buses do, and what
//! happens when something is wrong.

mod numbers;
mod random;

use bignum::paper::vectors::CASES;
use bignum::paper::{OPERAND_LIMBS, PRODUCT_LIMBS};
use blindcore_hardware::bus::{
    AxiEngine, Beat, Channel, Refused, Register, packet, product, status,
};
use blindcore_hardware::{Command, Lanes, Slot};
use numbers::{limbs, number, random};
use random::Random;
use rug::Integer;

const BITS: u32 = 64 * OPERAND_LIMBS as u32;
/// Beats of a row of an operand.
const ROW: usize = 3;

fn right_product(a: &[u64], b: &[u64]) -> Vec<u64> {
    limbs(&(number(a) * number(b)), PRODUCT_LIMBS)
}

/// Montgomery's product, as the circuit defines it.
fn right_modular(a: &[u64], b: &[u64], inverse: &Integer, modulus: &Integer) -> Vec<u64> {
    let t = number(a) * number(b);
    let m = Integer::from(t.keep_bits_ref(BITS)) * inverse;
    let m = Integer::from(m.keep_bits_ref(BITS));
    limbs(&((t + m * modulus) >> BITS), OPERAND_LIMBS)
}

/// As many lanes as there are models of.
fn lanes() -> &'static [Lanes] {
    match cfg!(feature = "whole") {
        true => &Lanes::ALL,
        false => &[Lanes::Sixteen],
    }
}

fn never(_: Channel) -> bool {
    false
}

/// Every channel pauses as it likes.
fn sometimes(seed: u64) -> impl FnMut(Channel) -> bool {
    let mut random = Random(seed);
    move |_| random.word().is_multiple_of(3)
}

/// A product that has to be right.
fn check(found: &[Beat], right: &[u64]) {
    let found = product(found);
    assert!(
        found == right,
        "{:x?} instead of {:x?}",
        &found[..8],
        &right[..8]
    );
}

#[test]
fn registers() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        let mut bus = AxiEngine::new(lanes, sometimes(1));
        registers_of(&mut bus, lanes);
    }
}

fn registers_of(bus: &mut AxiEngine, lanes: Lanes) {
    let count = match lanes {
        Lanes::Sixteen => 16,
        Lanes::ThirtyTwo => 32,
        Lanes::SixtyFour => 64,
    };
    let expected = [
        (Register::Identification, 0x424C_4E44),
        (Register::Version, 0x0001_0000),
        (Register::Shape, 256 << 16 | count),
        (Register::Control, 0),
        (Register::Command, 0),
        (Register::Status, 0),
        (Register::Interrupts, 0),
        (Register::Cycles, 0),
        (Register::Products, 0),
    ];
    for (register, value) in expected {
        assert_eq!(bus.read(register), value, "{register:?}");
    }
    // Others are refused, and so are writes to what only tells.
    for address in (0x24..=0xFF).step_by(4) {
        assert_eq!(bus.read_at(address), Err(Refused));
        assert_eq!(bus.write_bytes(address, !0, 15), Err(Refused));
    }
    for register in [
        Register::Identification,
        Register::Version,
        Register::Shape,
        Register::Cycles,
        Register::Products,
    ] {
        assert_eq!(bus.write_bytes(register as u8, !0, 15), Err(Refused));
    }
    assert_eq!(bus.read(Register::Status), 0);
    // Bytes are written one by one.
    let interrupts = Register::Interrupts as u8;
    bus.write_bytes(interrupts, !0, 0b0010).unwrap();
    assert_eq!(bus.read(Register::Interrupts), 0x3F00);
    bus.write_bytes(interrupts, !0, 0b1101).unwrap();
    assert_eq!(bus.read(Register::Interrupts), 0x3F02);
    bus.write_bytes(interrupts, 0, 0b0010).unwrap();
    assert_eq!(bus.read(Register::Interrupts), 0x0002);
    // Commands that there are not, one without its byte, and slots that nothing is in.
    for code in [7, 8, 0x80, 0xFF] {
        bus.write(Register::Command, code);
        assert_eq!(bus.wait(), status::UNKNOWN, "{code}");
    }
    let command = Register::Command as u8;
    bus.write_bytes(command, 0, 0b1110).unwrap();
    assert_eq!(bus.wait(), 0);
    for kept in [
        Command::Kept(Slot::Zero),
        Command::Kept(Slot::One),
        Command::BothKept,
        Command::Modular,
        Command::ModularSquare,
    ] {
        bus.command(kept);
        assert_eq!(bus.wait(), status::SLOT_EMPTY, "{kept:?}");
    }
    // An error interrupts where that is wanted, until it is cleared or unwanted.
    assert!(!bus.interrupts());
    bus.write(Register::Interrupts, status::UNKNOWN);
    bus.write(Register::Command, 7);
    // What is written elsewhere clears nothing.
    bus.write(Register::Interrupts, status::UNKNOWN);
    assert_eq!(bus.status(), status::UNKNOWN);
    assert!(bus.interrupts());
    bus.write(Register::Status, status::UNKNOWN);
    assert_eq!(bus.status(), 0);
    assert!(!bus.interrupts());
    // The slot is of the second byte, if that is written.
    for (data, strobes, begun) in [
        (0x102, 0b0001, 0x002),
        (0x102, 0b0011, 0x102),
        (0x002, 0b0011, 0x002),
    ] {
        assert_eq!(bus.write_bytes(command, data, strobes), Ok(()));
        assert_eq!(bus.read(Register::Command), begun, "{data:#x} {strobes:#b}");
        bus.write(Register::Control, 1);
    }
    // A restart forgets what was set.
    bus.write(Register::Interrupts, status::UNKNOWN);
    bus.write(Register::Control, 0);
    assert_eq!(bus.read(Register::Interrupts), status::UNKNOWN);
    bus.write(Register::Control, 1);
    assert_eq!(bus.read(Register::Interrupts), 0);
    assert_eq!(bus.unsent(), 0);
}

/// Who does not wait for answers has the next address and the next data there before.
#[test]
fn writes_and_reads_that_do_not_wait() {
    for seed in 0..20 {
        let mut bus = AxiEngine::new(Lanes::Sixteen, sometimes(100 + seed));
        let mut random = Random(200 + seed);
        let interrupts = Register::Interrupts as u8;
        let writes = [(); 100].map(|()| {
            let address = match random.word() % 3 {
                0 => Register::Cycles as u8,
                1 => 0x80 + 4 * (random.word() % 32) as u8,
                _ => interrupts,
            };
            (address, random.word() as u32, (random.word() % 16) as u8)
        });
        let reads = [(); 100].map(|()| 4 * (random.word() % 12) as u8);
        let (written, read) = bus.all_at_once(&writes, &reads);
        let mut wanted = 0;
        for ((address, data, strobes), written) in writes.into_iter().zip(written) {
            let bytes = [(1, 0xFF), (2, 0xFF00)]
                .into_iter()
                .filter(|(strobe, _)| strobes & strobe != 0)
                .fold(0, |bytes, (_, byte)| bytes | byte);
            let known = address == interrupts;
            assert_eq!(written, if known { Ok(()) } else { Err(Refused) });
            if known {
                wanted = (wanted & !bytes | data & bytes) & 0x3F02;
            }
        }
        assert_eq!(bus.read(Register::Interrupts), wanted);
        for (address, read) in reads.into_iter().zip(read) {
            match address {
                0 => assert_eq!(read, Ok(0x424C_4E44)),
                4 => assert_eq!(read, Ok(0x0001_0000)),
                8 => assert_eq!(read, Ok(256 << 16 | 16)),
                0x24.. => assert_eq!(read, Err(Refused)),
                _ if address == interrupts => assert_eq!(read.map(|bits| bits & !0x3F02), Ok(0)),
                _ => assert_eq!(read, Ok(0)),
            }
        }
    }
}

#[test]
fn one_after_the_other() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        one_after_the_other_with(AxiEngine::new(lanes, never));
    }
}

fn one_after_the_other_with(mut bus: AxiEngine) {
    let (a, b) = (random(2, OPERAND_LIMBS), random(3, OPERAND_LIMBS));
    bus.write(Register::Interrupts, status::DONE);
    // Without a command, nothing is taken.
    bus.send(packet(&[&a, &b]));
    bus.send(packet(&[&a]));
    let all = bus.unsent();
    for _ in 0..100 {
        bus.cycle();
    }
    assert_eq!(bus.unsent(), all);
    bus.command(Command::Multiply);
    // Then every cycle a beat.
    let (begun, before) = (bus.cycles(), bus.unsent());
    while bus.unsent() > packet(&[&a]).len() {
        bus.cycle();
    }
    let paused = (bus.cycles() - begun) - (before - bus.unsent());
    assert!(paused < 8, "{paused} cycles without a beat");
    while !bus.interrupts() {
        bus.cycle();
    }
    check(&bus.receive(), &right_product(&a, &b));
    let cycles = bus.read(Register::Cycles);
    println!("a product: {cycles} cycles");
    assert_eq!(bus.read(Register::Products), 1);
    assert_eq!(bus.wait(), status::DONE);
    for _ in 0..4 {
        bus.cycle();
    }
    assert!(!bus.interrupts());

    // A square right after it, while everyone pauses and registers are read; a command in between is
    // ignored.
    bus.set_pauses(sometimes(4));
    bus.command(Command::Square);
    assert_eq!(bus.read(Register::Command), 1);
    bus.command(Command::Keep(Slot::One));
    bus.write(Register::Command, 99);
    assert_eq!(bus.read(Register::Command), 1);
    assert_eq!(bus.status(), status::BUSY | status::BUSY_BEFORE);
    let early = bus.read(Register::Cycles);
    assert!(0 < early && early < bus.read(Register::Cycles));
    assert_eq!(bus.wait(), status::BUSY_BEFORE | status::DONE);
    assert_eq!(bus.status(), 0);
    check(&bus.receive(), &right_product(&a, &a));
    println!("a square: {} cycles", bus.read(Register::Cycles));
    assert_eq!(bus.read(Register::Cycles), bus.read(Register::Cycles));
    assert_eq!(bus.read(Register::Products), 2);
    assert_eq!(bus.unsent(), 0);

    // A command ends when its last beat is taken, however late that is.
    bus.set_pauses(never);
    bus.command(Command::Square);
    bus.send(packet(&[&b]));
    let mut beats = Vec::new();
    while beats.len() < 6143 {
        bus.cycle();
        beats.extend(bus.receive());
    }
    bus.set_pauses(|channel| channel == Channel::Products);
    for _ in 0..1000 {
        bus.cycle();
    }
    assert_eq!(bus.status(), status::BUSY);
    bus.set_pauses(never);
    assert_eq!(bus.wait(), status::DONE);
    beats.extend(bus.receive());
    check(&beats, &right_product(&b, &b));
}

/// With 16 lanes: the three vectors, of which two have carries decided; a square, a number kept in
/// either slot, times a kept one, both kept.
const CYCLES: [u32; 8] = [
    28_889, 33_016, 33_016, 26_838, 12_373, 12_373, 26_838, 18_584,
];

/// Where carries run through all segments, and where none does; what every command takes.
#[test]
fn vectors_and_cycles() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        let cycles = vectors_and_cycles_with(AxiEngine::new(lanes, never));
        println!("{cycles:?}");
        if matches!(lanes, Lanes::Sixteen) {
            assert_eq!(cycles, CYCLES);
        }
    }
}

fn vectors_and_cycles_with(mut bus: AxiEngine) -> Vec<u32> {
    let mut cycles = Vec::new();
    for case in CASES {
        let [a, b] = case.operands();
        bus.command(Command::Multiply);
        bus.send(packet(&[&a, &b]));
        assert_eq!(bus.wait(), status::DONE);
        check(&bus.receive(), &right_product(&a, &b));
        cycles.push(bus.read(Register::Cycles));
    }
    let [a, _] = CASES[0].operands();
    for (command, operands) in [
        (Command::Square, 1),
        (Command::Keep(Slot::Zero), 1),
        (Command::Keep(Slot::One), 1),
        (Command::Kept(Slot::Zero), 1),
        (Command::BothKept, 0),
    ] {
        bus.command(command);
        bus.send(packet(&vec![&a[..]; operands]));
        assert_eq!(bus.wait(), status::DONE);
        cycles.push(bus.read(Register::Cycles));
        let beats = bus.receive();
        match command {
            Command::Keep(_) => assert!(beats.is_empty()),
            _ => check(&beats, &right_product(&a, &a)),
        }
    }
    cycles
}

#[test]
fn kept_and_modular() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        kept_and_modular_with(AxiEngine::new(lanes, sometimes(5)));
    }
}

fn kept_and_modular_with(mut bus: AxiEngine) {
    let (a, b) = (random(6, OPERAND_LIMBS), random(7, OPERAND_LIMBS));
    let mut modulus = random(8, OPERAND_LIMBS);
    modulus[0] |= 1;
    modulus[OPERAND_LIMBS - 1] >>= 2;
    let whole = Integer::from(1) << BITS;
    let n = number(&modulus);
    let inverse = &whole - n.clone().invert(&whole).unwrap();
    let negative = limbs(&inverse, OPERAND_LIMBS);

    bus.command(Command::Keep(Slot::One));
    bus.send(packet(&[&modulus]));
    assert_eq!(bus.wait(), status::DONE);
    assert_eq!(bus.read(Register::Products), 0);
    bus.command(Command::Kept(Slot::Zero));
    assert_eq!(bus.wait(), status::SLOT_EMPTY);
    bus.command(Command::Modular);
    assert_eq!(bus.wait(), status::SLOT_EMPTY);

    bus.command(Command::Kept(Slot::One));
    bus.send(packet(&[&a]));
    assert_eq!(bus.wait(), status::DONE);
    check(&bus.receive(), &right_product(&a, &modulus));

    bus.command(Command::Keep(Slot::Zero));
    bus.send(packet(&[&negative]));
    assert_eq!(bus.wait(), status::DONE);
    bus.command(Command::BothKept);
    assert_eq!(bus.wait(), status::DONE);
    check(&bus.receive(), &right_product(&negative, &modulus));

    let reduced = |x: &[u64]| limbs(&(number(x) % &n), OPERAND_LIMBS);
    let (a, b) = (reduced(&a), reduced(&b));
    bus.command(Command::Modular);
    bus.send(packet(&[&a, &b]));
    assert_eq!(bus.wait(), status::DONE);
    check(&bus.receive(), &right_modular(&a, &b, &inverse, &n));
    println!("a modular product: {} cycles", bus.read(Register::Cycles));

    // Operands whose product comes to more than the slots' numbers allow.
    let most = vec![u64::MAX; OPERAND_LIMBS];
    bus.command(Command::Modular);
    bus.send(packet(&[&most, &most]));
    assert_eq!(bus.wait(), status::DONE | status::WRONG);
    bus.receive();

    // The slots no longer belong together.
    bus.command(Command::Keep(Slot::Zero));
    bus.send(packet(&[&a]));
    assert_eq!(bus.wait(), status::DONE);
    bus.command(Command::ModularSquare);
    bus.send(packet(&[&b]));
    assert_eq!(bus.wait(), status::DONE | status::WRONG);
    assert_eq!(product(&bus.receive()).len(), OPERAND_LIMBS);
    assert_eq!(bus.read(Register::Products), 5);
}

#[test]
fn packets_of_other_lengths() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        packets_of_other_lengths_with(AxiEngine::new(lanes, sometimes(9)));
    }
}

fn packets_of_other_lengths_with(mut bus: AxiEngine) {
    let (a, b) = (random(10, OPERAND_LIMBS), random(11, OPERAND_LIMBS));
    // The packet ends after the second beat of row 700 of b: the rest of it is zero.
    let mut short = packet(&[&a, &b]);
    short.truncate(2 * ROW * 700 + ROW + 2);
    let mut filled = short.clone();
    short.last_mut().unwrap().last = true;
    let whole = packet(&[&a, &b]).len();
    filled.resize(
        whole,
        Beat {
            data: [0; 32],
            last: false,
        },
    );
    // Operands of these beats; those of `packet` are in the order of a product of two.
    let half = |second: usize| {
        let mut wide = Vec::new();
        for row in filled.chunks_exact(2 * ROW) {
            wide.extend_from_slice(&row[second * ROW..][..ROW]);
        }
        wide.iter_mut().for_each(|beat| beat.last = false);
        wide.last_mut().unwrap().last = true;
        product(&wide)
    };
    let (zeroed_a, zeroed_b) = (half(0), half(1));
    assert_ne!(zeroed_a, a);
    bus.command(Command::Multiply);
    bus.send(short);
    assert_eq!(bus.wait(), status::DONE | status::TOO_SHORT);
    check(&bus.receive(), &right_product(&zeroed_a, &zeroed_b));
    assert_eq!(bus.unsent(), 0);

    // The packet goes on for a hundred beats.
    let mut long = packet(&[&a]);
    long.last_mut().unwrap().last = false;
    let mut rest = vec![
        Beat {
            data: [0xFF; 32],
            last: false
        };
        100
    ];
    rest.last_mut().unwrap().last = true;
    bus.command(Command::Square);
    bus.send(long);
    assert_eq!(
        bus.wait(),
        status::DONE | status::TOO_LONG | status::DISCARDING
    );
    check(&bus.receive(), &right_product(&a, &a));
    bus.send(rest);
    bus.send(packet(&[&b]));
    // The rest is discarded before, and even without a command.
    while bus.unsent() > packet(&[&b]).len() {
        bus.cycle();
    }
    assert_eq!(bus.status(), 0);
    bus.command(Command::Square);
    assert_eq!(bus.wait(), status::DONE);
    check(&bus.receive(), &right_product(&b, &b));
}

#[test]
fn restarts() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        restarts_with(AxiEngine::new(lanes, sometimes(12)));
    }
}

fn restarts_with(mut bus: AxiEngine) {
    let (a, b) = (random(13, OPERAND_LIMBS), random(14, OPERAND_LIMBS));
    bus.command(Command::Keep(Slot::Zero));
    bus.send(packet(&[&a]));
    assert_eq!(bus.wait(), status::DONE);
    assert!(bus.receive().is_empty());

    // Within the operands; the rest of the packet is discarded.
    bus.command(Command::Multiply);
    bus.send(packet(&[&a, &b]));
    while bus.unsent() > 2000 {
        bus.cycle();
    }
    bus.write(Register::Control, 3);
    bus.command(Command::Kept(Slot::Zero));
    assert_eq!(
        bus.wait() & !status::DISCARDING,
        status::SLOT_EMPTY,
        "what was kept counts as forgotten"
    );
    while bus.unsent() > 0 {
        bus.cycle();
    }
    assert_eq!(bus.status(), 0);
    // Between packets there is nothing to discard.
    bus.write(Register::Control, 3);
    assert_eq!(bus.status(), 0);

    // Within the operands; the sender stops, too.
    bus.command(Command::Multiply);
    bus.send(packet(&[&a, &b]));
    while bus.unsent() > 2000 {
        bus.cycle();
    }
    bus.set_pauses(|channel| channel == Channel::Operands);
    for _ in 0..40 {
        bus.cycle();
    }
    bus.forget_operands();
    assert_eq!(bus.unsent(), 0);
    bus.write(Register::Control, 1);
    assert_eq!(bus.status(), 0);
    // That packet is forgotten: nothing of it is left to discard.
    bus.write(Register::Control, 3);
    assert_eq!(bus.status(), 0);
    bus.set_pauses(sometimes(15));

    // Within the product, while nobody takes it: what was offered leaves, and then the packet ends.
    bus.command(Command::Multiply);
    bus.send(packet(&[&a, &b]));
    let mut beats = Vec::new();
    while beats.len() < 1000 {
        bus.cycle();
        beats.extend(bus.receive());
    }
    let mut random = Random(16);
    bus.set_pauses(move |channel| channel == Channel::Products || random.word().is_multiple_of(3));
    for _ in 0..40 {
        bus.cycle();
    }
    assert!(bus.receive().is_empty());
    bus.write(Register::Control, 1);
    assert_eq!(bus.status(), 0);
    // The next command begins before that.
    bus.command(Command::Square);
    bus.send(packet(&[&b]));
    while bus.unsent() > 1000 {
        bus.cycle();
    }
    assert!(bus.receive().is_empty());
    bus.set_pauses(sometimes(17));
    assert_eq!(bus.wait(), status::DONE);
    let received = bus.receive();
    let end = received.iter().position(|beat| beat.last).unwrap();
    assert_eq!(end, 2, "two beats were under way");
    assert_eq!(received[end].data, [0; 32]);
    beats.extend_from_slice(&received[..end]);
    check(&received[end + 1..], &right_product(&b, &b));
    assert_eq!(bus.read(Register::Products), 1);

    // What came of the first product was right.
    let right: Vec<u64> = right_product(&a, &b);
    let right: Vec<u8> = right.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    let found: Vec<u8> = beats.iter().flat_map(|beat| beat.data).collect();
    for (at, digit) in found.chunks_exact(3).enumerate() {
        let place = 3 * (at / 64 + 1024 * (at % 64));
        assert_eq!(digit, &right[place..place + 3]);
    }
}

#[test]
fn resets_at_any_time() {
    for &lanes in lanes() {
        println!("{lanes:?}");
        resets_at_any_time_with(AxiEngine::new(lanes, sometimes(18)));
    }
}

fn resets_at_any_time_with(mut bus: AxiEngine) {
    let (a, b) = (random(19, OPERAND_LIMBS), random(20, OPERAND_LIMBS));
    let mut random = Random(21);
    let mut below = |most: usize| random.word() as usize % most;
    // Within operands, transforms, and twice the product.
    for part in 0..4 {
        bus.command(Command::Multiply);
        bus.send(packet(&[&a, &b]));
        let left = if part == 0 { below(bus.unsent()) } else { 0 };
        while bus.unsent() > left {
            bus.cycle();
        }
        if part == 1 {
            for _ in 0..below(2000) {
                bus.cycle();
            }
        } else if part > 1 {
            let (wanted, mut received) = (1 + below(5000), 0);
            while received < wanted {
                bus.cycle();
                received += bus.receive().len();
            }
        }
        assert_eq!(bus.status(), status::BUSY);
        bus.reset();
        assert_eq!(bus.status(), 0);
        assert_eq!(bus.read(Register::Products), 0);
    }
    bus.command(Command::Kept(Slot::Zero));
    assert_eq!(bus.wait(), status::SLOT_EMPTY);
    bus.command(Command::Multiply);
    bus.send(packet(&[&a, &b]));
    assert_eq!(bus.wait(), status::DONE);
    check(&bus.receive(), &right_product(&a, &b));
}
