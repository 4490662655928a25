//! What to execute of a program, and how far.

use processor::{
    Argument, Bound, Branches, Content, Element, Entry, Input, Limits, Object, Task, Type,
    Variable, Wanted,
};

use super::call::{self, Call};
use super::given::refuse_repetition;
use super::names::parameter;
use super::{LoopBound, Named, ObjectRange, Place, Program, declared, refuse_overlaps};
use crate::error::{Error, ErrorKind};

/// Where a run begins, what is wanted of it, and its bounds.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The function or label to begin at; by default `main`, else the ELF's entry point, unless
    /// that is only where the code begins.
    pub entry: Option<String>,
    /// The function to call, instead of an entry.
    pub call: Option<Call>,
    /// Variables that are wanted afterwards, `NAME` or `NAME:TYPE`; by default those that the source
    /// marks, else all that the program wrote.
    pub outputs: Vec<String>,
    /// Bounds.
    pub limits: Limits,
    /// What happens at secret branches.
    pub branches: Branches,
    /// Bytes that a load or store at a secret address may reach.
    pub objects: Vec<ObjectRange>,
    /// How often loops go round at most whose end depends on secrets.
    pub bounds: Vec<LoopBound>,
}

impl Program {
    /// What to execute. `inputs` are placed in their order; a secret argument of the call that
    /// none of them fills is an error.
    pub fn task(
        &self,
        execution: &Execution,
        inputs: Vec<(Named, Content)>,
    ) -> Result<Task, Error> {
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
            limits: execution.limits,
            branches: self.branches(execution),
            objects: self.objects(execution)?,
            bounds: self.bounds(execution)?,
        })
    }

    /// Both paths of secret branches where the source bounds loops and nothing else is asked for.
    fn branches(&self, execution: &Execution) -> Branches {
        if self.image.has_bounds() && execution.branches == Branches::default() {
            let both = Some(Branches::MERGE_LIMIT);
            return Branches {
                both,
                ..Branches::default()
            };
        }
        execution.branches
    }

    /// The objects of `--object`.
    fn objects(&self, execution: &Execution) -> Result<Vec<Object>, Error> {
        let objects = execution.objects.iter();
        objects
            .map(|object| {
                let found = object.object(&self.image);
                found.map_err(|error| self.error(&error.into()))
            })
            .collect()
    }

    /// The bounds of `--bound`.
    fn bounds(&self, execution: &Execution) -> Result<Vec<Bound>, Error> {
        let mut bounds = Vec::new();
        for bound in &execution.bounds {
            bounds.extend(bound.bounds(&self.image)?);
        }
        Ok(bounds)
    }

    fn entry(
        &self,
        execution: &Execution,
        mut given: Vec<(usize, Type, Content)>,
    ) -> Result<Entry, Error> {
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
            return Err(Error::new(
                ErrorKind::Input,
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
                        Error::new(ErrorKind::Input, format!("{place}: {error}"))
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
                        return Err(Error::new(
                            ErrorKind::Input,
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

    fn wanted(&self, execution: &Execution) -> Result<Wanted, Error> {
        if execution.outputs.is_empty() {
            let marked: Vec<Variable> = self.image.output_variables().cloned().collect();
            return Ok(match marked.is_empty() {
                true => Wanted::Written,
                false => Wanted::Variables(marked),
            });
        }
        let variables = execution.outputs.iter().map(|text| {
            let (name, ty) = declared(text)?;
            match ty {
                None => self.variable(name).cloned(),
                Some(ty) => match self.find(name, Some(&ty), None)?.place {
                    Place::Memory(variable) => Ok(variable),
                    Place::Argument(_) => self.variable(name).cloned(),
                },
            }
        });
        let variables = variables.collect::<Result<Vec<Variable>, Error>>()?;
        refuse_repetition(variables.iter().map(|variable| variable.name.as_str()))?;
        Ok(Wanted::Variables(variables))
    }
}
