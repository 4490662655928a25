//! C files instead of programs: those of docs/c.md, each of which is compiled and checked, and what
//! `cc` says.

use super::command::{Place, assert_failed, ended, repository};

/// A block of C and what stands above it: whether it is to fail, its values, what the answer has.
struct Example {
    fails: bool,
    values: Vec<String>,
    answer: String,
    source: String,
}

fn examples() -> Vec<Example> {
    let page = std::fs::read_to_string(repository("docs/c.md")).unwrap();
    let mut examples = Vec::new();
    let mut rest = page.as_str();
    while let Some((_, after)) = rest.split_once("<!-- ") {
        let (told, after) = after.split_once(" -->\n```c\n").unwrap();
        let (source, after) = after.split_once("```\n").unwrap();
        let (call, answer) = told.split_once(" => ").unwrap();
        let mut words = call.split(' ').map(str::to_owned);
        let kind = words.next().unwrap();
        assert!(kind == "check" || kind == "fails", "{kind}");
        examples.push(Example {
            fails: kind == "fails",
            values: words.collect(),
            answer: answer.to_owned(),
            source: source.to_owned(),
        });
        rest = after;
    }
    // A block without a line above it is checked by nobody.
    assert_eq!(examples.len(), page.matches("```c\n").count());
    examples
}

#[test]
#[ignore = "slow: 70 s"]
fn what_the_page_on_c_shows_is_so() {
    let place = Place::new();
    let all = examples();
    assert!(all.len() >= 20);
    for (number, example) in all.iter().enumerate() {
        let file = format!("{number}.c");
        place.write(&file, &example.source);
        let mut arguments = vec!["check", &file];
        arguments.extend(example.values.iter().map(String::as_str));
        let compiler = ["arm-none-eabi-gcc", "clang"][number % 2];
        let mut command = place.command(&arguments);
        let output = command.env("BLINDCORE_CC", compiler).output();
        let ended = ended(output.unwrap());
        let text = format!("{}{}", ended.out, ended.err);
        assert_eq!(ended.code == Some(0), !example.fails, "{text}");
        let found = match example.fails {
            true => text.contains(&example.answer),
            false => text.lines().any(|line| line == example.answer),
        };
        assert!(found, "{}: {text}", example.source);
    }
}

/// What the same sources give by the host's compiler and its library; of fixed point, what the page
/// says.
#[test]
#[ignore = "slow: 27 s"]
fn floats_are_those_of_the_host() {
    let place = Place::new();
    for (file, values, answers) in [
        (
            "logistic.c",
            &["age=52", "pressure=141.5", "smoker=1"][..],
            &["risk = 0.2345131"][..],
        ),
        (
            "mortgage.c",
            &["loan=250000", "rate=3.75", "payment=1500"],
            &["241225.20271097842", "interest = 9225.202710978418"],
        ),
        (
            "network.c",
            &["x=0.5,-1.5,2.25,0.125"],
            &["y = 2.6799996, -0.8049998"],
        ),
        (
            "network_fixed.c",
            &["x=32768,-98304,147456,8192"],
            &["y = 175636, -52756"],
        ),
    ] {
        let file = repository(&format!("examples/floats/{file}"));
        let text = place.done(&[&["check", &file], values].concat());
        for answer in answers {
            assert!(text.contains(answer), "{file}: {text}");
        }
    }
}

/// The Fibonacci number that the page has, by a program in encrypted memory; and a sum that zlib gives.
#[test]
#[ignore = "slow: 26 s"]
fn programs_of_secret_addresses_answer() {
    let place = Place::new();
    let code = "code=0x05000700,0x01020001,0x01030001,0x07000008,0x02010200,0x02020100,\
                0x03000300,0x07070003,0x06010701,0";
    let text = "text=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    for (file, values, answer) in [
        (
            "machine.c",
            &[code, "memory=10"][..],
            "registers = 0, 6765, 10946, 1, 0, 0, 0, 0",
        ),
        ("crc.c", &[text], "crc = 3469664904"),
    ] {
        let file = repository(&format!("examples/memory/{file}"));
        let found = place.done(&[&["check", &file], values].concat());
        assert!(found.contains(answer), "{file}: {found}");
    }
    let machine = repository("examples/memory/machine.c");
    let told = place.done(&["plan", &machine]);
    // One for memory in each step at least, whatever the compiler makes of registers.
    let stores = told.split(" loads and ").nth(1);
    let stores = stores.and_then(|rest| rest.split_once(" stores"));
    let stores: Option<u32> = stores.and_then(|(count, _)| count.parse().ok());
    assert!(stores.is_some_and(|count| count >= 64), "{told}");
}

#[test]
#[ignore = "slow: 9 s"]
fn a_compiler_is_found_tried_and_quoted() {
    let place = Place::new();
    place.write(
        "sum.c",
        "#include <blindcore.h>\nSECRET int a[4];\nOUTPUT int sum;\n\
         int main(void) { for (int i = 0; i < 4; i++) sum += a[i]; return 0; }\n",
    );
    let told = place.done(&["cc", "sum.c", "-o", "sum.elf"]);
    assert!(told.contains("sum.elf: -O"), "{told}");
    let checked = place.done(&["check", "sum.elf", "a=1,2,3,4"]);
    assert!(checked.contains("sum = 10"), "{checked}");

    place.write("wrong.c", "int main(void) { return x; }\n");
    for arguments in [&["cc", "wrong.c", "-o", "x.elf"][..], &["plan", "wrong.c"]] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, Some(6));
        let parts = [
            "wrong.c:1:25: error: ",
            "blindcore: wrong.c: does not compile\n",
        ];
        assert!(
            parts.iter().all(|part| ended.err.contains(part)),
            "{}",
            ended.err
        );
    }
    let mut command = place.command(&["plan", "sum.c"]);
    let output = command.env("BLINDCORE_CC", "/nowhere/cc").output();
    assert_failed(&ended(output.unwrap()), 2, &["/nowhere/cc"]);
}
