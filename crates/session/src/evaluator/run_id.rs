//! Which run a checkpoint belongs to.

use std::time::SystemTime;

use processor::{Argument, Content, Entry, Otherwise, Task, Type, Variable, Wanted};

/// What the hash begins with: another way to write a task down gets another word.
const DOMAIN: &[u8] = b"blindcore run 2";

/// The name of a run: BLAKE3 of the hashes of the program's and the inputs' files and of the task,
/// bounds but the stack's aside. `places` is what [`secret_bits`](super::secret_bits) takes.
///
/// Every field is written after its length in eight bytes, and lists after their number of entries,
/// so that no two tasks are written alike.
#[must_use]
pub fn run_hash(program: [u8; 32], inputs: [u8; 32], task: &Task, places: &[usize]) -> [u8; 32] {
    let mut written = Written(blake3::Hasher::new());
    written.bytes(DOMAIN);
    written.bytes(&program);
    written.bytes(&inputs);
    written.number(places.len() as u64);
    for place in places {
        written.number(*place as u64);
    }
    written.entry(&task.entry);
    written.number(task.inputs.len() as u64);
    for input in &task.inputs {
        written.variable(&input.variable);
        written.content(&input.content);
    }
    match &task.wanted {
        Wanted::Written => written.number(0),
        Wanted::Variables(variables) => {
            // A structure is its fields, as in a task that travels.
            let leaves: Vec<&Variable> = variables.iter().flat_map(Variable::leaves).collect();
            written.number(1 + leaves.len() as u64);
            for variable in leaves {
                written.variable(variable);
            }
        }
    }
    written.number(task.limits.stack.into());
    written.number(
        task.branches
            .both
            .map_or(0, |limit| limit.saturating_add(1)),
    );
    written.number(match task.branches.otherwise {
        Otherwise::Refuse => 0,
        Otherwise::Ask => 1,
        Otherwise::ClientHeld => 2,
    });
    written.number(task.objects.len() as u64);
    for object in &task.objects {
        written.number(object.address.into());
        written.number(object.size.into());
    }
    // As before where there are none.
    for bound in &task.bounds {
        written.number(bound.address.into());
        written.number(bound.size);
        written.number(bound.rounds);
    }
    written.0.finalize().into()
}

/// The name of the run of one row, from 0, of a table whose run is called so.
#[must_use]
pub fn row_hash(run: [u8; 32], row: u32) -> [u8; 32] {
    let mut written = Written(blake3::Hasher::new());
    written.bytes(b"blindcore row 1");
    written.bytes(&run);
    written.number(row.into());
    written.0.finalize().into()
}

/// The hash of a file of inputs, as [`run_hash`] takes it.
#[must_use]
pub fn inputs_hash(file: &[u8]) -> [u8; 32] {
    blake3::hash(file).into()
}

/// When an attempt at a run began and in which process: no two have the same, and a later one sorts
/// after an earlier one.
#[must_use]
pub fn attempt() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos());
    format!("{nanoseconds:016x}-{:x}", std::process::id())
}

struct Written(blake3::Hasher);

impl Written {
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Default => self.number(0),
            Entry::Image => self.number(1),
            Entry::Symbol(name) => {
                self.number(2);
                self.text(name);
            }
            Entry::Call {
                function,
                arguments,
            } => {
                self.number(3);
                self.text(function);
                self.number(arguments.len() as u64);
                for Argument {
                    name,
                    element,
                    content,
                } in arguments
                {
                    self.text(name);
                    self.text(&element.to_string());
                    self.content(content);
                }
            }
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.text(&variable.name);
        self.number(variable.address.into());
        self.number(variable.size.into());
        self.number(variable.shift.into());
        let ty = variable.ty.as_ref().map(Type::to_string);
        self.text(&ty.unwrap_or_default());
    }

    fn content(&mut self, content: &Content) {
        match content {
            Content::Clear(bytes) => {
                self.number(0);
                self.bytes(bytes);
            }
            Content::Secret => self.number(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use processor::{Entry, Limits, Task};

    use super::run_hash;

    #[test]
    fn a_run_is_its_program_inputs_and_task_whatever_its_bounds() {
        let task = Task::default();
        let limits = |limits| Task {
            limits,
            ..Task::default()
        };
        let of = |task: &Task| run_hash([1; 32], [2; 32], task, &[]);
        let defaults = Limits::default();
        assert_eq!(
            of(&task),
            of(&limits(Limits {
                window: 100,
                instructions: 7,
                ..defaults
            }))
        );
        let others = [
            of(&limits(Limits {
                stack: 1 << 16,
                ..defaults
            })),
            of(&Task {
                entry: Entry::Image,
                ..Task::default()
            }),
            run_hash([2; 32], [1; 32], &task, &[]),
            run_hash([1; 32], [3; 32], &task, &[]),
        ];
        assert!(others.iter().all(|other| *other != of(&task)));
    }
}
