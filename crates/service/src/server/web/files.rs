//! Files that everybody may have: the page, and programs. They are read at the start, so that no
//! request ever names a path of the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use processor::Program;
use serde_json::{Value, json};
use tonic::Status;

use super::headers::complete_page;
use super::refusal::Refusal;

/// Most files of a directory.
const FILES_MOST: usize = 4_096;
/// Most bytes of them all: they lie in memory.
const BYTES_MOST: u64 = 256 << 20;
/// How deep directories go.
const DEPTH_MOST: usize = 16;

/// What is said where there is no page.
const NO_PAGE: &str = "\
This is a Blindcore server. It answers under /v1/ (docs/http.md of Blindcore says how).
It has no page: `blindcore serve --web-app DIR` serves one.
";

/// A file in memory.
struct File {
    content: Bytes,
    kind: &'static str,
    /// BLAKE3 of the content, in hexadecimal.
    blake3: String,
}

/// The page's files, by path.
#[derive(Default)]
pub(super) struct Page(Option<BTreeMap<String, File>>);

/// Programs, by name.
#[derive(Default)]
pub(super) struct Programs(BTreeMap<String, File>);

impl Page {
    /// Reads a directory with all that it contains.
    pub(super) fn read(directory: Option<&Path>) -> Result<Self, String> {
        let Some(directory) = directory else {
            return Ok(Self::default());
        };
        let files = read(directory, DEPTH_MOST)?;
        if !files.contains_key("index.html") {
            return Err("there is no index.html in it".to_owned());
        }
        Ok(Self(Some(files)))
    }

    /// The file of a path.
    pub(super) fn answer(&self, parts: &Parts) -> Result<Response, Refusal> {
        if parts.method != Method::GET && parts.method != Method::HEAD {
            return Err(Refusal::with(
                StatusCode::METHOD_NOT_ALLOWED,
                "the page is only read: calls begin with /v1/",
            ));
        }
        let path = parts.uri.path();
        let Some(files) = &self.0 else {
            return match path {
                "/" => Ok(complete_page(NO_PAGE.into_response())),
                _ => Err(unknown(path)),
            };
        };
        let name = path.strip_prefix('/').unwrap_or(path);
        let found = match name.is_empty() || name.ends_with('/') {
            true => files.get(&format!("{name}index.html")),
            false => files.get(name),
        };
        let file = found.ok_or_else(|| unknown(path))?;
        Ok(complete_page(file.answer(parts)))
    }
}

fn unknown(path: &str) -> Refusal {
    Status::not_found(format!("there is nothing at {path}: calls begin with /v1/")).into()
}

impl Programs {
    /// Reads the programs of a directory; what is none is left out.
    pub(super) fn read(directory: Option<&Path>) -> Result<Self, String> {
        let Some(directory) = directory else {
            return Ok(Self::default());
        };
        let mut files = read(directory, 1)?;
        files.retain(|name, file| {
            let is_program = file.content.starts_with(b"\x7fELF") || name.ends_with(".hea");
            if !is_program {
                tracing::info!(name, "no program: not offered");
            }
            is_program
        });
        for (name, file) in &files {
            Program::load(&file.content).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(Self(files))
    }

    /// What there is.
    pub(super) fn list(&self) -> Value {
        let programs = self.0.iter().map(|(name, file)| {
            json!({"name": name, "blake3": file.blake3, "length": file.content.len()})
        });
        json!({"programs": programs.collect::<Vec<_>>()})
    }

    /// One of them.
    pub(super) fn answer(&self, name: &str) -> Result<Response, Refusal> {
        match self.0.get(name) {
            Some(file) => Ok(file.whole()),
            None => Err(Status::not_found(
                "there is no program of this name: GET /v1/programs lists them",
            )
            .into()),
        }
    }
}

impl File {
    fn whole(&self) -> Response {
        let mut response = Response::new(Body::from(self.content.clone()));
        let kind = HeaderValue::from_static(self.kind);
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }

