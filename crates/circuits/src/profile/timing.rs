//! How long a worker takes for a batch, as an engine measured it.
//!
//! A batch of r rotations reads the key once, so that it takes less than r batches of one; and
//! workers share the memory that the key comes from, so that a batch takes longer while others are
//! busy. Both are measured and kept in a table, for no formula of ours predicts them for all
//! machines. For more busy workers than were measured the last row holds, which is an assumption:
//! it is good as long as the memory feeds them all.

/// Measured times of batches, in nanoseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Timing {
    /// `rows[b][r]`: a batch of `r + 1` rotations while `b + 1` workers are busy; rows of one
    /// length, which do not fall.
    rows: Vec<Vec<f64>>,
}

impl Timing {
    /// From a row for one busy worker, one for two, and so on; entry `r` of each is the time of a
    /// batch of `r + 1` rotations. A batch that was measured faster than a smaller one takes as
    /// long as that. `None` if there is no time, if rows differ in length, or if a time is not
    /// positive and finite.
    #[must_use]
    pub fn new(mut rows: Vec<Vec<f64>>) -> Option<Self> {
        let length = rows.first()?.len();
        let sound = |time: &f64| time.is_finite() && *time > 0.0;
        let whole = |row: &Vec<f64>| row.len() == length && row.iter().all(sound);
        if length == 0 || !rows.iter().all(whole) {
            return None;
        }
        for row in &mut rows {
            let mut least = 0.0f64;
            for time in row {
                least = least.max(*time);
                *time = least;
            }
        }
        Some(Self { rows })
    }

    /// Time of a batch while `busy` workers are busy, this one among them. More rotations than
    /// were measured are batches one after the other; no rotations take no time.
    #[must_use]
    pub fn batch(&self, rotations: usize, busy: usize) -> f64 {
        let row = &self.rows[busy.clamp(1, self.rows.len()) - 1];
        let whole = (rotations / row.len()) as f64 * row[row.len() - 1];
        match rotations % row.len() {
            0 => whole,
            rest => whole + row[rest - 1],
        }
    }

    /// One rotation's share of the largest batch, of one worker by itself.
    #[must_use]
    pub fn rotation(&self) -> f64 {
        let row = &self.rows[0];
        row[row.len() - 1] / row.len() as f64
    }

    /// The rows: see [`Timing::new`].
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let timing = Timing::new(vec![vec![2.0, 3.0, 4.0], vec![3.0, 2.5, 5.0]]);
        let timing = timing.expect("a sound table");
        assert_eq!(
            [0, 1, 2, 3].map(|r| timing.batch(r, 1)),
            [0.0, 2.0, 3.0, 4.0]
        );
        // Two at once were measured faster than one, and take as long.
        assert_eq!([1, 2, 3].map(|r| timing.batch(r, 2)), [3.0, 3.0, 5.0]);
        assert_eq!(timing.batch(1, 48), 3.0);
        assert_eq!(timing.batch(1, 0), 2.0);
        assert_eq!(timing.batch(7, 1), 10.0);
        assert_eq!(timing.rotation(), 4.0 / 3.0);
    }

    #[test]
    fn unsound_tables_are_refused() {
        let zero = vec![vec![1.0, 0.0]];
        let nan = vec![vec![1.0], vec![f64::NAN]];
        let ragged = vec![vec![1.0, 2.0], vec![1.0]];
        for rows in [vec![], vec![vec![]], zero, nan, ragged] {
            assert_eq!(Timing::new(rows.clone()), None, "{rows:?}");
        }
    }
}
