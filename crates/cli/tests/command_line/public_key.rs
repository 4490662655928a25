//! People who have nothing but a public key, and one computation on what they all encrypted.

use serde_json::Value;

use super::command::{Place, repository};
use super::examples::cases;

/// Exit codes: a value, a file, and a key that does not belong.
const INPUT: i32 = 3;
const FILE: i32 = 4;
const KEY: i32 = 5;
/// A ring that protects nothing, with sixteen slots.
const TOY: &str = "TOY_255-45-36-140-1x45-1";

fn tender() -> String {
    repository("examples/tender/tender.elf")
}

/// A bidder's file, made with this key.
fn bid(place: &Place, key: &str, bidder: u32, amount: u64) -> String {
    let file = format!("bid{bidder}.bct");
    let value = format!("bid_{bidder}={amount}");
    let program = tender();
    place.done(&["encrypt", "--key", key, &program, &value, "--out", &file]);
    file
}

/// What the auctioneer reads of a run on these files.
fn outcome(place: &Place, files: &[String]) -> Value {
    let program = tender();
    let mut run = vec!["run", "--key", "auctioneer.server", &program];
    run.extend(files.iter().map(String::as_str));
    run.extend(["--out", "outcome.bct", "--quiet"]);
    place.done(&run);
    let key = ["decrypt", "--key", "auctioneer.secret", "outcome.bct"];
    serde_json::from_str(&place.done(&[&key[..], &["--json"]].concat())).unwrap()
}

