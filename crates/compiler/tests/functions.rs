use crate::sides::{agrees, agrees_at};

#[test]
fn texts() {
    agrees("texts.c", 1);
}

#[test]
fn numbers() {
    agrees("numbers.c", 3);
}

#[test]
fn conversions() {
    agrees("conversions.c", 4);
}

#[test]
fn printing() {
    agrees("printing.c", 5);
}

#[test]
fn choices() {
    agrees("choices.c", 6);
}

#[test]
fn sorting() {
    agrees("sorting.c", 7);
}

#[test]
fn heap() {
    agrees("heap.c", 8);
}

#[test]
fn mathematics() {
    // A thousand circuits of floats and doubles take their time.
    agrees_at("mathematics.c", 9, &["-Os"]);
}
