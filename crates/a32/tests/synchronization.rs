//! Exclusive accesses, checksums, the thread pointer and calls to a debugger, by known answers.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blindcore_a32::{Fault, Interpreter, Permissions, Register, RunError, SEMIHOSTING, Stop, Trap};

const CODE: u32 = 0x8000;
const DATA: u32 = 0x2_0000;
const SVC: u32 = 0xef00_0000;

fn r(number: u8) -> Register {
    Register::new(number).unwrap()
}

/// A machine that carried out these words: `r1` held [`DATA`], which counts up from 0, and `r3`
/// held 0x11223344.
fn after(words: &[u32]) -> Interpreter {
    let mut machine = Interpreter::new();
    let code = words.iter().copied().flat_map(u32::to_le_bytes).collect();
    machine.map(CODE, code, Permissions::READ_EXECUTE).unwrap();
    machine
        .map(DATA, (0..=255).collect(), Permissions::READ_WRITE)
        .unwrap();
    machine.set_thread_pointer(0x5_0000);
    machine.write_register(r(1), DATA);
    machine.write_register(r(3), 0x1122_3344);
    machine.write_register(Register::PC, CODE);
    for _ in words {
        assert_eq!(machine.step(), Ok(None));
    }
    machine
}

fn word(machine: &Interpreter) -> u32 {
    u32::from_le_bytes(machine.read_bytes(DATA, 4).unwrap().try_into().unwrap())
}

const LDREX: u32 = 0xe191_0f9f; // ldrex r0, [r1]
const STREX: u32 = 0xe181_2f93; // strex r2, r3, [r1]
const CLREX: u32 = 0xf57f_f01f;

/// A store succeeds after a load, once, and not after `clrex`.
#[test]
fn the_monitor_opens_and_closes() {
    let stored = after(&[LDREX, STREX]);
    assert_eq!(stored.read_register(r(0)), 0x0302_0100);
    assert_eq!(stored.read_register(r(2)), 0);
    assert_eq!(word(&stored), 0x1122_3344);

    for refused in [
        &[STREX][..],
        &[LDREX, CLREX, STREX],
        &[0xe191_0c9f, STREX], // lda r0, [r1]
    ] {
        let refused = after(refused);
        assert_eq!(refused.read_register(r(2)), 1);
        assert_eq!(word(&refused), 0x0302_0100);
    }
    let twice = after(&[LDREX, STREX, STREX]);
    assert_eq!(twice.read_register(r(2)), 1);
}

#[test]
fn bytes_and_pairs_are_exclusive_too() {
    // ldaexb r0, [r1]; stlexb r2, r3, [r1]
    let byte = after(&[0xe1d1_0e9f, 0xe1c1_2e93]);
    assert_eq!((byte.read_register(r(0)), word(&byte)), (0, 0x0302_0144));
    // ldrexd r4, r5, [r1]; mov r6, r3; mvn r7, #0; strexd r2, r6, r7, [r1]
    let pair = after(&[0xe1b1_4f9f, 0xe1a0_6003, 0xe3e0_7000, 0xe1a1_2f96]);
    assert_eq!(pair.read_register(r(4)), 0x0302_0100);
    assert_eq!(pair.read_register(r(5)), 0x0706_0504);
    assert_eq!(word(&pair), 0x1122_3344);
    assert_eq!(
        pair.read_bytes(DATA + 4, 5).unwrap(),
        [255, 255, 255, 255, 8]
    );
    // stl r3, [r1]
    assert_eq!(word(&after(&[0xe181_fc93])), 0x1122_3344);
}

#[test]
fn a_swap_gives_the_old_value() {
    let swapped = after(&[0xe101_0093]); // swp r0, r3, [r1]
    assert_eq!(swapped.read_register(r(0)), 0x0302_0100);
    assert_eq!(word(&swapped), 0x1122_3344);
    let byte = after(&[0xe141_0093]); // swpb r0, r3, [r1]
    assert_eq!((byte.read_register(r(0)), word(&byte)), (0, 0x0302_0144));
}

