use crate::sides::{agrees, agrees_at};

#[test]
#[ignore = "slow: 8 s"]
fn texts() {
    agrees("texts.c", 1);
}

#[test]
#[ignore = "slow: 48 s"]
fn numbers() {
    agrees("numbers.c", 3);
}

#[test]
#[ignore = "slow: 11 s"]
fn conversions() {
    agrees("conversions.c", 4);
}

#[test]
#[ignore = "slow: 4 s"]
fn printing() {
    agrees("printing.c", 5);
}

#[test]
#[ignore = "slow: 14 s"]
fn choices() {
    agrees("choices.c", 6);
}

#[test]
#[ignore = "slow: 8 s"]
fn sorting() {
    agrees("sorting.c", 7);
}

#[test]
#[ignore = "slow: 22 s"]
fn heap() {
    agrees("heap.c", 8);
}

#[test]
#[ignore = "statistics: a thousand circuits of floats and doubles, 150 s"]
fn mathematics() {
    agrees_at("mathematics.c", 9, &["-Os"]);
}
