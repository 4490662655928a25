//! HElib's side: a program that `helib.cpp` describes, run beside ours.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use clock::Failure;

/// The program at work, with a key.
pub struct Helib {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub promise: Promise,
}

/// What it says of its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    pub index: u32,
    pub degree: usize,
    pub slots: usize,
    pub modulus_bits: f64,
    pub key_bits: f64,
    /// By its own estimate.
    pub security: f64,
    /// Products in a row that its chain holds, counted.
    pub depth: u32,
}

impl Helib {
    /// Starts it and waits for its key.
    pub fn start(program: &Path, index: u32, bits: u32, threads: usize) -> Result<Self, Failure> {
        let mut child = Command::new(program)
            .args([index, bits, 3].map(|number| number.to_string()))
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the program has no input or output".into());
        };
        let mut output = BufReader::new(output);
        let line = line(&mut output)?;
        let mut words = line.split(' ');
        if words.next() != Some("ready") {
            return Err(format!("the program says '{line}' instead of 'ready …'").into());
        }
        let mut number = || -> Result<f64, Failure> {
            let word = words
                .next()
                .ok_or("the program says too little of itself")?;
            Ok(word.parse()?)
        };
        let promise = Promise {
            index: number()? as u32,
            degree: number()? as usize,
            slots: number()? as usize,
            modulus_bits: number()?,
            key_bits: number()?,
            security: number()?,
            depth: number()? as u32,
        };
        Ok(Self {
            child,
            input,
            output,
            promise,
        })
    }

    /// One request, and how long it took.
    pub fn ask(&mut self, request: &str) -> Result<Duration, Failure> {
        writeln!(self.input, "{request}")?;
        self.input.flush()?;
        let answer = line(&mut self.output)?;
        match answer.parse::<f64>() {
            Ok(milliseconds) if milliseconds > 0.0 => {
                Ok(Duration::try_from_secs_f64(milliseconds / 1e3)?)
            }
            _ => Err(format!("HElib says '{answer}' to '{request}'").into()),
        }
    }
}

impl Drop for Helib {
    fn drop(&mut self) {
        // It holds gigabytes and has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(from: &mut BufReader<ChildStdout>) -> Result<String, Failure> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    Ok(line.trim().to_owned())
}