/// The check values of CRC-32 and CRC-32C over `123456789` (the catalogue of parametrised CRC
/// algorithms, Cook).
#[test]
fn checksums_have_their_check_values() {
    // crc32w and crc32b of r0 and r1.
    for (whole, byte, check) in [
        (0xe140_0041, 0xe100_0041, 0xcbf4_3926),
        (0xe140_0241, 0xe100_0241, 0xe306_9283),
    ] {
        let mut sum = u32::MAX;
        for (instruction, chunk) in [(whole, &b"1234"[..]), (whole, b"5678"), (byte, b"9")] {
            let mut machine = Interpreter::new();
            let code = u32::to_le_bytes(instruction).to_vec();
            machine.map(CODE, code, Permissions::READ_EXECUTE).unwrap();
            let mut bytes = [0xff; 4];
            bytes[..chunk.len()].copy_from_slice(chunk);
            machine.write_register(r(0), sum);
            machine.write_register(r(1), u32::from_le_bytes(bytes));
            machine.write_register(Register::PC, CODE);
            assert_eq!(machine.step(), Ok(None));
            sum = machine.read_register(r(0));
        }
        assert_eq!(!sum, check);
    }
    // crc32h of r0 = 0 and r1 = 0x20000 is that of two zero bytes.
    assert_eq!(after(&[0xe120_0041]).read_register(r(0)), 0);
}

#[test]
fn the_thread_pointer_is_read() {
    let machine = after(&[0xee1d_0f70]);
    assert_eq!(machine.read_register(r(0)), 0x5_0000);
}

/// What one call to the debugger does, with `operation` in `r0` and `parameter` in `r1`.
fn call(operation: u32, parameter: u32) -> (Result<Stop, RunError>, Interpreter) {
    let mut machine = Interpreter::new();
    let code = [SVC | SEMIHOSTING, SVC].into_iter();
    let code = code.flat_map(u32::to_le_bytes).collect();
    machine.map(CODE, code, Permissions::READ_EXECUTE).unwrap();
    // A block of a handle, an address, a count; then the text.
    let block = [1, DATA + 12, 3, 0x0064_6261, 7, 7, 7].into_iter();
    let block = block.flat_map(u32::to_le_bytes).collect();
    machine.map(DATA, block, Permissions::READ_WRITE).unwrap();
    machine.write_register(r(0), operation);
    machine.write_register(r(1), parameter);
    machine.write_register(Register::PC, CODE);
    (machine.run(10), machine)
}

#[test]
fn a_debugger_writes_and_ends() {
    let (ended, machine) = call(0x05, DATA);
    assert_eq!(ended, Ok(Stop::Exited));
    assert_eq!(machine.written(), b"abd");
    assert_eq!(machine.read_register(r(0)), 0);
    assert_eq!(call(0x04, DATA + 12).1.written(), b"abd");
    assert_eq!(call(0x03, DATA + 13).1.written(), b"b");
    // Nothing to read: all 3 bytes are left.
    assert_eq!(call(0x06, DATA).1.read_register(r(0)), 3);
    // Of the heap, zeros; they go where the parameter points to.
    let (asked, machine) = call(0x16, DATA + 4);
    assert_eq!(asked, Ok(Stop::Exited));
    let block = machine.read_bytes(DATA + 12, 16).unwrap();
    assert_eq!(block, [0; 16]);
    // An ordinary end: `svc #0` is not reached.
    let (ended, machine) = call(0x18, 0x2_0026);
    assert_eq!((ended, machine.executed()), (Ok(Stop::Exited), 1));
}

#[test]
fn a_debugger_refuses() {
    let fault = |operation, parameter| match call(operation, parameter).0 {
        Err(RunError::Fault { fault, .. }) => fault,
        other => panic!("{other:?}"),
    };
    let trap = Trap::Breakpoint(0);
    assert_eq!(fault(0x18, 0x2_0023), Fault::Trap { trap });
    assert_eq!(fault(0x77, 0), Fault::UnknownOperation { operation: 0x77 });
    assert!(matches!(fault(0x05, 0x9000), Fault::Outside { .. }));
}