/// The commands of the example's page as it has them, by a shell in a copy of what they read; and
/// every case of the example, whose answers the host's compiler gave, the files in another order
/// each time.
#[test]
#[ignore = "slow: 8 s"]
fn bidders_hold_nothing_but_the_public_key() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("examples/tender")).unwrap();
    place.write(
        "examples/tender/tender.elf",
        std::fs::read(tender()).unwrap(),
    );
    let page = std::fs::read_to_string(repository("examples/tender/README.md")).unwrap();
    let mut answers = Vec::new();
    let blocks = page.split("```").skip(1).step_by(2);
    for line in blocks
        .filter_map(|block| block.strip_prefix("sh\n"))
        .flat_map(str::lines)
    {
        let arguments = line.strip_prefix("blindcore ").unwrap();
        let ended = place.shell(&format!("\"$blindcore\" {arguments}"));
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
        answers.push(ended.out);
    }
    assert_eq!(answers.len(), 7);
    assert_eq!(answers.pop().unwrap(), "winner = 2\nprice = 445\n");

    for (round, case) in cases("tender").iter().enumerate() {
        let mut files: Vec<String> = (1..=3)
            .map(|bidder| {
                let amount = case["inputs"][format!("bid_{bidder}")].as_u64().unwrap();
                // The auctioneer may bid, too, with its own key.
                let key = match (round, bidder) {
                    (1, 2) => "auctioneer.secret",
                    _ => "auctioneer.public",
                };
                bid(&place, key, bidder, amount)
            })
            .collect();
        files.rotate_left(round % 3);
        let found = outcome(&place, &files);
        for name in ["winner", "price"] {
            assert_eq!(found[name], case["outputs"][name], "{case}");
        }
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn a_public_key_reads_and_computes_nothing() {
    let place = Place::new();
    place.done(&["keygen", "--out", "auctioneer"]);
    place.done(&["keygen", "--out", "other"]);
    place.done(&["keygen", "--out", "third", "--set", "p16-uniform"]);
    let program = tender();
    let file = bid(&place, "auctioneer.public", 1, 310);
    for key in ["auctioneer.public", "other.public"] {
        place.fails(
            FILE,
            &[key, "this is a public key", "encrypts and reads nothing"],
            &["decrypt", "--key", key, &file],
        );
    }
    place.fails(
        FILE,
        &["auctioneer.public", "a public key only encrypts"],
        &[
            "run",
            "--key",
            "auctioneer.public",
            &program,
            &file,
            "--default-zero",
            "--out",
            "outcome.bct",
        ],
    );
    place.fails(
        FILE,
        &["this is a server key", "a secret key was expected"],
        &[
            "encrypt",
            "--key",
            "auctioneer.server",
            &program,
            "bid_2=1",
            "--out",
            "x.bct",
        ],
    );
    // The owner reads what others made, and nobody else.
    let own = ["decrypt", "--key", "auctioneer.secret", &file];
    assert_eq!(place.done(&own), "bid_1 = 310\n");
    for (key, part) in [
        ("other.secret", "made with key"),
        ("third.secret", "made with parameter set"),
    ] {
        place.fails(KEY, &[part], &["decrypt", "--key", key, &file]);
    }
    // A bid for another auctioneer, and one that is given twice.
    for (key, part) in [
        ("other.public", "made with key"),
        ("third.public", "made with parameter set"),
    ] {
        let foreign = bid(&place, key, 2, 450);
        let run = [
            "run",
            "--key",
            "auctioneer.server",
            &program,
            &file,
            &foreign,
        ];
        place.fails(
            KEY,
            &[part],
            &[&run[..], &["--out", "outcome.bct"]].concat(),
        );
    }
    std::fs::copy(place.path(&file), place.path("again.bct")).unwrap();
    let run = [
        "run",
        "--key",
        "auctioneer.server",
        &program,
        &file,
        "again.bct",
    ];
    place.fails(
        INPUT,
        &["bid_1 is given twice"],
        &[&run[..], &["--out", "outcome.bct"]].concat(),
    );
}

#[test]
fn inspect_tells_what_a_public_key_is_and_whose() {
    let place = Place::new();
    let keys: Value =
        serde_json::from_str(&place.done(&["keygen", "--out", "auctioneer", "--json"])).unwrap();
    let file = bid(&place, "auctioneer.public", 1, 310);
    let files = [
        "auctioneer.public",
        "auctioneer.server",
        "auctioneer.secret",
        &file,
    ];
    let told = place.done(&[&["inspect", "--json"], &files[..]].concat());
    let told: Value = serde_json::from_str(&told).unwrap();
    let told = told.as_array().unwrap();
    assert!(told.iter().all(|one| one["key"] == keys["key"]));
    assert_eq!(told[0]["kind"], "public key");
    assert_eq!(told[0]["bytes"], keys["public_bytes"]);
    assert_eq!(
        (&told[3]["kind"], &told[3]["version"]),
        (&"inputs".into(), &2.into())
    );
    let text = place.done(&["inspect", "auctioneer.public"]);
    assert!(
        text.starts_with("auctioneer.public: a public key, "),
        "{text}"
    );
    // What was cut off, and another file's content under this header.
    let bytes = place.read("auctioneer.public");
    for length in [0, 8, 99, 100, 136, bytes.len() - 1] {
        place.write("cut.public", &bytes[..length]);
        let encrypt = ["encrypt", "--key", "cut.public", &tender(), "bid_1=1"];
        place.fails(
            FILE,
            &["cut.public"],
            &[&encrypt[..], &["--out", "x.bct"]].concat(),
        );
    }
}

/// Two people's columns of one table, and a third from the owner, by BGV.
#[test]
#[ignore = "slow: 2 s"]
fn tables_of_several_people() {
    let place = Place::new();
    let keygen = ["keygen", "--scheme", "bgv", "--parameters", TOY];
    for name in ["auctioneer", "other"] {
        place.done(&[&keygen[..], &["--out", name]].concat());
    }
    let program = tender();
    let rows: [[u64; 3]; 3] = [[310, 450, 445], [7, 7, 1], [0, 65_535, 65_534]];
    let encrypt = |key: &str, bidder: usize| {
        let column = rows.iter().map(|row| format!("{}\n", row[bidder - 1]));
        let table = format!("bid_{bidder}\n{}", column.collect::<String>());
        place.write("column.csv", table);
        let file = format!("bid{bidder}.bct");
        let arguments = ["encrypt", "--key", key, &program, "@column.csv", "--out"];
        place.done(&[&arguments[..], &[&file]].concat());
    };
    encrypt("auctioneer.public", 1);
    encrypt("auctioneer.public", 2);
    encrypt("auctioneer.secret", 3);
    let run = ["run", "--key", "auctioneer.server", &program];
    let files = ["bid3.bct", "bid1.bct", "bid2.bct", "--out", "outcome.bct"];
    place.done(&[&run[..], &files].concat());
    let decrypt = ["decrypt", "--key", "auctioneer.secret", "outcome.bct"];
    assert_eq!(place.done(&decrypt), "winner,price\n2,445\n1,7\n2,65534\n");
    // What a public key of this scheme does not do, either.
    place.fails(
        FILE,
        &["this is a public key of BGV", "reads nothing"],
        &["decrypt", "--key", "auctioneer.public", "outcome.bct"],
    );
    encrypt("other.public", 2);
    place.fails(KEY, &["made with key"], &[&run[..], &files].concat());
    let told = place.done(&["inspect", "auctioneer.public", "bid1.bct"]);
    assert!(told.contains("a public key of BGV"), "{told}");
}
