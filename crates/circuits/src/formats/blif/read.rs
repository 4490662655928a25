//! Reading BLIF.

use std::collections::{HashMap, HashSet};

use crate::formats::draft::{Draft, Mark, Names, Net, Read};
use crate::formats::interface::grouped;
use crate::formats::lines::{Word, text, words};
use crate::formats::netlist::Function;
use crate::formats::{FormatError, Interface, Netlist, Place, Port, Problem};

/// Covers of more inputs are read as cubes: a table has 2^k entries.
const TABLE_INPUTS: usize = 6;

/// Reads a circuit: the first model of the file.
///
/// # Errors
/// A [`FormatError`] that names the line.
pub fn read(bytes: &[u8]) -> Result<Netlist, FormatError> {
    let text = text(bytes)?;
    let mut reader = Reader::default();
    let mut lines = logical_lines(text);
    let mut cover: Option<Cover<'_>> = None;
    let mut last = 1;
    for line in lines.by_ref() {
        let Some((&head, rest)) = line.split_first() else {
            continue;
        };
        last = head.line;
        if !head.text.starts_with('.') {
            match &mut cover {
                Some(cover) => cover.row(head, rest)?,
                None => return Err(head.unexpected("a command (.names, .inputs, .end …)")),
            }
            continue;
        }
        if let Some(cover) = cover.take() {
            reader.cover(&cover)?;
        }
        match head.text {
            ".end" => {
                // Other models may follow; nothing here refers to them.
                return match lines.find_map(|line| line.first().copied()) {
                    Some(next) if next.text != ".model" => Err(next.unexpected("the file's end")),
                    _ => reader.finish(),
                };
            }
            ".model" => reader.model(head, rest)?,
            ".inputs" => reader.inputs.extend_from_slice(rest),
            ".outputs" => reader.outputs.extend_from_slice(rest),
            ".names" => cover = Some(Cover::new(head, rest)?),
            ".conn" => reader.connection(head, rest)?,
            command if IGNORED.contains(&command) => {}
            command => return Err(refused(command, head)),
        }
    }
    let expected = ".end".to_owned();
    Err(Problem::Truncated { expected }.at(Place::Line(last)))
}

/// Constraints on delays and sizes, and remarks: they do not change what is computed.
const IGNORED: [&str; 18] = [
    ".area",
    ".delay",
    ".wire_load_slope",
    ".wire",
    ".input_arrival",
    ".default_input_arrival",
    ".output_required",
    ".default_output_required",
    ".input_drive",
    ".default_input_drive",
    ".output_load",
    ".default_output_load",
    ".max_input_load",
    ".default_max_input_load",
    ".search_path",
    ".attr",
    ".param",
    ".cname",
];

fn refused(command: &str, head: Word<'_>) -> FormatError {
    let (what, advice) = match command {
        ".latch" | ".mlatch" | ".clock" | ".clock_event" | ".start_kiss" => (
            format!("'{command}', a register,"),
            "a circuit here is combinational: unroll the clock, or make the registers inputs and \
             outputs (yosys: expose -evert-dff)",
        ),
        ".subckt" => (
            "'.subckt', a circuit within the circuit,".to_owned(),
            "flatten it first (yosys: flatten)",
        ),
        ".gate" => (
            "'.gate', a cell of a library,".to_owned(),
            "map to plain logic first (yosys: synth -flatten; abc -g AND,XOR,MUX)",
        ),
        ".exdc" => (
            "'.exdc', a network of don't-cares,".to_owned(),
            "settle the don't-cares first, or remove the section",
        ),
        _ => return head.unexpected("a command of BLIF (.names, .inputs, .outputs, .end …)"),
    };
    let advice = advice.to_owned();
    Problem::Unsupported { what, advice }.at(head.place())
}

