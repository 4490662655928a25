//! Values of structures: a JSON object becomes a value for each member.

use std::collections::BTreeSet;

use processor::Variable;

use super::Program;
use crate::error::{Error, ErrorKind};
use values::{Assignment, Literal, Value};

impl Program {
    /// The assignments of one argument, those of structures taken apart into their members.
    ///
    /// # Errors
    /// Those of reading them.
    pub fn assignments(&self, text: &str) -> Result<Vec<Assignment>, Error> {
        self.take_apart(Assignment::expand(text)?)
    }

    /// Those of structures taken apart into their members.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for members that the program has not, or that are missing.
    pub fn take_apart(&self, assignments: Vec<Assignment>) -> Result<Vec<Assignment>, Error> {
        let mut all = Vec::new();
        for assignment in assignments {
            match self.members(&assignment)? {
                Some(members) => all.extend(members),
                None => all.push(assignment),
            }
        }
        Ok(all)
    }

    /// The assignments of a structure's members; `None` if it is no structure, or is given as
    /// bytes.
    fn members(&self, assignment: &Assignment) -> Result<Option<Vec<Assignment>>, Error> {
        let name = assignment.name.as_str();
        if assignment.ty.is_some() {
            return Ok(None);
        }
        let outer = name.split(['.', '[']).next().unwrap_or(name);
        let Ok(variable) = self.image.variable(outer) else {
            return Ok(None);
        };
        let within = |field: &&Variable| is_within(&field.name, &own_path(variable, outer, name));
        let fields: Vec<&Variable> = variable.fields.iter().filter(within).collect();
        if fields.is_empty() {
            return Ok(None);
        }
        let Some(literal) = assignment.structure()? else {
            return Ok(None);
        };
        let mut walk = Walk {
            names: fields.iter().map(|field| field.name.as_str()).collect(),
            found: Vec::new(),
        };
        walk.go(&own_path(variable, outer, name), literal)?;
        let given: BTreeSet<&str> = walk.found.iter().map(|own| own.name.as_str()).collect();
        let (given, missing): (Vec<&Variable>, Vec<&Variable>) = fields
            .iter()
            .partition(|field| given.contains(field.name.as_str()));
        // Of a union one member is enough.
        let absent = missing
            .iter()
            .find(|field| !given.iter().any(|own| own.overlaps(field)));
        match absent {
            None => Ok(Some(walk.found)),
            Some(field) => Err(wrong(
                name,
                &format!("there is no value for {}", field.name),
            )),
        }
    }
}

/// The path as the program's fields have it: a static variable of a function is found by a shorter
/// name than its own.
fn own_path(variable: &Variable, outer: &str, path: &str) -> String {
    format!(
        "{}{}",
        variable.name,
        path.get(outer.len()..).unwrap_or_default()
    )
}

/// Whether a field is a part of what a path names.
fn is_within(field: &str, path: &str) -> bool {
    let rest = field.strip_prefix(path);
    rest.is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn wrong(name: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Input, format!("{name}: {reason}"))
}

/// A walk through a literal along the members' names.
struct Walk<'a> {
    names: BTreeSet<&'a str>,
    found: Vec<Assignment>,
}

impl Walk<'_> {
    fn go(&mut self, path: &str, literal: Literal) -> Result<(), Error> {
        if self.names.contains(path) {
            self.found.push(Assignment {
                name: path.to_owned(),
                ty: None,
                value: Value::Ready(literal),
            });
            return Ok(());
        }
        let leads = |part: &str| {
            let begin = format!("{path}{part}");
            let next = self.names.range(begin.as_str()..).next();
            next.is_some_and(|name| name.starts_with(&begin))
        };
        let (has_members, has_items) = (leads("."), leads("["));
        match literal {
            Literal::Object(members) if has_members => members
                .into_iter()
                .try_for_each(|(name, value)| self.go(&format!("{path}.{name}"), value)),
            Literal::List(items) if has_items => items
                .into_iter()
                .enumerate()
                .try_for_each(|(index, value)| self.go(&format!("{path}[{index}]"), value)),
            _ if has_members => Err(wrong(
                path,
                "a structure: write its members, {\"NAME\":VALUE,…}",
            )),
            _ if has_items => Err(wrong(path, "an array of structures: write a list, [{…},…]")),
            _ => {
                let shown: String = path.chars().take(80).flat_map(char::escape_debug).collect();
                Err(wrong(&shown, "the program has no such member"))
            }
        }
    }
}
