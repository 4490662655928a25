//! A task as it travels: [`processor::Task`] to its message and back.
//!
//! A message names addresses and types where people write names, so that the server needs no
//! debugging information and both sides mean the same bytes. What comes back is checked for shape
//! and size here; whether it fits the program, the processor says.

use processor::{
    Argument, Bound, Branches, Content, Element, Entry, Input, Limits, Object, Otherwise, Task,
    Type, Variable, Wanted,
};

use crate::proto;

/// Most inputs, wanted variables, arguments or objects of a task, each.
const COUNT_LIMIT: usize = 65_536;
/// Longest name, in bytes.
const NAME_LIMIT: usize = 1_024;
/// Fewest nodes of a window: each ends with a checkpoint, which costs a file.
const WINDOW_LEAST: u64 = 64;
/// Most nodes of a window, which lie in memory together.
const WINDOW_MOST: u64 = 1 << 22;
/// Bytes of a stack: the processor needs some, and a program's own memory is bounded alike.
const STACK_LEAST: u64 = 8;
const STACK_MOST: u64 = 256 << 20;
/// Most instructions that two paths may have together.
const MERGE_MOST: u64 = 1 << 20;

/// Why a message is no task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// A field that must be there.
    #[error("{place}: {field} is missing")]
    Missing {
        /// Where.
        place: String,
        /// What.
        field: &'static str,
    },
    /// Too many of something.
    #[error("{count} {what}: at most {COUNT_LIMIT} are taken")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A name that is empty, too long or has control characters.
    #[error("{place}: a name has 1 to {NAME_LIMIT} bytes and no control characters")]
    Name {
        /// Where.
        place: String,
    },
    /// A type that cannot be read, or that has another size than the variable.
    #[error("{name}: {reason}")]
    Type {
        /// The variable or argument.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A number out of its range.
    #[error("{field} is {value}: it must be from {least} to {most}, or 0 for the default")]
    Range {
        /// The field.
        field: &'static str,
        /// What was given.
        value: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
}

/// The message of a task. `places` says for each of the task's secrets, in the order of
/// [`Task::secrets`], which variable of the inputs file it is.
///
/// A structure that is wanted travels as its fields.
#[must_use]
pub fn to_message(task: &Task, places: &[usize]) -> proto::Task {
    let mut places = places.iter();
    let mut content = |content: &Content| {
        let of = match content {
            Content::Clear(bytes) => proto::content::Of::Clear(bytes.clone()),
            // More places than the message can say do not exist: files hold 65,536 variables.
            Content::Secret => {
                let place = places.next().copied().unwrap_or(usize::MAX);
                proto::content::Of::Secret(u32::try_from(place).unwrap_or(u32::MAX))
            }
        };
        Some(proto::Content { of: Some(of) })
    };
    let inputs = task.inputs.iter().map(|input| proto::Input {
        variable: Some(variable_message(&input.variable)),
        content: content(&input.content),
    });
    let inputs = inputs.collect();
    let at = match &task.entry {
        Entry::Default => proto::entry::At::Default(proto::DefaultEntry {}),
        Entry::Image => proto::entry::At::Image(proto::ImageEntry {}),
        Entry::Symbol(name) => proto::entry::At::Symbol(name.clone()),
        Entry::Call {
            function,
            arguments,
        } => {
            let arguments = arguments.iter().map(|argument| proto::Argument {
                name: argument.name.clone(),
                r#type: argument.element.to_string(),
                content: content(&argument.content),
            });
            proto::entry::At::Call(proto::Call {
                function: function.clone(),
                arguments: arguments.collect(),
            })
        }
    };
    let wanted = match &task.wanted {
        Wanted::Written => Vec::new(),
        Wanted::Variables(variables) => variables
            .iter()
            .flat_map(Variable::leaves)
            .map(variable_message)
            .collect(),
    };
    proto::Task {
        entry: Some(proto::Entry { at: Some(at) }),
        inputs,
        wanted,
        limits: Some(proto::Limits {
            instructions: task.limits.instructions,
            stack: task.limits.stack,
            window: task.limits.window as u64,
        }),
        branches: Some(proto::Branches {
            both: task.branches.both.is_some(),
            merge_limit: task.branches.both.unwrap_or(0),
            otherwise: match task.branches.otherwise {
                Otherwise::Refuse => proto::SecretBranch::Refuse,
                Otherwise::Ask => proto::SecretBranch::Ask,
                Otherwise::ClientHeld => proto::SecretBranch::ClientHeld,
            } as i32,
        }),
        objects: task
            .objects
            .iter()
            .map(|object| proto::Object {
                address: object.address,
                size: object.size,
            })
            .collect(),
        bounds: task
            .bounds
            .iter()
            .map(|bound| proto::Bound {
                address: bound.address,
                size: bound.size,
                rounds: bound.rounds,
            })
            .collect(),
        // The submitting client decides.
        default_zero: false,
    }
}

fn variable_message(variable: &Variable) -> proto::Variable {
    proto::Variable {
        name: variable.name.clone(),
        address: variable.address,
        r#type: variable
            .ty
            .as_ref()
            .map(Type::to_string)
            .unwrap_or_default(),
        size: variable.size,
        shift: u32::from(variable.shift),
    }
}

/// The task of a message, and for each of its secrets the place in the inputs file.
///
/// # Errors
/// [`TaskError`] where the message holds no task.
pub fn from_message(message: &proto::Task) -> Result<(Task, Vec<usize>), TaskError> {
    check_count("inputs", message.inputs.len())?;
    check_count("wanted variables", message.wanted.len())?;
    check_count("objects", message.objects.len())?;
    check_count("bounds", message.bounds.len())?;
    let mut places = Vec::new();
    let mut inputs = Vec::with_capacity(message.inputs.len());
    for input in &message.inputs {
        let missing = |field| TaskError::Missing {
            place: "an input".to_owned(),
            field,
        };
        let variable = input.variable.as_ref().ok_or_else(|| missing("variable"))?;
        let variable = variable_of(variable)?;
        let content = content_of(&variable.name, input.content.as_ref(), &mut places)?;
        inputs.push(Input { variable, content });
    }
    let entry = entry_of(message.entry.as_ref(), &mut places)?;
    let wanted = message.wanted.iter().map(variable_of);
    let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    let branches = message.branches.unwrap_or_default();
    let objects = message.objects.iter().map(|object| Object {
        address: object.address,
        size: object.size,
    });
    let bounds = message.bounds.iter().map(|bound| Bound {
        address: bound.address,
        size: bound.size,
        rounds: bound.rounds,
    });
    let task = Task {
        entry,
        inputs,
        wanted: if wanted.is_empty() {
            Wanted::Written
        } else {
            Wanted::Variables(wanted)
        },
        limits: limits_of(&message.limits.unwrap_or_default())?,
        branches: Branches {
            both: match branches.both {
                true => Some(ranged("merge_limit", branches.merge_limit, 1, MERGE_MOST)?),
                false => None,
            },
            otherwise: match branches.otherwise() {
                proto::SecretBranch::Refuse => Otherwise::Refuse,
                proto::SecretBranch::Ask => Otherwise::Ask,
                proto::SecretBranch::ClientHeld => Otherwise::ClientHeld,
            },
        },
        objects: objects.collect(),
        bounds: bounds.collect(),
    };
    Ok((task, places))
}

fn entry_of(message: Option<&proto::Entry>, places: &mut Vec<usize>) -> Result<Entry, TaskError> {
    use proto::entry::At;
    Ok(match message.and_then(|entry| entry.at.as_ref()) {
        None | Some(At::Default(_)) => Entry::Default,
        Some(At::Image(_)) => Entry::Image,
        Some(At::Symbol(name)) => Entry::Symbol(named("the entry", name)?),
        Some(At::Call(call)) => {
            check_count("arguments", call.arguments.len())?;
            let function = named("the call", &call.function)?;
            let mut arguments = Vec::with_capacity(call.arguments.len());
            for argument in &call.arguments {
                arguments.push(argument_of(&function, argument, places)?);
            }
            Entry::Call {
                function,
                arguments,
            }
        }
    })
}

fn argument_of(
    function: &str,
    message: &proto::Argument,
    places: &mut Vec<usize>,
) -> Result<Argument, TaskError> {
    let name = named(&format!("an argument of {function}"), &message.name)?;
    let wrong = |reason: String| TaskError::Type {
        name: name.clone(),
        reason,
    };
    let element: Element = message
        .r#type
        .parse()
        .map_err(|error| wrong(format!("{error}")))?;
    let content = content_of(&name, message.content.as_ref(), places)?;
    if let Content::Clear(bytes) = &content
        && bytes.len() != element.bytes() as usize
    {
        let (given, bytes) = (bytes.len(), element.bytes());
        return Err(wrong(format!("{given} bytes where {element} has {bytes}")));
    }
    Ok(Argument {
        name,
        element,
        content,
    })
}

fn content_of(
    name: &str,
    message: Option<&proto::Content>,
    places: &mut Vec<usize>,
) -> Result<Content, TaskError> {
    match message.and_then(|content| content.of.as_ref()) {
        Some(proto::content::Of::Clear(bytes)) => Ok(Content::Clear(bytes.clone())),
        Some(proto::content::Of::Secret(place)) => {
            places.push(*place as usize);
            Ok(Content::Secret)
        }
        None => Err(TaskError::Missing {
            place: name.to_owned(),
            field: "content",
        }),
    }
}

fn variable_of(message: &proto::Variable) -> Result<Variable, TaskError> {
    let name = named("a variable", &message.name)?;
    let wrong = |reason: String| TaskError::Type {
        name: name.clone(),
        reason,
    };
    let ty = match message.r#type.as_str() {
        "" => Type::bytes_of_unknown_type(message.size),
        text => text.parse().map_err(|error| wrong(format!("{error}")))?,
    };
    if ty.size() == 0 {
        return Err(wrong("a variable has at least one byte".to_owned()));
    }
    let shift = u8::try_from(message.shift).ok().filter(|shift| *shift < 8);
    let shift = shift.filter(|shift| *shift == 0 || ty.width().is_some());
    let Some(shift) = shift else {
        return Err(wrong(format!("{ty} does not begin within a byte")));
    };
    // A bit-field lies in all bytes that it has a bit of.
    let span = ty
        .width()
        .map(|width| (u32::from(shift) + u32::from(width)).div_ceil(8));
    let span = span.unwrap_or(ty.size());
    if message.size != 0 && message.size != span {
        let (size, own) = (message.size, span);
        return Err(wrong(format!("{ty} has {own} bytes, not {size}")));
    }
    Ok(Variable {
        address: message.address,
        size: span,
        shift,
        // Without a written type it stays unknown, as in a program without debugging information.
        ty: Some(ty).filter(|_| !message.r#type.is_empty()),
        name,
        fields: Vec::new(),
        global: true,
        opacity: None,
    })
}

fn limits_of(message: &proto::Limits) -> Result<Limits, TaskError> {
    let default = Limits::default();
    let instructions = match message.instructions {
        0 => default.instructions,
        instructions => instructions,
    };
    let stack = match message.stack {
        0 => default.stack,
        stack => ranged("limits.stack", u64::from(stack), STACK_LEAST, STACK_MOST)? as u32,
    };
    let window = match message.window {
        0 => default.window,
        window => ranged("limits.window", window, WINDOW_LEAST, WINDOW_MOST)? as usize,
    };
    Ok(Limits {
        instructions,
        stack,
        window,
    })
}

fn ranged(field: &'static str, value: u64, least: u64, most: u64) -> Result<u64, TaskError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(TaskError::Range {
        field,
        value,
        least,
        most,
    })
}

