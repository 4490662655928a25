//! Values of fields as one JSON document: a structure is an object of its members, an array of
//! structures a list, as `encrypt` reads them.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

/// Deepest name of a field: at each step all that is below it is gone through.
const DEPTH_LIMIT: usize = 64;

/// One document of names and values. The field `point.x` is the member `x` of `point`, the field
/// `rows[2].key` is in the third item of a list. A list of which items are missing has no form in
/// JSON: its fields keep their full names, and so does what is no field but has a dot or a bracket
/// in its name.
///
/// ```
/// use blindcore_values::document;
/// use serde_json::json;
///
/// let fields = [("p.x", json!(1)), ("p.to[0]", json!("a")), ("p.to[1]", json!("b")), ("q[1]", json!(0))];
/// let whole = document(fields.map(|(name, value)| (name.to_owned(), value)));
/// assert_eq!(whole, json!({ "p": { "x": 1, "to": ["a", "b"] }, "q[1]": 0 }));
/// ```
pub fn document(fields: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut root = Node::Object(Members::default());
    for (name, value) in fields {
        let steps = steps(&name).unwrap_or_else(|| vec![Step::Member(&name)]);
        if let Err(value) = root.put(&steps, value) {
            let whole = [Step::Member(name.as_str())];
            // What has the name already is something else of the same name.
            let _ = root.put(&whole, value);
        }
    }
    let mut apart = Vec::new();
    let whole = root.value("", &mut apart);
    let mut object = match whole {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    };
    object.extend(apart);
    Value::Object(object)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'a> {
    Member(&'a str),
    Item(usize),
}

/// The parts of a field's name; `None` for what is none.
fn steps(name: &str) -> Option<Vec<Step<'_>>> {
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (first, mut rest) = name.split_at(end);
    let mut steps = vec![Step::Member(first).identifier()?];
    while !rest.is_empty() {
        if steps.len() == DEPTH_LIMIT {
            return None;
        }
        if let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']')?;
            steps.push(Step::Item(index.parse().ok()?));
            rest = after;
        } else {
            let after = rest.strip_prefix('.')?;
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (member, after) = after.split_at(end);
            steps.push(Step::Member(member).identifier()?);
            rest = after;
        }
    }
    Some(steps)
}

impl Step<'_> {
    /// It, if C has such names: what compilers add to names has others.
    fn identifier(self) -> Option<Self> {
        let Self::Member(name) = self else {
            return Some(self);
        };
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let rest = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (begins && rest).then_some(self)
    }
}

enum Node {
    Leaf(Value),
    Object(Members),
    List(BTreeMap<usize, Node>),
}

/// Members of an object, in the order in which they came.
#[derive(Default)]
struct Members {
    all: Vec<(String, Node)>,
    /// By name: the number in the list.
    numbers: HashMap<String, usize>,
}

impl Members {
    fn named(&mut self, name: &str) -> Option<&mut Node> {
        let number = *self.numbers.get(name)?;
        self.all.get_mut(number).map(|(_, node)| node)
    }

    fn push(&mut self, name: &str, node: Node) {
        self.numbers.insert(name.to_owned(), self.all.len());
        self.all.push((name.to_owned(), node));
    }
}

