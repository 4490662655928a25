use crate::sides::agrees;

#[test]
fn texts() {
    agrees("texts.c", 1);
}

#[test]
fn numbers() {
    agrees("numbers.c", 3);
}

#[test]
fn printing() {
    agrees("printing.c", 5);
}
