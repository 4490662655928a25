//! What the command line says about secret branches: `--branches both,ask --merge-limit 500`.

use clap::{Args, ValueEnum};
use processor::{Branches, Otherwise};

/// One word of `--branches`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BranchMode {
    /// Stop with an error
    Refuse,
    /// Execute both paths and select, where they rejoin within --merge-limit instructions
    Both,
    /// Ask the owner of the secret key whether the condition holds
    Ask,
    /// Send the owner what the condition compares, and let them name the next instruction
    Client,
}

/// How secret branches are treated.
#[derive(Clone, Debug, Args)]
pub struct SecretBranches {
    /// What to do at a branch on secret data: refuse, both, ask, client; or both,ask or
    /// both,client: ask where both paths cannot be executed
    #[arg(
        long,
        value_enum,
        value_name = "MODE[,MODE]",
        value_delimiter = ',',
        default_value = "refuse",
        hide_possible_values = true
    )]
    pub branches: Vec<BranchMode>,
    /// With --branches both: how many instructions the two paths may have together, inner branches
    /// included
    #[arg(long, value_name = "N", default_value_t = Branches::MERGE_LIMIT)]
    pub merge_limit: u64,
}

impl Default for SecretBranches {
    fn default() -> Self {
        Self {
            branches: vec![BranchMode::Refuse],
            merge_limit: Branches::MERGE_LIMIT,
        }
    }
}

impl SecretBranches {
    /// The processor's word for it; an error says which combinations there are. A bound of a loop is
    /// for both paths: with one they are executed, unless something else is asked for.
    pub(crate) fn task(&self, has_bounds: bool) -> Result<Branches, String> {
        let (both, rest) = match self.branches.as_slice() {
            [BranchMode::Both, rest @ ..] => (Some(self.merge_limit), rest),
            rest @ [BranchMode::Refuse] if has_bounds => (Some(self.merge_limit), rest),
            rest => (None, rest),
        };
        let otherwise = match rest {
            [] | [BranchMode::Refuse] => Otherwise::Refuse,
            [BranchMode::Ask] => Otherwise::Ask,
            [BranchMode::Client] => Otherwise::ClientHeld,
            _ => {
                return Err(
                    "--branches takes refuse, both, ask, client, or both,ask or both,client"
                        .to_owned(),
                );
            }
        };
        Ok(Branches { both, otherwise })
    }
}

#[cfg(test)]
mod tests {
    use super::BranchMode::{Ask, Both, Client, Refuse};
    use super::*;

    #[test]
    fn words_become_a_task() {
        let task = |branches: &[BranchMode]| {
            let branches = branches.to_vec();
            let merge_limit = 7;
            let task = SecretBranches {
                branches,
                merge_limit,
            }
            .task(false)
            .ok()?;
            Some((task.both, task.otherwise))
        };
        assert_eq!(task(&[Refuse]), Some((None, Otherwise::Refuse)));
        assert_eq!(task(&[Ask]), Some((None, Otherwise::Ask)));
        assert_eq!(task(&[Client]), Some((None, Otherwise::ClientHeld)));
        assert_eq!(task(&[Both]), Some((Some(7), Otherwise::Refuse)));
        assert_eq!(task(&[Both, Ask]), Some((Some(7), Otherwise::Ask)));
        assert_eq!(
            task(&[Both, Client]),
            Some((Some(7), Otherwise::ClientHeld))
        );
        assert_eq!(task(&[Ask, Client]), None);
        assert_eq!(task(&[Ask, Both]), None);
    }
}
