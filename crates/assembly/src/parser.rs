//! Tokens to items. A statement ends with its line, so an error costs its line only, and one pass
//! reports them all.

use super::TEXT_LIMIT;
use super::diagnostic::{Diagnostic, Problem};
use super::lexer::{self, Token};
use super::mnemonic::Mnemonic;
use super::place::{Located, Position};
use super::source::{Code, Directive, Index, Item, Number, Operand, Source, Statement};

/// How many errors are reported; a file that is no assembly would have one in every line.
pub(super) const ERROR_LIMIT: usize = 20;

/// Reads a text.
///
/// # Errors
/// Every error of form, at most twenty, in the order of the text.
pub fn parse(text: &str) -> Result<Source, Vec<Diagnostic>> {
    if text.len() > TEXT_LIMIT {
        let problem = Problem::TooLong { bytes: text.len() };
        let at = Position {
            line: 1,
            column: 1,
            length: 1,
        };
        return Err(vec![Diagnostic { problem, at }]);
    }
    let mut source = Source::default();
    let mut errors = Vec::new();
    let mut gap = false;
    for (number, line) in (1..).zip(text.split('\n')) {
        let read = lexer::tokens(line, number).and_then(|line| {
            let statements = Parser::new(&line.tokens, number).statements()?;
            Ok((statements, line.comment))
        });
        match read {
            Err(error) if errors.len() + 1 >= ERROR_LIMIT => {
                errors.push(error);
                return Err(errors);
            }
            Err(error) => errors.push(error),
            Ok((statements, None)) if statements.is_empty() => {
                gap = !source.items.is_empty();
                continue;
            }
            Ok((statements, comment)) => {
                let items = &mut source.items;
                let item = |statement| Item {
                    gap: false,
                    statement,
                    comment: None,
                };
                let first = items.len();
                items.extend(
                    statements
                        .into_iter()
                        .map(|statement| item(Some(statement))),
                );
                if items.len() == first {
                    items.push(item(None));
                }
                items[first].gap = gap;
                if let Some(last) = items.last_mut() {
                    last.comment = comment;
                }
            }
        }
        gap = false;
    }
    if errors.is_empty() {
        Ok(source)
    } else {
        Err(errors)
    }
}

