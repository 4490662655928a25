//! The program a command is about, and how the command line's words become its task.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use processor::{
    Argument, Content, Element, Entry, ErrorClass, Function, Input, Limits, LoadError, Object,
    Program, RunError, SymbolError, Task, Type, Unattended, Unset, Variable, Wanted,
};
use session::evaluator::EvaluationError;
use session::policy::Refusal;
use values::{Assignment, InputError, agree, renamed};

use crate::arguments::{Execution, Missing};
use crate::call::{self, Call, NotACall};
use crate::failure::{Code, Failure};
use crate::progress::Display;

/// Largest program file: far above any that fits the memory limit.
const FILE_LIMIT: u64 = 1 << 30;

/// A loaded program and where it came from.
pub(crate) struct Subject<'a> {
    pub(crate) path: &'a Path,
    pub(crate) program: Program,
}

/// A variable together with the name it has in files and messages.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) place: Place,
    /// Why values other than raw bytes have no meaning there, where the type is not known.
    typeless: Option<String>,
}

/// Where a named value goes.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Into memory.
    Memory(Variable),
    /// Into the call's argument at this position.
    Argument(usize),
}

impl<'a> Subject<'a> {
    pub(crate) fn load(path: &'a Path) -> Result<Subject<'a>, Failure> {
        let length = fs::metadata(path)
            .map_err(|error| Failure::io(path, "open", &error))?
            .len();
        if length > FILE_LIMIT {
            return Err(Failure::new(
                Code::Program,
                format!(
                    "{}: too large for a program ({length} bytes)",
                    path.display()
                ),
            ));
        }
        let bytes = fs::read(path).map_err(|error| Failure::io(path, "read", &error))?;
        Subject::from_bytes(path, &bytes)
    }

    pub(crate) fn from_bytes(path: &'a Path, bytes: &[u8]) -> Result<Subject<'a>, Failure> {
        let program = Program::load_as(&shown(path), bytes).map_err(|error: LoadError| {
            Failure::new(Code::Program, format!("{}: {error}", path.display()))
        })?;
        Ok(Subject { path, program })
    }

    /// Says on standard error what is strange about a program in assembly.
    pub(crate) fn warn(&self) {
        let name = shown(self.path);
        for warning in self.program.warnings() {
            // If nobody reads it, the run will tell.
            let _ = writeln!(std::io::stderr(), "blindcore: warning: {name}:{warning}");
        }
    }

    /// The words of code that the program consists of.
    pub(crate) fn code_words(&self) -> u32 {
        let segments = self.program.segments().iter();
        let code = segments.filter(|segment| segment.executable);
        code.map(|segment| segment.size / 4).sum()
    }

    /// Finds the variable, or the secret argument of the call, that a name means, and settles its
    /// type: the written one, else the one in the debugging information.
    pub(crate) fn find(
        &self,
        name: &str,
        written: Option<&Type>,
        call: Option<&Call>,
    ) -> Result<Named, Failure> {
        if let Some(call) = call
            && let Some((position, _)) = call.secrets().find(|(_, secret)| *secret == name)
        {
            let function = self.function(call)?;
            let word = Element::Integer {
                bits: 32,
                signed: false,
            };
            let ty = match (written, parameter(function, position)) {
                (Some(ty), Some(element))
                    if ty.dimensions().is_empty() && ty.element().bits() != element.bits() =>
                {
                    let function = &call.function;
                    return Err(Failure::new(
                        Code::Input,
                        format!("{name}: {function} takes {element} there, not {ty}"),
                    ));
                }
                (Some(ty), _) if ty.dimensions().is_empty() => ty.clone(),
                (Some(ty), _) => {
                    return Err(Failure::new(
                        Code::Input,
                        format!("{name}: an argument is one number, not {ty}"),
                    ));
                }
                (None, _) => parameter_type(function, position).unwrap_or(Type::scalar(word)),
            };
            let typeless = (written.is_none() && parameter(function, position).is_none())
                .then(|| {
                    let function = &call.function;
                    format!("the program does not tell what {function} takes there; compile it with -g, or write {name}:u32=…")
                });
            return Ok(Named {
                name: name.to_owned(),
                ty,
                place: Place::Argument(position),
                typeless,
            });
        }
        let variable = self.variable(name)?;
        let ty = written.cloned().unwrap_or_else(|| variable.type_or_bytes());
        let field = variable.ty.as_ref().filter(|own| own.width().is_some());
        if ty.width() != field.and_then(Type::width) {
            let own = match field {
                Some(own) => format!("is a bit-field of type {own}"),
                None => "is no bit-field".to_owned(),
            };
            return Err(Failure::new(
                Code::Input,
                format!("{name}: it {own}, and {ty} is not its type"),
            ));
        }
        if ty.size() > variable.size {
            return Err(Failure::new(
                Code::Input,
                format!(
                    "{name}: {ty} has {} bytes, the program's variable only {}",
                    ty.size(),
                    variable.size
                ),
            ));
        }
        let typeless = match written {
            None if variable.ty.is_none() => Some(typeless(name, variable)),
            _ => None,
        };
        let place = Place::Memory(variable.with_type(ty.clone()));
        Ok(Named {
            name: name.to_owned(),
            ty,
            place,
            typeless,
        })
    }

    /// As [`find`](Self::find), for a value that goes there: a written type must mean what the
    /// program's type means, or have its size where that is not known.
    pub(crate) fn find_input(
        &self,
        name: &str,
        written: Option<&Type>,
        call: Option<&Call>,
    ) -> Result<Named, Failure> {
        let named = self.find(name, written, call)?;
        let own = match &named.place {
            Place::Memory(_) => {
                let variable = self.variable(name)?;
                // What has no type but bytes takes what has their size.
                let own = variable.ty.as_ref();
                match own.filter(|own| own.element() != Element::Raw) {
                    Some(own) => unlike(&self.as_told(&named.ty), own),
                    None if variable.size != named.ty.size() => {
                        Some(format!("has {} bytes", variable.size))
                    }
                    None => None,
                }
            }
            Place::Argument(position) => {
                let function = call.map(|call| self.function(call)).transpose()?;
                let own = function.and_then(|function| parameter_type(function, *position));
                own.and_then(|own| unlike(&named.ty, &own))
            }
        };
        match own {
            None => Ok(named),
            Some(own) => Err(InputError::OtherType {
                name: named.name,
                given: Box::new(named.ty),
                own,
            }
            .into()),
        }
    }

    /// A type as the program could have told it: HE assembly does not say which numbers have a sign.
    fn as_told(&self, ty: &Type) -> Type {
        let told = match ty.element() {
            Element::Integer { bits, .. } if self.program.is_assembly() => {
                let signed = false;
                let element = Element::Integer { bits, signed };
                Type::array(element, ty.dimensions().to_vec()).ok()
            }
            _ => None,
        };
        told.unwrap_or_else(|| ty.clone())
    }

    fn variable(&self, name: &str) -> Result<&Variable, Failure> {
        self.program
            .variable(name)
            .map_err(|error| self.symbol(&error))
    }

    fn function(&self, call: &Call) -> Result<&Function, Failure> {
        self.program
            .function(&call.function)
            .map_err(|error| self.symbol(&error))
    }

    fn symbol(&self, error: &SymbolError) -> Failure {
        Failure::new(Code::Input, format!("{}: {error}", self.path.display()))
    }

    /// What to execute. `inputs` are placed in their order; a secret argument of the call that
    /// none of them fills is an error.
    pub(crate) fn task(
        &self,
        execution: &Execution,
        inputs: Vec<(Named, Content)>,
    ) -> Result<Task, Failure> {
        refuse_overlaps(inputs.iter().map(|(named, _)| (named, "")))?;
        let mut memory = Vec::new();
        let mut arguments = Vec::new();
        for (named, content) in inputs {
            match named.place {
                Place::Memory(variable) => memory.push(Input { variable, content }),
                Place::Argument(position) => arguments.push((position, named.ty, content)),
            }
        }
        Ok(Task {
            entry: self.entry(execution, arguments)?,
            inputs: memory,
            wanted: self.wanted(execution)?,
            limits: Limits {
                instructions: execution.max_instructions,
                stack: execution.stack,
                window: usize::try_from(execution.window).unwrap_or(usize::MAX),
            },
            branches: execution
                .secret_branches
                .task()
                .map_err(|message| Failure::new(Code::Usage, message))?,
            objects: self.objects(execution)?,
        })
    }

    /// The objects of `--object`.
    fn objects(&self, execution: &Execution) -> Result<Vec<Object>, Failure> {
        let objects = execution.object.iter();
        objects
            .map(|object| {
                let found = object.object(&self.program);
                found.map_err(|error| self.failure(&error.into(), None))
            })
            .collect()
    }

    fn entry(
        &self,
        execution: &Execution,
        mut given: Vec<(usize, Type, Content)>,
    ) -> Result<Entry, Failure> {
        let Some(call) = &execution.call else {
            return Ok(execution
                .entry
                .clone()
                .map_or(Entry::Default, Entry::Symbol));
        };
        let function = self.function(call)?;
        if let Some(parameters) = &function.parameters
            && parameters.len() != call.arguments.len()
        {
            return Err(Failure::new(
                Code::Input,
                format!(
                    "{} takes {} arguments, not {}",
                    call.function,
                    parameters.len(),
                    call.arguments.len()
                ),
            ));
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (position, argument) in call.arguments.iter().enumerate() {
            let word = Element::Integer {
                bits: 32,
                signed: false,
            };
            let known = parameter(function, position);
            arguments.push(match argument {
                call::Argument::Clear(value) => {
                    let signed = Element::Integer { bits: 32, signed: *value < 0 };
                    let element = known.unwrap_or(signed);
                    let bytes = Type::scalar(element).encode(&[*value]).map_err(|error| {
                        let place = format!("argument {} of {}", position + 1, call.function);
                        Failure::new(Code::Input, format!("{place}: {error}"))
                    })?;
                    Argument { name: value.to_string(), element, content: Content::Clear(bytes) }
                }
                call::Argument::Address(name) => {
                    let address = self.variable(name)?.address;
                    let content = Content::Clear(address.to_le_bytes().to_vec());
                    Argument { name: format!("&{name}"), element: word, content }
                }
                call::Argument::Secret(name) => {
                    let at = given.iter().position(|(other, ..)| *other == position);
                    let Some(at) = at else {
                        return Err(Failure::new(
                            Code::Input,
                            format!(
                                "the call needs a value for {name}: encrypt it with --call '{call}' {name}=…"
                            ),
                        ));
                    };
                    let (_, ty, content) = given.swap_remove(at);
                    // The caller extends a narrow argument, as the parameter's type says.
                    let element = known.unwrap_or(ty.element());
                    Argument { name: name.clone(), element, content }
                }
            });
        }
        Ok(Entry::Call {
            function: call.function.clone(),
            arguments,
        })
    }

    fn wanted(&self, execution: &Execution) -> Result<Wanted, Failure> {
        if execution.output.is_empty() {
            return Ok(Wanted::Written);
        }
        let variables = execution.output.iter().map(|text| {
            let (name, ty) = declared(text)?;
            match ty {
                None => self.variable(name).cloned(),
                Some(ty) => match self.find(name, Some(&ty), None)?.place {
                    Place::Memory(variable) => Ok(variable),
                    Place::Argument(_) => self.variable(name).cloned(),
                },
            }
        });
        let variables = variables.collect::<Result<Vec<Variable>, Failure>>()?;
        refuse_repetition(variables.iter().map(|variable| variable.name.as_str()))?;
        Ok(Wanted::Variables(variables))
    }

    /// Variables as `plan` takes them: secret by `NAME[:TYPE]`, public by `NAME=VALUE`. The call's
    /// secret arguments are secret without being named.
    pub(crate) fn declared(
        &self,
        texts: &[String],
        call: Option<&Call>,
    ) -> Result<Vec<(Named, Content)>, Failure> {
        let mut inputs = Vec::new();
        for text in texts {
            if text.contains('=') || text.starts_with('@') {
                inputs.extend(self.public(text, call)?);
            } else {
                let (name, ty) = declared(text)?;
                inputs.push((self.find_input(name, ty.as_ref(), call)?, Content::Secret));
            }
        }
        for (_, name) in call.iter().flat_map(|call| call.secrets()) {
            if !inputs.iter().any(|(named, _)| named.name == name) {
                inputs.push((self.find(name, None, call)?, Content::Secret));
            }
        }
        refuse_overlaps(inputs.iter().map(|(named, _)| (named, "")))?;
        Ok(inputs)
    }

    /// Public values from one argument.
    pub(crate) fn public(
        &self,
        text: &str,
        call: Option<&Call>,
    ) -> Result<Vec<(Named, Content)>, Failure> {
        let assignments = self.assignments(text)?;
        let inputs = assignments.iter().map(|assignment| {
            let named = self.find_input(&assignment.name, assignment.ty.as_ref(), call)?;
            let (bytes, _) = whole(&named, assignment)?;
            Ok((named, Content::Clear(bytes)))
        });
        inputs.collect()
    }

    /// Refuses to run a program that reads variables which nobody gave, unless they are to be 0.
    pub(crate) fn refuse_missing(&self, unset: &[Unset], missing: Missing) -> Result<(), Failure> {
        if missing.default_zero || unset.is_empty() {
            return Ok(());
        }
        let variables = unset.to_vec();
        let error = EvaluationError::Unset { variables };
        let message = format!("{}: {error}", self.path.display());
        Err(Failure::new(Code::Input, message))
    }

    /// An error of planning or running, with its exit code.
    pub(crate) fn failure(&self, error: &RunError, reached: Option<&Display>) -> Failure {
        let code = match error.class() {
            ErrorClass::Cancelled => {
                let reached = reached.map(|display| format!(" {}", display.reached()));
                let message = format!("interrupted{}", reached.unwrap_or_default());
                return Failure::new(Code::Interrupted, message);
            }
            ErrorClass::Input | ErrorClass::Checkpoint => Code::Input,
            ErrorClass::Program => Code::Program,
            ErrorClass::Fault => Code::Fault,
            ErrorClass::Limit => Code::Limit,
            ErrorClass::Secret => Code::Secret,
            ErrorClass::Host => host_code(error),
            ErrorClass::Internal => Code::Internal,
        };
        Failure::new(code, format!("{}: {error}", self.path.display()))
    }
}

/// The exit code of a run that its host ended: nobody answered a question, or what the program wrote
/// could not be printed.
fn host_code(error: &RunError) -> Code {
    match error {
        RunError::Host { source } if source.is::<Refusal>() || source.is::<Unattended>() => {
            Code::Answer
        }
        _ => Code::Io,
    }
}

/// The name of a file, fit for messages about places in it.
pub(crate) fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    name.chars().filter(|c| !c.is_control()).collect()
}

/// Why a variable takes no numbers, and what to write: the debugging information does not describe
/// it, or not as one value.
fn typeless(name: &str, variable: &Variable) -> String {
    let guess = match variable.size {
        1 => "u8".to_owned(),
        2 => "u16".to_owned(),
        4 => "u32".to_owned(),
        8 => "u64".to_owned(),
        size if size % 4 == 0 => format!("u32[{}]", size / 4),
        size if size % 2 == 0 => format!("u16[{}]", size / 2),
        size => format!("u8[{size}]"),
    };
    let bytes = format!("its bytes ({name}=@FILE.bin)");
    // The elements of an array that has no type are fields.
    let part = variable.fields.first();
    let opacity = variable.opacity.or(part
        .filter(|part| part.name.starts_with(&format!("{name}[")))
        .and_then(|part| part.opacity));
    match (opacity, part) {
        (Some(opacity), _) => {
            format!("{opacity}; give {bytes}, or write a type ({name}:{guess}=…)")
        }
        (None, Some(part)) => {
            format!(
                "{name} is a structure; give its fields ({}=…, or {name}={{\"member\":value,…}}), or {bytes}",
                part.name
            )
        }
        (None, None) => format!(
            "the program does not tell the type of {name}; compile it with -g, or write {name}:{guess}=… if \
             that is its type in the source"
        ),
    }
}

/// The bytes of a whole variable, what the assignment gives, then zeros; and how many elements
/// were given.
pub(crate) fn whole(named: &Named, assignment: &Assignment) -> Result<(Vec<u8>, usize), Failure> {
    if let Some(reason) = &named.typeless
        && !assignment.is_raw()
    {
        let (name, reason) = (named.name.clone(), reason.clone());
        return Err(InputError::NoType { name, reason }.into());
    }
    let values = assignment.elements(&named.ty)?;
    let mut bytes = named
        .ty
        .encode(&values)
        .map_err(|error| Failure::new(Code::Input, format!("{}: {error}", named.name)))?;
    bytes.resize(named.ty.size() as usize, 0);
    Ok((bytes, values.len()))
}

/// The bits of a whole variable that [`whole`] gives.
pub(crate) fn bits_of_whole(named: &Named, bytes: &[u8]) -> Vec<bool> {
    let mut bits = values::bits_of(bytes);
    bits.truncate(named.ty.bits());
    bits
}

/// Refuses a name that is given twice.
fn refuse_repetition<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), Failure> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Failure::new(Code::Input, format!("{name} is given twice")));
        }
    }
    Ok(())
}