    /// The file, or that its reader has it.
    fn answer(&self, parts: &Parts) -> Response {
        let tag = format!("\"{}\"", self.blake3);
        let known = parts.headers.get(header::IF_NONE_MATCH);
        let known = known.and_then(|known| known.to_str().ok()).unwrap_or("");
        let same = known.split(',').any(|known| {
            let known = known.trim();
            known.strip_prefix("W/").unwrap_or(known) == tag
        });
        let mut response = match same {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => self.whole(),
        };
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        // Kept, but asked about each time: a new page takes effect at once.
        let asked = HeaderValue::from_static("no-cache");
        headers.insert(header::CACHE_CONTROL, asked);
        response
    }
}

/// The files of a directory by their paths within it. What begins with a dot is left out; what a
/// link leads out of the directory to is an error.
fn read(directory: &Path, depth: usize) -> Result<BTreeMap<String, File>, String> {
    let root = directory
        .canonicalize()
        .map_err(|error| error.to_string())?;
    let mut files = BTreeMap::new();
    let mut room = BYTES_MOST;
    let mut open: Vec<(PathBuf, String, usize)> = vec![(root.clone(), String::new(), depth)];
    while let Some((directory, prefix, depth)) = open.pop() {
        let failed = |error: std::io::Error| format!("/{prefix}: {error}");
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let name = name
                .to_str()
                .ok_or_else(|| format!("/{prefix}: a name is no UTF-8"))?;
            if name.starts_with('.') {
                continue;
            }
            let name = format!("{prefix}{name}");
            let failed = |error: std::io::Error| format!("{name}: {error}");
            let path = entry.path().canonicalize().map_err(failed)?;
            if !path.starts_with(&root) {
                return Err(format!("{name}: a link that leads out of the directory"));
            }
            let metadata = fs::metadata(&path).map_err(failed)?;
            if metadata.is_dir() {
                if depth > 1 {
                    open.push((path, format!("{name}/"), depth - 1));
                }
                continue;
            }
            if !metadata.is_file() {
                return Err(format!("{name}: neither a file nor a directory"));
            }
            room = room
                .checked_sub(metadata.len())
                .filter(|_| files.len() < FILES_MOST)
                .ok_or_else(|| {
                    format!("more than {FILES_MOST} files or {BYTES_MOST} bytes: is this the directory that is meant?")
                })?;
            let content = Bytes::from(fs::read(&path).map_err(failed)?);
            let file = File {
                kind: kind(&name),
                blake3: blake3::hash(&content).to_hex().to_string(),
                content,
            };
            files.insert(name, file);
        }
    }
    Ok(files)
}

/// The media type of a name. Browsers run nothing that has a wrong one.
fn kind(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "c" | "h" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(path: &str) -> Parts {
        let request = axum::http::Request::builder().uri(path);
        request.body(()).unwrap().into_parts().0
    }

    fn page(root: &Path) -> Result<Page, String> {
        Page::read(Some(root))
    }

    #[test]
    fn a_page_has_its_files_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = root.path().join("page").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("index.html", "<p>");
        put("deep/index.html", "<b>");
        put("deep/a.wasm", "w");
        put(".hidden", "h");
        fs::write(root.path().join("outside"), "secret").unwrap();
        let page = page(&root.path().join("page")).unwrap();
        for (path, kind) in [
            ("/", "text/html; charset=utf-8"),
            ("/index.html", "text/html; charset=utf-8"),
            ("/deep/", "text/html; charset=utf-8"),
            ("/deep/a.wasm", "application/wasm"),
        ] {
            let found = page.answer(&parts(path)).unwrap();
            assert_eq!(found.headers()["content-type"], kind, "{path}");
            assert_eq!(found.headers()["cache-control"], "no-cache");
            assert!(found.headers().contains_key("content-security-policy"));
        }
        for path in [
            "/.hidden",
            "/deep",
            "/../outside",
            "/deep/../../outside",
            "/%2e%2e/outside",
            "/deep/%2e%2e/index.html",
            "//index.html",
            "/index.html/",
            "/index.html%00",
            "/outside",
        ] {
            assert!(page.answer(&parts(path)).is_err(), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_within_the_directory() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("page");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a.html"), "a").unwrap();
        fs::write(root.path().join("outside"), "secret").unwrap();
        symlink("a.html", inner.join("index.html")).unwrap();
        let found = page(&inner).unwrap();
        assert!(found.answer(&parts("/")).is_ok());
        symlink("../outside", inner.join("out.html")).unwrap();
        let error = page(&inner).err().unwrap();
        assert!(error.contains("out.html: a link"), "{error}");
    }

    #[test]
    fn a_reader_that_has_a_file_gets_no_other() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("index.html"), "a").unwrap();
        let page = page(root.path()).unwrap();
        let first = page.answer(&parts("/")).unwrap();
        let tag = first.headers()["etag"].clone();
        let mut again = parts("/");
        again.headers.insert("if-none-match", tag);
        assert_eq!(page.answer(&again).unwrap().status(), 304);
        again
            .headers
            .insert("if-none-match", "\"x\"".parse().unwrap());
        assert_eq!(page.answer(&again).unwrap().status(), 200);
    }

    #[test]
    fn programs_are_what_can_be_loaded() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("README"), "text").unwrap();
        fs::write(
            root.path().join("a.hea"),
            ".data a\n LOAD R0, a\n STORE R0, a",
        )
        .unwrap();
        let programs = Programs::read(Some(root.path())).unwrap();
        assert_eq!(programs.list()["programs"].as_array().unwrap().len(), 1);
        assert!(programs.answer("a.hea").is_ok());
        assert!(programs.answer("README").is_err() && programs.answer("../a.hea").is_err());
        fs::write(root.path().join("b.elf"), b"\x7fELF and no more").unwrap();
        let error = Programs::read(Some(root.path())).err().unwrap();
        assert!(error.starts_with("b.elf: "), "{error}");
    }
}
