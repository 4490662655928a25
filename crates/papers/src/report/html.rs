//! A report as one HTML page: no script, no outside resource, light or dark as the reader has it.
//!
//! Charts are inline SVG. Their texts and lines carry concrete colours as presentation attributes,
//! which any style rule overrides: so the page's own colours reach into them.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Cell, Chart, Origin, Report, Row, Section, Table, chart};

const STYLE: &str = include_str!("page.css");

impl Report {
    /// The whole page.
    pub(crate) fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content=(super::page::GENERATOR);
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) (PreEscaped(chart::style())) }
                }
                body {
                    h1 { (self.title) }
                    (self.beginning())
                    @if !self.parts.is_empty() { (self.contents()) }
                    @for section in &self.sections { (section.html(None)) }
                    @for (number, part) in (1..).zip(&self.parts) {
                        article {
                            h1 id=(format!("part-{number}")) { (part.title) }
                            (part.beginning())
                            @for (at, section) in (1..).zip(&part.sections) {
                                (section.html(Some(&anchor(number, at))))
                            }
                        }
                    }
                }
            }
        };
        page.into_string()
    }

    /// Everything before the sections.
    fn beginning(&self) -> Markup {
        html! {
            @for line in &self.lead { p { (line) } }
            dl {
                @for (name, what) in &self.facts { dt { (name) } dd { (what) } }
            }
        }
    }

    /// The parts and their sections, each a link.
    fn contents(&self) -> Markup {
        html! {
            nav {
                h2 { "Contents" }
                ol {
                    @for (number, part) in (1..).zip(&self.parts) {
                        li {
                            a href=(format!("#part-{number}")) { (part.title) }
                            ul {
                                @for (at, section) in (1..).zip(&part.sections) {
                                    li {
                                        a href=(format!("#{}", anchor(number, at))) { (section.title) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The name by which a section of a part is found.
fn anchor(part: usize, section: usize) -> String {
    format!("part-{part}-section-{section}")
}

impl Section {
    fn html(&self, anchor: Option<&str>) -> Markup {
        html! {
            section id=[anchor] {
                h2 { (self.title) }
                @for line in &self.text { p { (line) } }
                @for chart in &self.charts { (chart.html()) }
                (self.table.html())
                @for line in self.table.legend().iter().chain(&self.remarks) {
                    p.remark { (line) }
                }
            }
        }
    }
}

impl Table {
    fn html(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    thead {
                        tr { @for head in &self.columns { th scope="col" { (head) } } }
                    }
                    tbody { @for row in &self.rows { (self.row(row)) } }
                }
            }
        }
    }

    fn row(&self, row: &Row) -> Markup {
        html! {
            @match row {
                Row::Heading(heading) => {
                    tr.heading { th colspan=(self.columns.len()) scope="rowgroup" { (heading) } }
                }
                Row::Cells(name, cells) => {
                    tr {
                        th scope="row" { (name) }
                        @for cell in cells { td class=(class(cell)) { (cell.shown()) } }
                    }
                }
            }
        }
    }
}

fn class(cell: &Cell) -> &'static str {
    match cell.origin {
        Origin::Text => "text",
        Origin::Paper => "paper",
        Origin::Measured => "measured",
        Origin::Computed => "computed",
        Origin::Simulated => "simulated",
        Origin::Recorded => "recorded",
    }
}

impl Chart {
    fn html(&self) -> Markup {
        html! {
            figure {
                figcaption { (self.title()) }
                ul.series {
                    @for (number, series) in self.legend() {
                        li { span class=(format!("swatch series-{number}")) {} (series) }
                    }
                }
                div.scroll role="img" aria-label=(self.title()) {
                    @match self.svg() {
                        Ok(svg) => (PreEscaped(svg)),
                        Err(error) => p.remark { "The chart could not be drawn: " (error) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;

    #[test]
    fn the_page_holds_every_word_and_escapes_it() {
        let page = sample().html();
        for part in [
            "<!DOCTYPE html>",
            "<title>A &lt;paper&gt;</title>",
            "Said &amp; done.",
            "a &quot;good&quot; one",
            "<h2>Table 1</h2>",
            "<td class=\"paper\">443 s</td>",
            "<td class=\"computed\">≈2 s</td>",
            "ours &lt;1&gt;",
            "After.",
            "<svg ",
        ] {
            assert!(page.contains(part), "no {part} in {page}");
        }
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        let page = sample().html();
        // The one address is the name of SVG itself.
        let addresses = page.matches("http").count();
        assert_eq!(
            addresses,
            page.matches("http://www.w3.org/2000/svg").count()
        );
        assert!(!page.contains("<script") && !page.contains("<link") && !page.contains("url("));
    }
}