impl Node {
    /// Puts a value where the steps lead; gives it back if something else is there.
    fn put(&mut self, steps: &[Step<'_>], value: Value) -> Result<(), Value> {
        let Some((step, rest)) = steps.split_first() else {
            return Err(value);
        };
        let next = match (self, step) {
            (Self::Object(members), Step::Member(name)) => {
                // Looked for twice, since a borrow that is returned lasts.
                if !members.numbers.contains_key(*name) {
                    members.push(name, Self::of(rest, value));
                    return Ok(());
                }
                match members.named(name) {
                    Some(member) => member,
                    None => return Err(value),
                }
            }
            (Self::List(items), Step::Item(index)) => match items.get_mut(index) {
                Some(item) => item,
                None => {
                    items.insert(*index, Self::of(rest, value));
                    return Ok(());
                }
            },
            _ => return Err(value),
        };
        next.put(rest, value)
    }

    /// The value behind the steps.
    fn of(steps: &[Step<'_>], value: Value) -> Self {
        match steps.split_first() {
            None => Self::Leaf(value),
            Some((Step::Member(name), rest)) => {
                let mut members = Members::default();
                members.push(name, Self::of(rest, value));
                Self::Object(members)
            }
            Some((Step::Item(index), rest)) => Self::List([(*index, Self::of(rest, value))].into()),
        }
    }

    /// As JSON; what has no form there goes apart, under its full name.
    fn value(self, path: &str, apart: &mut Vec<(String, Value)>) -> Option<Value> {
        match self {
            Self::Leaf(value) => Some(value),
            Self::Object(members) => {
                let mut object = Map::new();
                for (name, member) in members.all {
                    let dot = if path.is_empty() { "" } else { "." };
                    if let Some(value) = member.value(&format!("{path}{dot}{name}"), apart) {
                        object.insert(name, value);
                    }
                }
                (!object.is_empty()).then_some(Value::Object(object))
            }
            Self::List(items) => {
                // An item of which nothing is left would shift the others.
                let gaps = items.keys().copied().ne(0..items.len());
                if gaps || items.values().any(Self::is_broken) {
                    Self::List(items).apart(path, apart);
                    return None;
                }
                let items = items.into_values();
                let list = items.filter_map(|item| item.value(path, apart)).collect();
                Some(Value::Array(list))
            }
        }
    }

    /// Whether a list of which items are missing is within it.
    fn is_broken(&self) -> bool {
        match self {
            Self::Leaf(_) => false,
            Self::Object(members) => members.all.iter().any(|(_, member)| member.is_broken()),
            Self::List(items) => {
                items.keys().copied().ne(0..items.len()) || items.values().any(Self::is_broken)
            }
        }
    }

    /// All values within it, under their full names.
    fn apart(self, path: &str, found: &mut Vec<(String, Value)>) {
        match self {
            Self::Leaf(value) => found.push((path.to_owned(), value)),
            Self::Object(members) => members
                .all
                .into_iter()
                .for_each(|(name, member)| member.apart(&format!("{path}.{name}"), found)),
            Self::List(items) => items
                .into_iter()
                .for_each(|(index, item)| item.apart(&format!("{path}[{index}]"), found)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole(names: &[&str]) -> Value {
        document(
            (0..)
                .zip(names)
                .map(|(number, name)| ((*name).to_owned(), json!(number))),
        )
    }

    #[test]
    fn fields_are_put_together() {
        for (names, expected) in [
            (&["a", "b"][..], json!({"a": 0, "b": 1})),
            (&["s.y", "s.x"], json!({"s": {"y": 0, "x": 1}})),
            (
                &["s[0].a", "s[0].b[0].c", "s[1].a", "s[1].b[0].c"],
                json!({"s": [{"a": 0, "b": [{"c": 1}]}, {"a": 2, "b": [{"c": 3}]}]}),
            ),
            (&["m[0][0]", "m[0][1]"], json!({"m": [[0, 1]]})),
        ] {
            assert_eq!(whole(names), expected, "{names:?}");
        }
    }

    /// As many as a file of results has, at both ends of a name.
    #[test]
    fn many_members_are_put_together() {
        let number = |member: usize| format!("v{member}.x");
        let fields = (0..65_536).map(|at| (number(at), json!(at)));
        let whole = document(fields);
        assert_eq!(whole.as_object().unwrap().len(), 65_536);
        assert_eq!(whole["v65535"], json!({"x": 65_535}));
        let members = (0..65_536).map(|at| (format!("s.v{at}"), json!(at)));
        assert_eq!(document(members)["s"].as_object().unwrap().len(), 65_536);
    }

    #[test]
    fn a_name_of_many_steps_is_none_of_a_field() {
        let deep = |steps: usize| format!("a{}", "[0]".repeat(steps - 1));
        let mut value = whole(&[&deep(DEPTH_LIMIT)]);
        let mut lists = 0;
        value = value["a"].take();
        while value.is_array() {
            lists += 1;
            value = value[0].take();
        }
        assert_eq!(lists, DEPTH_LIMIT - 1);
        let deeper = deep(DEPTH_LIMIT + 1);
        assert_eq!(whole(&[&deeper]), json!({ deeper: 0 }));
    }

    #[test]
    fn what_has_no_form_keeps_its_name() {
        for names in [
            &["s[1].x", "s[2].x"][..],
            &["count.0", "x.lto_priv.1", ".L.str", "state@0x9078"],
            &["s[x]", "s[", "s[-1]", "s..x", "s."],
            &["f", "f.buffer"],
            &["s[0].to[1].x", "s[1].to[0].x"],
            &["a[99999999999999999999].x"],
        ] {
            let flat = names.iter().zip(0..);
            let flat: Map<String, Value> = flat
                .map(|(name, number)| ((*name).to_owned(), json!(number)))
                .collect();
            assert_eq!(whole(names), Value::Object(flat), "{names:?}");
        }
        assert_eq!(
            whole(&["s.a", "s.to[1].x"]),
            json!({"s": {"a": 0}, "s.to[1].x": 1})
        );
    }
}
