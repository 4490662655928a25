//! What a page of Markdown links to, and what can be linked to in it.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link or an image of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// Where it stands, from the bracket of its text on.
    pub(crate) range: Range<usize>,
    /// Its text, with its markup.
    pub(crate) text: String,
    /// Where it leads.
    pub(crate) destination: String,
}

impl Link {
    /// Whether it leads to a file of the repository, not to the rest of the world.
    pub(crate) fn is_relative(&self) -> bool {
        !self.destination.contains("://") && !self.destination.starts_with("mailto:")
    }
}

fn parser(page: &str) -> pulldown_cmark::OffsetIter<'_> {
    Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter()
}

/// Every link and image of a page, in order.
pub(crate) fn links(page: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (event, range) in parser(page) {
        let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) =
            event
        else {
            continue;
        };
        let whole = &page[range.clone()];
        let text = whole.rsplit_once("](").map_or(whole, |(text, _)| text);
        links.push(Link {
            text: text.trim_start_matches(['!', '[']).to_owned(),
            destination: dest_url.into_string(),
            range,
        });
    }
    links
}

/// The fragments by which a page's headings are linked to: GitHub's rule, which is that of mdBook
/// for the characters that our headings have.
pub(crate) fn fragments(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut heading: Option<String> = None;
    for (event, _) in parser(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap_or_default());
                let before = times.entry(slug.clone()).or_default();
                found.push(match *before {
                    0 => slug,
                    again => format!("{slug}-{again}"),
                });
                *before += 1;
            }
            _ => {}
        }
    }
    found
}

fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_with_their_text_and_place() {
        let page = "See [the *guide*](guide.md#a-b), `[no](link)` and ![a picture](p.png).";
        let found = links(page);
        let both: Vec<(&str, &str)> = found
            .iter()
            .map(|link| (link.text.as_str(), link.destination.as_str()))
            .collect();
        assert_eq!(
            both,
            [("the *guide*", "guide.md#a-b"), ("a picture", "p.png")]
        );
        assert_eq!(&page[found[0].range.clone()], "[the *guide*](guide.md#a-b)");
    }

    #[test]
    fn headings_become_fragments_as_on_github() {
        let page =
            "# What `run` does, and what not\n\n## Two\n\n```\n# no heading\n```\n\n## Two\n";
        assert_eq!(
            fragments(page),
            ["what-run-does-and-what-not", "two", "two-1"]
        );
    }
}