fn check_count(what: &'static str, count: usize) -> Result<(), TaskError> {
    if count <= COUNT_LIMIT {
        return Ok(());
    }
    Err(TaskError::TooMany { what, count })
}

/// Names reach logs and terminals: escape sequences must not.
fn named(place: &str, name: &str) -> Result<String, TaskError> {
    let fits = !name.is_empty() && name.len() <= NAME_LIMIT && !name.chars().any(char::is_control);
    if fits {
        return Ok(name.to_owned());
    }
    Err(TaskError::Name {
        place: place.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, ty: &str) -> Variable {
        let ty: Type = ty.parse().unwrap();
        Variable {
            name: name.to_owned(),
            address: 0x1000,
            size: ty.size(),
            shift: 0,
            ty: Some(ty),
            fields: Vec::new(),
            global: true,
            opacity: None,
        }
    }

    fn sample() -> Task {
        let argument = |name: &str, content| Argument {
            name: name.to_owned(),
            element: "u32".parse().unwrap(),
            content,
        };
        Task {
            entry: Entry::Call {
                function: "f".to_owned(),
                arguments: vec![
                    argument("x", Content::Secret),
                    argument("7", Content::Clear(vec![7, 0, 0, 0])),
                ],
            },
            inputs: vec![
                Input {
                    variable: variable("table", "i8[3][4]"),
                    content: Content::Secret,
                },
                Input {
                    variable: variable("key", "u32"),
                    content: Content::Clear(vec![1, 2, 3, 4]),
                },
            ],
            wanted: Wanted::Variables(vec![variable("r", "u64")]),
            limits: Limits {
                instructions: 5,
                stack: 4096,
                window: 1000,
            },
            branches: Branches {
                both: Some(77),
                otherwise: Otherwise::Ask,
            },
            objects: vec![Object {
                address: 0x2000,
                size: 16,
            }],
            bounds: vec![Bound {
                address: 0x8000,
                size: 64,
                rounds: 9,
            }],
        }
    }

    #[test]
    fn a_task_comes_back_as_it_was() {
        let message = to_message(&sample(), &[1, 0]);
        assert_eq!(from_message(&message), Ok((sample(), vec![1, 0])));
    }

    #[test]
    fn an_empty_message_is_the_default_task() {
        let empty = proto::Task::default();
        assert_eq!(from_message(&empty), Ok((Task::default(), Vec::new())));
    }

    #[test]
    fn wrong_fields_are_named() {
        let message = |change: fn(&mut proto::Task)| {
            let mut message = to_message(&sample(), &[1, 0]);
            change(&mut message);
            from_message(&message).unwrap_err().to_string()
        };
        type Change = fn(&mut proto::Task);
        let cases: [(Change, &str); 8] = [
            (|t| t.inputs[0].content = None, "table: content is missing"),
            (|t| t.inputs[0].variable = None, "variable is missing"),
            (|t| t.wanted[0].r#type = "u33".to_owned(), "r: "),
            (|t| t.wanted[0].size = 7, "u64 has 8 bytes, not 7"),
            (
                |t| t.wanted[0].name = "\u{1b}[2J".to_owned(),
                "no control characters",
            ),
            (
                |t| {
                    t.limits = Some(proto::Limits {
                        window: 1,
                        ..Default::default()
                    })
                },
                "limits.window is 1",
            ),
            (
                |t| {
                    t.limits = Some(proto::Limits {
                        stack: u32::MAX,
                        ..Default::default()
                    })
                },
                "limits.stack is 4294967295",
            ),
            (
                |t| t.objects = vec![proto::Object::default(); COUNT_LIMIT + 1],
                "65537 objects",
            ),
        ];
        for (change, part) in cases {
            let message = message(change);
            assert!(message.contains(part), "{message}");
        }
    }
}
