//! Values of structures: a JSON object becomes a value for each member, a CSV file one for each of
//! its cells.

use std::collections::{BTreeSet, HashMap, HashSet};

use processor::Variable;

use super::{Program, whole};
use crate::error::{Error, ErrorKind};
use values::{Assignment, Literal, Rows, Value, bits_of};

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
            return self.of_unknown(assignment);
        };
        let path = own_path(variable, outer, name);
        let within = |field: &&Variable| is_within(&field.name, &path);
        let fields: Vec<&Variable> = variable.fields.iter().filter(within).collect();
        if fields.is_empty() {
            return Ok(None);
        }
        let mut walk = Walk {
            names: fields.iter().map(|field| field.name.as_str()).collect(),
            found: Vec::new(),
            lists: Vec::new(),
        };
        if let Some(rows) = assignment.rows()? {
            self.of_rows(&mut walk, &path, &rows)?;
        } else if let Some(literal) = assignment.structure()? {
            walk.go(&path, literal)?;
        } else {
            return Ok(None);
        }
        let Walk {
            mut found, lists, ..
        } = walk;
        let given: BTreeSet<&str> = found.iter().map(|own| own.name.as_str()).collect();
        let (given, missing): (Vec<&Variable>, Vec<&Variable>) = fields
            .iter()
            .partition(|field| given.contains(field.name.as_str()));
        // Of a union one member is enough.
        let mut missing = missing;
        missing.retain(|field| !given.iter().any(|own| own.overlaps(field)));
        // Where none is given the largest is 0.
        missing.sort_by_key(|field| std::cmp::Reverse(field.bits()));
        let mut zeros = Vec::new();
        let mut zeroed: Vec<&Variable> = Vec::new();
        for field in missing {
            if !lists.iter().any(|list| list.ends_before(&field.name)) {
                let reason = format!("there is no value for {}", field.name);
                return Err(wrong(name, &reason));
            }
            if zeroed.iter().any(|own| own.overlaps(field)) {
                continue;
            }
            zeroed.push(field);
            zeros.push(zero(field));
        }
        found = self.once(found, &given)?;
        found.extend(zeros);
        Ok(Some(found))
    }

    /// An object under a name that no variable has: its members may be variables that compilers
    /// call so, `function.variable`.
    fn of_unknown(&self, assignment: &Assignment) -> Result<Option<Vec<Assignment>>, Error> {
        let Value::Ready(Literal::Object(members)) = &assignment.value else {
            return Ok(None);
        };
        let members = members.iter().map(|(member, literal)| Assignment {
            name: format!("{}.{member}", assignment.name),
            ty: None,
            value: Value::Ready(literal.clone()),
        });
        let members: Vec<Assignment> = members.collect();
        if !members
            .iter()
            .all(|own| self.image.variable(&own.name).is_ok())
        {
            return Ok(None);
        }
        self.take_apart(members).map(Some)
    }

    /// Members of structures from the rows of a file, one structure a row, each cell held against
    /// its type while its line is known.
    fn of_rows(&self, walk: &mut Walk<'_>, path: &str, rows: &Rows) -> Result<(), Error> {
        let at = |line: u64, message: &str| {
            let message = format!("{}: line {line}: {message}", rows.path);
            Error::new(ErrorKind::Input, message)
        };
        let is_array = walk.leads(path, "[");
        if !is_array && rows.rows.len() != 1 {
            let count = rows.rows.len();
            let reason =
                format!("{path} is one structure, and there are {count} rows below the header");
            return Err(at(1, &reason));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = rows.header.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(at(1, &format!("two columns are called '{twice}'")));
        }
        for (number, (line, cells)) in rows.rows.iter().enumerate() {
            let item = match is_array {
                true => format!("{path}[{number}]"),
                false => path.to_owned(),
            };
            if !walk.leads(&item, "") {
                let reason = format!("{path} has room for {number} rows and no more");
                return Err(at(*line, &reason));
            }
            for (column, cell) in rows.header.iter().zip(cells) {
                let dot = if column.starts_with('[') { "" } else { "." };
                let name = format!("{item}{dot}{column}");
                if !walk.names.contains(name.as_str()) {
                    let names = walk.names.iter().filter(|own| is_within(own, &item));
                    let names = names.filter_map(|own| own.strip_prefix(item.as_str()));
                    let names: Vec<&str> = names.map(|own| own.trim_start_matches('.')).collect();
                    let reason = format!(
                        "a column '{column}', which is no member of {item}; its members are {}",
                        names.join(", ")
                    );
                    return Err(at(1, &reason));
                }
                let assignment = Assignment {
                    name,
                    ty: None,
                    value: Value::Inline(cell.clone()),
                };
                let named = self.find_input(&assignment.name, None, None)?;
                whole(&named, &assignment).map_err(|error| at(*line, &error.message))?;
                walk.found.push(assignment);
            }
        }
        if is_array {
            walk.lists.push(List::new(path, rows.rows.len()));
        }
        Ok(())
    }

    /// Leaves out members of unions that say again what others do.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] where they say something else.
    fn once(&self, found: Vec<Assignment>, fields: &[&Variable]) -> Result<Vec<Assignment>, Error> {
        let fields: HashMap<&str, &Variable> = fields
            .iter()
            .map(|field| (field.name.as_str(), *field))
            .collect();
        let mut ranges: Vec<&Variable> = fields.values().copied().collect();
        ranges.sort_by_key(|field| (field.address, field.shift));
        // Before the first overlap, each begins where or after the one before ends.
        if !ranges.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
            return Ok(found);
        }
        let mut bits: HashMap<u64, (bool, &str)> = HashMap::new();
        let mut order: Vec<&Assignment> = found.iter().collect();
        // The largest first: what others say is then a part of it, or they go beyond it.
        order.sort_by_key(|own| {
            let field = fields.get(own.name.as_str());
            std::cmp::Reverse(field.map_or(0, |field| field.bits()))
        });
        let mut left_out = HashSet::new();
        for own in order {
            let Some(field) = fields.get(own.name.as_str()) else {
                continue;
            };
            let named = self.find_input(&own.name, None, None)?;
            let (bytes, _) = whole(&named, own)?;
            let begin = 8 * u64::from(field.address) + u64::from(field.shift);
            let own_bits = bits_of(&bytes).into_iter().take(named.ty.bits());
            let mut known = 0;
            let mut places = Vec::new();
            for (place, bit) in (begin..).zip(own_bits) {
                match bits.get(&place) {
                    Some((other, by)) if *other != bit => {
                        let reason =
                            format!("{by} says something else of the same bits: give one of them");
                        return Err(wrong(&own.name, &reason));
                    }
                    Some(_) => known += 1,
                    None => places.push((place, bit)),
                }
            }
            if places.is_empty() && known > 0 {
                left_out.insert(own.name.clone());
            }
            for (place, bit) in places {
                bits.insert(place, (bit, &own.name));
            }
        }
        drop(bits);
        let mut found = found;
        found.retain(|own| !left_out.contains(&own.name));
        Ok(found)
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

