//! A flame graph: call stacks as bars upon each other, as wide as what they cost (B. Gregg, "The
//! flame graph", CACM 59(6), 2016).
//!
//! The picture is one SVG without scripts: a browser shows name, bootstraps and share of the bar
//! under the pointer. It is drawn here, and not by the crate `inferno`, because of that one's
//! licence (CDDL-1.0), which would be that of every picture's script, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Widths and heights in pixels.
const WIDTH: f64 = 1200.0;
const ROW: usize = 18;
const MARGIN: usize = 10;
const HEAD: usize = 34;
/// What a letter of the font takes.
const LETTER: f64 = 6.6;
/// Narrower bars are left out.
const NARROWEST: f64 = 0.1;

/// A bar: from `start` to `end`, upon `depth` others.
struct Bar {
    name: String,
    depth: usize,
    start: u64,
    end: u64,
}

/// Draws stacks, the outermost function first, with their costs.
pub(super) fn draw(title: &str, stacks: &BTreeMap<Vec<String>, u64>) -> String {
    let total: u64 = stacks.values().sum();
    let scale = (WIDTH - 2.0 * MARGIN as f64) / total.max(1) as f64;
    let mut bars = bars(stacks);
    bars.push(Bar {
        name: "all".to_owned(),
        depth: 0,
        start: 0,
        end: total,
    });
    bars.retain(|bar| (bar.end - bar.start) as f64 * scale >= NARROWEST);
    let deepest = bars.iter().map(|bar| bar.depth).max().unwrap_or(0);
    let height = HEAD + ROW * (deepest + 1) + MARGIN;
    let mut svg = String::new();
    // Writing to a String does not fail.
    let _ = writeln!(
        svg,
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" font-size=\"11\">\n\
         <style>g:hover rect {{ stroke: black; stroke-width: 1; }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#f8f8f0\"/>\n\
         <text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{}: {total} bootstraps</text>",
        WIDTH / 2.0,
        escaped(title),
    );
    for bar in &bars {
        let cost = bar.end - bar.start;
        let (x, width) = (
            MARGIN as f64 + bar.start as f64 * scale,
            cost as f64 * scale,
        );
        let y = HEAD + ROW * (deepest - bar.depth);
        let share = cost as f64 * 100.0 / total.max(1) as f64;
        let name = escaped(&bar.name);
        let _ = writeln!(
            svg,
            "<g><title>{name}: {cost} bootstraps, {share:.1} %</title>\
             <rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{}\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"{}\">{}</text></g>",
            ROW - 1,
            colour(&bar.name),
            x + 3.0,
            y + 12,
            escaped(&fitting(&bar.name, width)),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The bars of all stacks: neighbours that agree from the bottom share theirs.
fn bars(stacks: &BTreeMap<Vec<String>, u64>) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut open: Vec<(&str, u64)> = Vec::new();
    let mut at = 0;
    let mut close = |open: &mut Vec<(&str, u64)>, depth: usize, at: u64| {
        while open.len() > depth {
            if let Some((name, start)) = open.pop() {
                bars.push(Bar {
                    name: name.to_owned(),
                    depth: open.len() + 1,
                    start,
                    end: at,
                });
            }
        }
    };
    for (stack, cost) in stacks {
        let shared = open
            .iter()
            .zip(stack)
            .take_while(|((own, _), name)| own == name);
        let shared = shared.count();
        close(&mut open, shared, at);
        open.extend(stack[shared..].iter().map(|name| (name.as_str(), at)));
        at += cost;
    }
    close(&mut open, 0, at);
    bars
}

/// As much of a name as there is room for.
fn fitting(name: &str, width: f64) -> String {
    let room = ((width - 6.0) / LETTER).max(0.0) as usize;
    match name.chars().count() {
        letters if letters <= room => name.to_owned(),
        _ if room < 3 => String::new(),
        _ => name.chars().take(room - 2).chain("..".chars()).collect(),
    }
}

/// A warm colour that is a name's own (FNV-1a).
fn colour(name: &str) -> String {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let (red, green, blue) = (215 + hash % 40, 80 + hash / 40 % 130, hash / 5200 % 60);
    format!("rgb({red},{green},{blue})")
}

/// Text as XML has it; what XML has no form for becomes a question mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push('?'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn neighbours_share_bars() {
        let stacks = BTreeMap::from([
            (stack(&["main"]), 5),
            (stack(&["main", "f"]), 10),
            (stack(&["main", "f", "g"]), 20),
            (stack(&["main", "h"]), 3),
            (stack(&["other"]), 2),
        ]);
        let mut found: Vec<_> = bars(&stacks)
            .into_iter()
            .map(|bar| (bar.depth, bar.name, bar.start, bar.end))
            .collect();
        found.sort();
        let bar = |depth, name: &str, start, end| (depth, name.to_owned(), start, end);
        assert_eq!(
            found,
            [
                bar(1, "main", 0, 38),
                bar(1, "other", 38, 40),
                bar(2, "f", 5, 35),
                bar(2, "h", 35, 38),
                bar(3, "g", 15, 35),
            ]
        );
    }

    #[test]
    fn pictures_are_xml() {
        let stacks = BTreeMap::from([(stack(&["a<b>&\"\u{1}", "operator<<"]), 7)]);
        let svg = draw("x & y", &stacks);
        assert!(svg.contains("a&lt;b&gt;&amp;&quot;?: 7 bootstraps, 100.0 %"));
        assert!(svg.contains("x &amp; y: 7 bootstraps"));
        assert_eq!(svg.matches("<g>").count(), 3);
        assert_eq!(svg.matches("<g>").count(), svg.matches("</g>").count());
        assert!(draw("nothing", &BTreeMap::new()).ends_with("</svg>\n"));
    }
}