/// Refuses to give the same bits twice, under the same name or under two: a structure and one of its
/// fields, two members of a union, or two names of one object. With each comes where it is given, if that is worth
/// telling.
pub(crate) fn refuse_overlaps<'n>(
    given: impl Iterator<Item = (&'n Named, &'n str)>,
) -> Result<(), Failure> {
    let mut names = HashMap::new();
    let mut ranges = Vec::new();
    let both = |first: &str, second: &str| match first == second {
        true => String::new(),
        false => format!(": by {first} and by {second}"),
    };
    for (named, source) in given {
        let name = named.name.as_str();
        if let Some(first) = names.insert(name, source) {
            let message = format!("{name} is given twice{}", both(first, source));
            return Err(Failure::new(Code::Input, message));
        }
        if let Place::Memory(variable) = &named.place {
            ranges.push((variable, name, source));
        }
    }
    ranges.sort_by_key(|(variable, ..)| (variable.address, variable.shift));
    // Before the first overlap, each begins where or after the one before ends.
    for pair in ranges.windows(2) {
        let [(one, first, by), (other, second, and_by)] = pair else {
            continue;
        };
        if one.overlaps(other) {
            let message = format!(
                "{first} and {second} are the same bits{}: give one of them",
                both(by, and_by)
            );
            return Err(Failure::new(Code::Input, message));
        }
    }
    Ok(())
}

