//! Answers about a target that are worked out once, such as which of several forms is fastest
//! there.

use std::collections::BTreeMap;

use super::Builder;
use crate::Profile;
use crate::architectures::Architectures;

/// By question, by the shape that it is about, and by what was forced when it was asked.
pub(super) type Answers = BTreeMap<(&'static str, [usize; 2], Architectures), usize>;

impl Builder {
    /// The answer to a question about the target: worked out when it is asked for the first time,
    /// so that a program pays once for each question and shape.
    pub(crate) fn once(
        &mut self,
        question: &'static str,
        shape: [usize; 2],
        work_out: impl FnOnce(&Profile) -> usize,
    ) -> usize {
        let key = (question, shape, self.profile.architectures);
        let profile = &self.profile;
        *self.answers.entry(key).or_insert_with(|| work_out(profile))
    }
}
