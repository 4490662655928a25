//! What mdBook asks for each page: links that leave the book become plain words with the path,
//! since the rendered book holds the pages of `docs/` alone. (On GitHub the same links work as they
//! are.)

use std::io::{Read, Write};

use serde_json::Value;

use crate::markdown::links;

/// Reads a book from standard input, and writes it to standard output without links out of it.
pub(crate) fn keep_links_inside() -> Result<(), Box<dyn std::error::Error>> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    // A pair of context and book.
    let [_, mut book]: [Value; 2] = serde_json::from_str(&input)?;
    rewrite(&mut book);
    std::io::stdout().write_all(book.to_string().as_bytes())?;
    Ok(())
}

fn rewrite(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(content) if name == "content" => *content = inside(content),
                    field => rewrite(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        _ => {}
    }
}

/// A page without links out of `docs/`.
fn inside(page: &str) -> String {
    let mut page = page.to_owned();
    // From the end, so that places stay.
    for link in links(&page).into_iter().rev() {
        if let Some(path) = link.destination.strip_prefix("../") {
            let path = path.split('#').next().unwrap_or(path);
            let words = match link.text.trim_matches('`') == path {
                true => format!("`{path}`"),
                false => format!("{} (`{path}`)", link.text),
            };
            page.replace_range(link.range, &words);
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_leave_become_words() {
        let page = "[in](a.md), [the *examples*](../examples/README.md#x), [`bench/x`](../bench/x)";
        let expected = "[in](a.md), the *examples* (`examples/README.md`), `bench/x`";
        assert_eq!(inside(page), expected);
    }
}
