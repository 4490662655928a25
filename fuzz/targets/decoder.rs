//! Every word is an instruction or an error; both can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for word in data.as_chunks::<4>().0 {
        match a32::decode(u32::from_le_bytes(*word)) {
            Ok(instruction) => assert!(!instruction.to_string().is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