/// `NAME` or `NAME:TYPE`.
pub(crate) fn declared(text: &str) -> Result<(&str, Option<Type>), Failure> {
    match text.split_once(':') {
        None => Ok((text, None)),
        Some((name, ty)) => match ty.parse() {
            Ok(ty) => Ok((name, Some(ty))),
            Err(source) => Err(InputError::Type {
                name: name.to_owned(),
                source,
            }
            .into()),
        },
    }
}

fn parameter(function: &Function, position: usize) -> Option<Element> {
    function
        .parameters
        .as_ref()?
        .get(position)
        .map(|parameter| parameter.element)
}

/// The type of a parameter, with the names of its values.
fn parameter_type(function: &Function, position: usize) -> Option<Type> {
    let parameter = function.parameters.as_ref()?.get(position)?;
    let ty = Type::scalar(parameter.element);
    Some(match &parameter.names {
        Some(names) => ty.with_names(names.clone()),
        None => ty,
    })
}

/// What sets the program's type apart from one that is given for it, in words; `None` if a value
/// means the same in both.
fn unlike(given: &Type, own: &Type) -> Option<String> {
    if !agree(given, own) {
        return Some(format!("is {own}"));
    }
    let (name, meant, found) = renamed(given, own)?;
    Some(format!("has {name} for {found}, not for {meant}"))
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        let code = match error {
            InputError::Unreadable { .. } => Code::Io,
            InputError::NotAnAssignment { .. } => Code::Usage,
            _ => Code::Input,
        };
        Failure::new(code, error.to_string())
    }
}

impl From<NotACall> for Failure {
    fn from(error: NotACall) -> Failure {
        Failure::new(Code::Usage, error.to_string())
    }
}
