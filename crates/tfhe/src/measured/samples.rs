//! Sums of errors, their comparison with a prediction, and the record.

use std::io::Write;
use std::process::Command;
use std::sync::Mutex;

/// Running sums of errors, each a fraction of the torus.
#[derive(Clone, Copy, Default)]
pub(crate) struct Samples {
    pub(crate) count: f64,
    sum: f64,
    squares: f64,
}

/// What was measured, under what.
#[derive(Clone, Copy)]
pub(crate) struct Conditions {
    pub(crate) set: &'static str,
    /// The processor's name.
    pub(crate) fft: &'static str,
}

impl Samples {
    pub(crate) fn add(&mut self, error: u64) {
        let error = error as i64 as f64 / 2_f64.powi(64);
        self.count += 1.0;
        self.sum += error;
        self.squares += error * error;
    }

    pub(crate) fn variance(&self) -> f64 {
        self.squares / self.count
    }

    /// Fails unless variance and prediction differ by less than the factor `1 + tolerance`, either
    /// way, and the mean is 0 within 5.5 deviations (a false alarm in 2·10^7): an error with a
    /// mean, which sums of many lookups would add up linearly, hardly shows in the variance.
    pub(crate) fn assert(&self, of: Conditions, what: &str, predicted: f64, tolerance: f64) {
        self.assert_grouped(of, what, predicted, tolerance, 1);
    }

    /// As [`Samples::assert`] where `group` samples in turn may be the same.
    pub(crate) fn assert_grouped(
        &self,
        of: Conditions,
        what: &str,
        predicted: f64,
        tolerance: f64,
        group: usize,
    ) {
        let (measured, mean) = (self.variance(), self.sum / self.count);
        let deviation = (predicted * group as f64 / self.count).sqrt();
        let independent = self.count / group as f64;
        println!(
            "{:27} {:8} {what:36} {independent:7} samples  measured 2^{:.3}  predicted 2^{:.3}  \
             mean {:+.1} deviations",
            of.set,
            of.fft,
            0.5 * measured.log2(),
            0.5 * predicted.log2(),
            mean / deviation,
        );
        record(&[
            what.to_owned(),
            of.set.to_owned(),
            of.fft.to_owned(),
            format!("{independent}"),
            format!("{:.4}", 0.5 * predicted.log2()),
            format!("{:.4}", 0.5 * measured.log2()),
            format!("{:.4}", measured / predicted),
            format!("{tolerance}"),
            format!("{:+.2}", mean / deviation),
        ]);
        let ratio = measured / predicted;
        assert!(
            (1.0 / (1.0 + tolerance)..1.0 + tolerance).contains(&ratio),
            "{what}: measured variance is {ratio} of the predicted one"
        );
        assert!(
            mean.abs() < 5.5 * deviation,
            "{what}: the mean is {} deviations from 0",
            mean / deviation
        );
    }
}

/// Appends a row to the CSV file that the environment variable `NOISE_RECORD` names, if any.
fn record(fields: &[String]) {
    append(
        "NOISE_RECORD",
        "date,commit,operation,set,fft,samples,predicted_log2_deviation,measured_log2_deviation,\
         variance_ratio,tolerance,mean_in_deviations",
        fields,
    );
}

/// Appends a row with date and commit to the file that `variable` names; writes the header first
/// into an empty file.
pub(crate) fn append(variable: &str, header: &str, fields: &[String]) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let Ok(path) = std::env::var(variable) else {
        return;
    };
    let _guard = ONE_AT_A_TIME.lock();
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    let mut file = file.unwrap();
    if file.metadata().unwrap().len() == 0 {
        writeln!(file, "{header}").unwrap();
    }
    let line_of = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let date = line_of("date", &["-u", "+%Y-%m-%d"]);
    let commit = line_of("git", &["describe", "--always", "--dirty", "--exclude=*"]);
    writeln!(file, "{date},{commit},{}", fields.join(",")).unwrap();
}
