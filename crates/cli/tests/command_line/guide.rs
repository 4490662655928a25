//! The guide's commands as they are typed: those of one program, and those of two machines, on one
//! machine and in one folder.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use super::command::{Place, ended, repository};

/// The commands of a section, block by block.
fn blocks(title: &str) -> Vec<String> {
    let guide = std::fs::read_to_string(repository("docs/guide.md")).unwrap();
    let section = guide
        .split("\n## ")
        .find(|section| section.starts_with(title));
    let section = section.unwrap();
    let parts = section.split("\n```sh\n").skip(1);
    let blocks = parts.map(|part| part.split("\n```").next().unwrap().to_owned());
    blocks.collect()
}

/// Where the guide is read: the root of a clone, with `blindcore` on the path.
struct Terminal<'p> {
    place: &'p Place,
    /// The port in the place of the default one, which other tests may have.
    port: u16,
}

impl Terminal<'_> {
    fn typed(&self, lines: &str) -> std::process::Command {
        let port = self.port;
        let lines = lines
            .replace(":7410", &format!(":{port} --no-metrics"))
            .replace(
                "BLINDCORE_SERVER=localhost",
                &format!("BLINDCORE_SERVER=localhost:{port}"),
            );
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_blindcore"));
        let path = std::env::var("PATH").unwrap();
        let folder = program.parent().unwrap().display();
        let mut command = std::process::Command::new("sh");
        command
            .args(["-e", "-c", &lines])
            .current_dir(self.place.path(""))
            .env("PATH", format!("{folder}:{path}"))
            .env("XDG_STATE_HOME", self.place.path("state"))
            .stdin(Stdio::null());
        command
    }

    fn done(&self, lines: &str) -> String {
        let ended = ended(self.typed(lines).output().unwrap());
        assert_eq!(ended.code, Some(0), "{lines}\n{ended:?}");
        ended.out
    }
}

/// A server that ends with the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "a run and two jobs as the guide has them, about 15 seconds on two cores"]
fn one_program_and_two_machines_as_they_are_typed() {
    let place = Place::new();
    std::os::unix::fs::symlink(repository("examples"), place.path("examples")).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let number = port.local_addr().unwrap().port();
    drop(port);
    let terminal = Terminal {
        place: &place,
        port: number,
    };

    let [story] = &blocks("One program, three steps")[..] else {
        panic!("one block")
    };
    let first = terminal.done(story);
    assert!(first.contains("total = 41250\n"), "{first}");

    let [server, client, branches] = &blocks("Two machines")[..] else {
        panic!("three blocks")
    };
    // The last line of the first terminal's block stays; `exec` makes it the process that is ended.
    let (before, serve) = server.rsplit_once('\n').unwrap();
    terminal.done(before);
    let mut serving = terminal.typed(&format!("exec {serve}"));
    let serving = serving.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut serving = Serving(serving.spawn().unwrap());
    let mut told = BufReader::new(serving.0.stdout.take().unwrap()).lines();
    let line = told.next().unwrap().unwrap();
    assert!(line.starts_with("listening on "), "{line}");

    // Both blocks are typed into one terminal, whose variables stay.
    let answers = terminal.done(&format!("{client}\n{branches}"));
    assert!(answers.contains("total = 41250\n"), "{answers}");
    assert!(answers.contains("divisor = 21\n"), "{answers}");
}