/// Nothing given: all of it is 0.
fn zero(field: &Variable) -> Assignment {
    Assignment {
        name: field.name.clone(),
        ty: None,
        value: Value::Nothing,
    }
}

/// An array of structures, and how many of them were given.
struct List {
    path: String,
    given: usize,
}

impl List {
    fn new(path: &str, given: usize) -> Self {
        Self {
            path: path.to_owned(),
            given,
        }
    }

    /// Whether a field is in one of the others.
    fn ends_before(&self, field: &str) -> bool {
        let rest = field.strip_prefix(&self.path);
        let index = rest.and_then(|rest| rest.strip_prefix('[')?.split_once(']'));
        let index = index.and_then(|(index, _)| index.parse::<usize>().ok());
        index.is_some_and(|index| index >= self.given)
    }
}

/// A walk through a literal along the members' names.
struct Walk<'a> {
    names: BTreeSet<&'a str>,
    found: Vec<Assignment>,
    lists: Vec<List>,
}

impl Walk<'_> {
    /// Whether names begin with a path and what follows it; with nothing, whether it is one or has
    /// members or items.
    fn leads(&self, path: &str, part: &str) -> bool {
        if part.is_empty() {
            let ends = self.names.contains(path);
            return ends || self.leads(path, ".") || self.leads(path, "[");
        }
        let begin = format!("{path}{part}");
        let next = self.names.range(begin.as_str()..).next();
        next.is_some_and(|name| name.starts_with(&begin))
    }

    fn go(&mut self, path: &str, literal: Literal) -> Result<(), Error> {
        if self.names.contains(path) {
            self.found.push(Assignment {
                name: path.to_owned(),
                ty: None,
                value: Value::Ready(literal),
            });
            return Ok(());
        }
        let (has_members, has_items) = (self.leads(path, "."), self.leads(path, "["));
        match literal {
            Literal::Object(members) if has_members => members
                .into_iter()
                .try_for_each(|(name, value)| self.go(&format!("{path}.{name}"), value)),
            Literal::List(items) if has_items => {
                self.lists.push(List::new(path, items.len()));
                items
                    .into_iter()
                    .enumerate()
                    .try_for_each(|(index, value)| self.go(&format!("{path}[{index}]"), value))
            }
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
