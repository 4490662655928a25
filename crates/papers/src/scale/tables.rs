//! The study as a report.

use super::charts::{of_network, of_paper, rate};
use super::simulated::{Row as OnCores, Scaled};
use super::{Shapes, Study};
use crate::emulator::MACHINE_OF_PAPER;
use crate::report::{Cell, Origin, Report, Row, Section, Table, ratio, significant};

/// Numbers of cores of the overview, where the study has them.
const OVERVIEW: [usize; 6] = [1, 8, 64, 512, 1024, 4096];

pub(super) fn report(study: &Study, shapes: &Shapes) -> Report {
    let mut sections: Vec<Section> = shapes
        .networks
        .iter()
        .map(|&network| overview(study, network))
        .collect();
    sections.extend(
        study
            .programs
            .iter()
            .map(|program| whole(program, study, shapes)),
    );
    sections.push(paper());
    let mut facts = study.provenance.facts();
    facts.push(study.set.fact("lookups"));
    let batches: Vec<String> = study
        .batches
        .iter()
        .map(|nanoseconds| significant(nanoseconds * 1e-6))
        .collect();
    facts.push((
        "batches".to_owned(),
        format!(
            "of 1, 2, … lookups: {} ms ({})",
            batches.join(", "),
            study.batches_from
        ),
    ));
    Report {
        title: "Programs on many cores: simulated".to_owned(),
        lead: vec![
            "Every time but those of batches is simulated: circuits are real, machines are not. Each \
             window of a program is placed on the machines and played through: cores, batches, links that \
             take turns, 0.25 ms from machine to machine, 16 kB a bit. What a run needs before and after \
             (keys, recording, inputs), jitter and failures are left out."
                .to_owned(),
        ],
        facts,
        sections,
        parts: Vec::new(),
    }
}

fn overview(study: &Study, network: f64) -> Section {
    let present = |&cores: &usize| {
        let mut rows = study.programs.iter().flat_map(|program| &program.rows);
        rows.any(|row| row.all_cores() == cores)
    };
    let cores: Vec<usize> = OVERVIEW.into_iter().filter(present).collect();
    let mut columns: Vec<String> = ["program", "lookups", "longest chain, s", "one core, s"]
        .map(str::to_owned)
        .to_vec();
    columns.extend(cores.iter().skip(1).map(|cores| format!("{cores} cores")));
    let rows = study.programs.iter().map(|program| {
        let mut cells = vec![
            Cell::text(program.lookups.to_string()),
            Cell::new(Origin::Simulated, significant(program.chain)),
            Cell::new(Origin::Simulated, significant(program.one_core)),
        ];
        cells.extend(cores.iter().skip(1).map(|&cores| {
            match program.on(network).find(|row| row.all_cores() == cores) {
                Some(row) => Cell::new(
                    Origin::Simulated,
                    format!("{} ({})", ratio(row.speedup), percent(row.efficiency)),
                ),
                None => Cell::text(""),
            }
        }));
        Row::Cells(program.name.clone(), cells)
    });
    Section {
        title: format!(
            "Speed-up over one core, links of {}, and efficiency",
            rate(network)
        ),
        table: Table {
            columns,
            rows: rows.collect(),
        },
        charts: of_network(study, network).to_vec(),
        ..Section::default()
    }
}

/// Everything on a program.
fn whole(program: &Scaled, study: &Study, shapes: &Shapes) -> Section {
    let megabytes = study.bytes_of_ciphertext as f64 * 1e-6;
    let columns = [
        "machines × cores",
        "seconds",
        "bound, s",
        "of the bound",
        "speed-up",
        "efficiency",
        "sent, MB",
        "busiest link",
        "ciphertexts of a machine, MB",
    ];
    let line = |row: &OnCores| {
        let simulated = |text: String| Cell::new(Origin::Simulated, text);
        let cells = vec![
            simulated(significant(row.seconds)),
            Cell::text(significant(row.bound)),
            simulated(percent(row.of_bound())),
            simulated(ratio(row.speedup)),
            simulated(percent(row.efficiency)),
            simulated(format!("{:.0}", row.bytes_sent as f64 * 1e-6)),
            simulated(percent(row.busiest_link)),
            simulated(format!("{:.0}", row.ciphertexts as f64 * megabytes)),
        ];
        Row::Cells(format!("{} × {}", row.machines, row.cores), cells)
    };
    let has_links = program.rows.iter().any(|row| row.network.is_some());
    let mut rows: Vec<Row> = Vec::new();
    let alone = program.rows.iter().filter(|row| row.network.is_none());
    rows.extend(alone.map(line));
    if has_links {
        for &network in &shapes.networks {
            rows.push(Row::Heading(format!("links of {}", rate(network))));
            let on = program.rows.iter();
            let on = on.filter(|row| row.network == Some(network));
            rows.extend(on.map(line));
        }
    }
    let text = match program.jobs {
        Some(jobs) => format!(
            "{jobs} jobs that do not wait for each other, {} lookups together. Each runs on one machine, so \
             many at once as is fastest; nothing travels but inputs and outputs, which are not counted.",
            program.lookups
        ),
        None => format!(
            "{} lookups in {} {}.",
            program.lookups,
            program.windows,
            if program.windows == 1 {
                "window"
            } else {
                "windows, one after the other"
            }
        ),
    };
    Section {
        title: program.name.clone(),
        text: vec![text],
        table: Table {
            columns: columns.map(str::to_owned).to_vec(),
            rows,
        },
        ..Section::default()
    }
}

fn paper() -> Section {
    let rows = of_paper().into_iter().map(|curve| {
        let one = curve.points.first().map_or(0.0, |&(_, first)| first);
        let best = curve.points.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let (cores, least) = best.copied().unwrap_or((1, one));
        Row::Cells(
            format!("figure {}: {}, 16 bits", curve.figure, curve.name),
            vec![
                Cell::new(Origin::Paper, significant(one)),
                Cell::new(Origin::Paper, significant(least)),
                Cell::new(Origin::Paper, cores.to_string()),
                Cell::new(Origin::Paper, format!("{:.2}×", curve.speedup)),
                Cell::text(percent(one / least / cores as f64)),
            ],
        )
    });
    let columns = [
        "the paper",
        "one core, ms",
        "least, ms",
        "first on cores",
        "most speed-up",
        "efficiency there",
    ];
    Section {
        title: "The paper on an emulator: 1 to 47 cores, measured there".to_owned(),
        text: vec![format!(
            "Bars of figures 20, 21 and 24 (its best unit, its largest and its worst), as its text describes \
             them; {MACHINE_OF_PAPER}. `blindcore papers emulator` has all of them beside the same units of \
             ours."
        )],
        table: Table {
            columns: columns.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        ..Section::default()
    }
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent >= 9.95 => format!("{percent:.0} %"),
        percent => format!("{percent:.1} %"),
    }
}