/// Lines without comments, continued ones as one.
fn logical_lines(text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let mut rest = text.lines().enumerate();
    std::iter::from_fn(move || {
        let mut all = Vec::new();
        let mut any = false;
        for (at, line) in rest.by_ref() {
            any = true;
            let line = line.split('#').next().unwrap_or("").trim_ascii_end();
            match line.strip_suffix('\\') {
                Some(continued) => all.extend(words(continued, at + 1)),
                None => {
                    all.extend(words(line, at + 1));
                    break;
                }
            }
        }
        any.then_some(all)
    })
}

/// A `.names` and its rows so far.
struct Cover<'a> {
    inputs: Vec<Word<'a>>,
    output: Word<'a>,
    rows: Vec<&'a str>,
    /// What the rows say of the output.
    value: Option<bool>,
}

impl<'a> Cover<'a> {
    fn new(head: Word<'a>, signals: &[Word<'a>]) -> Result<Self, FormatError> {
        let Some((&output, inputs)) = signals.split_last() else {
            let expected = "a list of names".to_owned();
            return Err(Problem::Missing { expected }.at(head.place()));
        };
        Ok(Self {
            inputs: inputs.to_vec(),
            output,
            rows: Vec::new(),
            value: None,
        })
    }

    fn row(&mut self, first: Word<'a>, rest: &[Word<'a>]) -> Result<(), FormatError> {
        let (plane, value) = match (self.inputs.len(), rest) {
            (0, []) => ("", first),
            (0, [more, ..]) => return Err(more.unexpected("the line's end")),
            (_, [value]) => (first.text, *value),
            (_, []) => {
                let expected = "the output's value".to_owned();
                return Err(Problem::Missing { expected }.at(first.place()));
            }
            (_, [_, more, ..]) => return Err(more.unexpected("the line's end")),
        };
        if let Some(wrong) = plane.find(|c| !matches!(c, '0' | '1' | '-')) {
            let place = Place::Column(first.line, first.column + wrong);
            let found = plane[wrong..].chars().next().unwrap_or(' ').to_string();
            return Err(Problem::unexpected("0, 1 or -", &found).at(place));
        }
        if plane.len() != self.inputs.len() {
            return Err(Problem::Count {
                what: "values in the row".to_owned(),
                expected: self.inputs.len() as u64,
                found: plane.len() as u64,
            }
            .at(first.place()));
        }
        let bit = match value.text {
            "0" => false,
            "1" => true,
            _ => return Err(value.unexpected("the output's value, 0 or 1,")),
        };
        if self.value.is_some_and(|before| before != bit) {
            let expected = format!("{}, as in the rows before,", u8::from(!bit));
            return Err(value.unexpected(expected));
        }
        self.value = Some(bit);
        self.rows.push(plane);
        Ok(())
    }
}

#[derive(Default)]
struct Reader<'a> {
    name: Option<&'a str>,
    draft: Draft,
    nets: HashMap<&'a str, Net>,
    names: NetNames<'a>,
    inputs: Vec<Word<'a>>,
    outputs: Vec<Word<'a>>,
}

/// Marks are lines.
#[derive(Default)]
struct NetNames<'a>(Vec<(Net, &'a str)>);

impl Names for NetNames<'_> {
    fn net(&self, net: Net) -> String {
        // Nets get their numbers in the order of their names.
        let at = self.0.binary_search_by_key(&net.0, |(net, _)| net.0);
        at.map_or_else(
            |_| "an inner wire".to_owned(),
            |at| crate::formats::error::shortened(self.0[at].1),
        )
    }

    fn place(&self, mark: Mark) -> Place {
        Place::Line(mark as usize)
    }
}

