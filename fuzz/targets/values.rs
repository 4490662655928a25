//! Values, calls and types as people write them. What is accepted is shown in a form that is read
//! as the same again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use session::program::Call;
use values::{Assignment, Element, Literal, Type};

/// Larger arrays only make the fuzzer slow.
const LARGEST: u32 = 4096;

fuzz_target!(|line: &str| {
    if let Ok(call) = line.parse::<Call>() {
        assert_eq!(call.to_string().parse::<Call>().as_ref(), Ok(&call));
    }
    let _ = values::number(line);
    let Ok(Assignment {
        ty: Some(ty),
        value: values::Value::Inline(text),
        ..
    }) = line.parse()
    else {
        return;
    };
    if ty.size() > LARGEST {
        return;
    }
    round_trip(&ty, &text);
});

fn round_trip(ty: &Type, text: &str) {
    let Ok(mut values) = Literal::parse(text, "v", ty).and_then(|value| value.elements("v", ty))
    else {
        return;
    };
    values.resize(ty.elements() as usize, 0);
    // A character is accepted with either sign and shown without.
    let bytes = ty.encode(&values).expect("values in range have bytes");
    let values = ty.decode(&bytes);
    let _ = values::json(ty, &values);
    let shown = values::text(ty, &values);
    if ty.elements() == 0 {
        return;
    }
    let mut again = Literal::parse(&shown, "v", ty)
        .and_then(|value| value.elements("v", ty))
        .unwrap_or_else(|error| panic!("{ty} {shown}: {error}"));
    again.resize(values.len(), 0);
    assert_eq!(
        again,
        values,
        "{ty} {shown} {:?}",
        Element::bits(ty.element())
    );
}
