//! `blindcore profile`: which functions and source lines a run's bootstraps are for.

use std::path::Path;

use circuits::exec::Cancel;
use files::{Access, Existing, Reservation};
use session::evaluator::Target;
use session::profile::Profiled;
use session::schemes;

use super::{load, print, print_json, teller, threads, warn};
use crate::arguments;
use crate::commands::selectors::expected;
use crate::failure::Failure;

/// Plans the run and says what it is that costs.
pub(crate) fn profile(arguments: &arguments::Profile) -> Result<(), Failure> {
    let picture = match &arguments.flame {
        Some(path) => Some((path, place_for(path, arguments.force)?)),
        None => None,
    };
    let program = load(&arguments.program)?;
    warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let target = Target {
        threads: threads(arguments.threads),
        architectures: arguments.forced.architectures(),
        fft: arguments.fft,
        selectors: expected(arguments.no_selectors),
    };
    // The circuits that a run would take, of two kinds.
    let parameters = arguments.set.parameters();
    let chosen = schemes::tfhe::plan(program.image(), &task, &parameters, &target)
        .map_err(|error| program.error(&error))?
        .profile();
    let found = Profiled::new(program.image(), &task, &chosen, &Cancel::new())
        .map_err(|error| program.error(&error))?;
    if let Some((path, reservation)) = picture {
        let svg = found.flame_graph(program.name(), program.image());
        let written = reservation
            .fill(svg.as_bytes())
            .and_then(|file| file.commit());
        written.map_err(|error| Failure::file(path, &error))?;
        teller(false)(&format!("wrote {}", path.display()));
    }
    if arguments.json {
        return print_json(&found.document(program.image(), target.threads));
    }
    if arguments.annotate {
        let folder = Path::new(program.name()).parent();
        return print(&found.annotated(program.image(), folder));
    }
    print(&found.text(program.image(), target.threads, arguments.top))
}

/// Makes sure of a place for the picture before the work.
fn place_for(path: &Path, force: bool) -> Result<Reservation, Failure> {
    let existing = match force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    Reservation::new(path, Access::Shared, existing).map_err(|error| Failure::file(path, &error))
}