impl<'a> Reader<'a> {
    fn model(&mut self, head: Word<'a>, rest: &[Word<'a>]) -> Result<(), FormatError> {
        if self.name.is_some() {
            return Err(head.unexpected(".end, before another model,"));
        }
        match rest {
            [] => self.name = Some(""),
            [name] => self.name = Some(name.text),
            [_, more, ..] => return Err(more.unexpected("the line's end")),
        }
        Ok(())
    }

    fn net(&mut self, word: Word<'a>) -> Net {
        let (draft, names) = (&mut self.draft, &mut self.names);
        *self.nets.entry(word.text).or_insert_with(|| {
            let net = draft.net();
            names.0.push((net, word.text));
            net
        })
    }

    fn connection(&mut self, head: Word<'a>, rest: &[Word<'a>]) -> Result<(), FormatError> {
        let &[from, to] = rest else {
            return Err(Problem::Count {
                what: "names after .conn".to_owned(),
                expected: 2,
                found: rest.len() as u64,
            }
            .at(head.place()));
        };
        let (from, to) = (self.net(from), self.net(to));
        self.draft.count(".conn");
        let copy = (Function::Parity, false);
        let mark = head.line as Mark;
        self.draft
            .drive(to, copy, [Read::from(from)], mark, &self.names)
    }

    fn cover(&mut self, cover: &Cover<'a>) -> Result<(), FormatError> {
        let mark = cover.output.line as Mark;
        let inputs: Vec<Read> = cover
            .inputs
            .iter()
            .map(|&word| Read::from(self.net(word)))
            .collect();
        let output = self.net(cover.output);
        self.draft.count(&format!(".names({})", inputs.len()));
        let inverted = cover.value == Some(false);
        if inputs.len() <= TABLE_INPUTS {
            let entries = 1usize << inputs.len();
            let mut table = 0u64;
            for row in &cover.rows {
                table |= (0..entries)
                    .filter(|&at| holds(row, at))
                    .fold(0, |table, at| table | 1 << at);
            }
            let entries = (0..entries).map(|at| table >> at & 1 == 1);
            let function = self.draft.table(entries);
            return self
                .draft
                .drive(output, (function, inverted), inputs, mark, &self.names);
        }
        let literals = |row: &str| {
            let places = row.bytes().zip(&inputs);
            let read = places.filter(|(value, _)| *value != b'-');
            let read = read.map(|(value, input)| input.invert_if(value == b'0'));
            read.collect::<Vec<Read>>()
        };
        if let [row] = cover.rows.as_slice() {
            let function = (Function::All, inverted);
            return self
                .draft
                .drive(output, function, literals(row), mark, &self.names);
        }
        let cubes: Vec<Read> = cover
            .rows
            .iter()
            .map(|row| {
                let cube = self.draft.inner(Function::All, literals(row), mark);
                cube.invert_if(true)
            })
            .collect();
        // Some cube holds unless none does.
        let function = (Function::All, !inverted);
        self.draft.drive(output, function, cubes, mark, &self.names)
    }

    fn finish(mut self) -> Result<Netlist, FormatError> {
        let inputs = std::mem::take(&mut self.inputs);
        let outputs = std::mem::take(&mut self.outputs);
        let mut seen = HashSet::new();
        for word in &outputs {
            if !seen.insert(word.text) {
                let (what, name) = ("outputs", word.shown());
                return Err(Problem::SameName { what, name }.at(word.place()));
            }
        }
        let (input_ports, order) = ports(&inputs);
        for at in order {
            let word = inputs[at];
            let net = self.net(word);
            self.draft.input(net, word.line as Mark, &self.names)?;
        }
        let (output_ports, order) = ports(&outputs);
        let mut bits = Vec::with_capacity(outputs.len());
        for at in order {
            let word = outputs[at];
            bits.push((Read::from(self.net(word)), word.line as Mark));
        }
        let interface = Interface {
            name: self.name.unwrap_or("").to_owned(),
            inputs: input_ports,
            outputs: output_ports,
        };
        self.draft.finish(interface, &bits, &self.names)
    }
}

fn ports(words: &[Word<'_>]) -> (Vec<Port>, Vec<usize>) {
    let names: Vec<String> = words.iter().map(|word| word.text.to_owned()).collect();
    grouped(&names)
}

/// Whether the inputs that the number writes, the first the least significant, match a row.
fn holds(row: &str, number: usize) -> bool {
    row.bytes().enumerate().all(|(place, value)| match value {
        b'0' => number >> place & 1 == 0,
        b'1' => number >> place & 1 == 1,
        _ => true,
    })
}