/// One line.
struct Parser<'t> {
    tokens: &'t [Located<Token>],
    next: usize,
    line: u32,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'t> {
    fn new(tokens: &'t [Located<Token>], line: u32) -> Self {
        let next = 0;
        Parser { tokens, next, line }
    }

    fn peek(&self, ahead: usize) -> Option<&'t Token> {
        self.tokens.get(self.next + ahead).map(|token| &token.node)
    }

    /// The next token's place, or the place behind the last.
    fn here(&self) -> Position {
        let behind = |last: &Located<Token>| Position {
            column: last.at.column + last.at.length,
            length: 1,
            ..last.at
        };
        let start = Position {
            line: self.line,
            column: 1,
            length: 1,
        };
        match self.tokens.get(self.next) {
            Some(token) => token.at,
            None => self.tokens.last().map_or(start, behind),
        }
    }

    fn expected<T>(&self, expected: &'static str) -> Parsed<T> {
        let found = self.peek(0).map(ToString::to_string);
        let problem = Problem::Expected { expected, found };
        Err(Diagnostic {
            problem,
            at: self.here(),
        })
    }

    /// Takes this token if it comes next.
    fn take(&mut self, token: &Token) -> bool {
        let there = self.peek(0) == Some(token);
        self.next += usize::from(there);
        there
    }

    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while self.peek(1) == Some(&Token::Colon) {
            let name = self.name("a label")?;
            self.take(&Token::Colon);
            statements.push(Statement::Label(name));
        }
        if self.peek(0) == Some(&Token::Dot) {
            statements.push(Statement::Directive(self.directive()?));
        } else if self.peek(0).is_some() {
            statements.push(Statement::Instruction(self.instruction()?));
        }
        Ok(statements)
    }

    /// A name that is no register's.
    fn name(&mut self, expected: &'static str) -> Parsed<Located<String>> {
        let at = self.here();
        let node = match self.peek(0) {
            Some(Token::Word(name)) => name.clone(),
            Some(Token::Register(number)) => {
                let problem = Problem::RegisterName(format!("R{number}"));
                return Err(Diagnostic { problem, at });
            }
            _ => return self.expected(expected),
        };
        self.next += 1;
        Ok(Located { node, at })
    }

    fn number(&mut self, expected: &'static str) -> Parsed<Located<Number>> {
        let at = self.here();
        let Some(Token::Number(node)) = self.peek(0) else {
            return self.expected(expected);
        };
        self.next += 1;
        Ok(Located { node: *node, at })
    }

    fn close(&mut self) -> Parsed<()> {
        if self.take(&Token::Close) {
            Ok(())
        } else {
            self.expected("']'")
        }
    }

    fn end(&self) -> Parsed<()> {
        match self.peek(0) {
            None => Ok(()),
            Some(_) => self.expected("the end of the line"),
        }
    }

    fn directive(&mut self) -> Parsed<Located<Directive>> {
        let begin = self.here();
        self.take(&Token::Dot);
        let name = self.name("a directive's name")?;
        let node = match name.node.to_ascii_lowercase().as_str() {
            "bits" => Directive::Bits(self.number("16 or 32")?),
            "registers" => Directive::Registers(self.number("how many registers")?),
            "memory" => Directive::Memory {
                count: self.number("how many words")?,
                values: self.values()?,
            },
            "data" => {
                let name = self.name("a name")?;
                let count = if self.take(&Token::Open) {
                    let count = self.number("how many words")?;
                    self.close()?;
                    Some(count)
                } else {
                    None
                };
                let values = self.values()?;
                Directive::Data {
                    name,
                    count,
                    values,
                }
            }
            _ => {
                let problem = Problem::Directive(name.node);
                return Err(Diagnostic {
                    problem,
                    at: name.at,
                });
            }
        };
        self.end()?;
        let at = self.since(begin);
        Ok(Located { node, at })
    }

    /// From a place to the end of the last token taken.
    fn since(&self, begin: Position) -> Position {
        let last = self.next.checked_sub(1).and_then(|i| self.tokens.get(i));
        let end = last.map_or(begin.column, |last| last.at.column + last.at.length);
        let length = end.saturating_sub(begin.column);
        Position { length, ..begin }
    }

    /// `= 1, 2, 3`, if it comes.
    fn values(&mut self) -> Parsed<Vec<Located<Number>>> {
        let mut values = Vec::new();
        if self.take(&Token::Equals) {
            values.push(self.number("a value")?);
            while self.peek(0).is_some() {
                self.take(&Token::Comma);
                values.push(self.number("a value")?);
            }
        }
        Ok(values)
    }

    fn instruction(&mut self) -> Parsed<Code> {
        let at = self.here();
        let Some(Token::Word(name)) = self.peek(0) else {
            return self.expected("an instruction, a label or a directive");
        };
        let Some(mnemonic) = Mnemonic::find(name) else {
            let advice = Mnemonic::advice(name);
            let name = name.clone();
            let problem = Problem::Instruction { name, advice };
            return Err(Diagnostic { problem, at });
        };
        self.next += 1;
        let mut operands = Vec::new();
        while self.peek(0).is_some() {
            if !operands.is_empty() {
                self.take(&Token::Comma);
            }
            operands.push(self.operand()?);
        }
        let mnemonic = Located { node: mnemonic, at };
        Ok(Code { mnemonic, operands })
    }

    fn operand(&mut self) -> Parsed<Located<Operand>> {
        let begin = self.here();
        let node = match self.peek(0) {
            Some(Token::Register(number)) => Operand::Register(*number),
            Some(Token::Number(number)) => Operand::Number(*number),
            Some(Token::Word(name)) if self.peek(1) == Some(&Token::Open) => {
                self.next += 2;
                Operand::Indexed(Some(name.clone()), self.index()?)
            }
            Some(Token::Word(name)) => Operand::Name(name.clone()),
            Some(Token::Open) => {
                self.next += 1;
                Operand::Indexed(None, self.index()?)
            }
            _ => return self.expected("a register, a number, a name or an address"),
        };
        match node {
            Operand::Indexed(..) => self.close()?,
            _ => self.next += 1,
        }
        let at = self.since(begin);
        Ok(Located { node, at })
    }

    fn index(&mut self) -> Parsed<Located<Index>> {
        let at = self.here();
        let node = match self.peek(0) {
            Some(Token::Register(number)) => Index::Register(*number),
            Some(Token::Number(number)) => Index::Number(*number),
            _ => return self.expected("a register or a number"),
        };
        self.next += 1;
        Ok(Located { node, at })
    }
}
