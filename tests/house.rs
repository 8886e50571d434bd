//! The house rules that a compiler does not know: module order, file length, names, module docs.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Modules in pipeline order; a module imports only from those before it.
const ORDER: [&str; 23] = [
    "ids", "value", "config", "note", "backoff", "sheet", "schema", "tokens", "record", "sql", "query", "engine",
    "catalog", "llm", "embed", "ingest", "ask", "app", "service", "web", "mcp", "cli", "main",
];

/// The shared words may use each other.
const WORDS: usize = 4;

/// Pairs that never import each other, as the beginnings of module paths.
const STRANGERS: [(&str, &str); 2] = [("ingest", "ask"), ("engine::embedded", "engine::elastic")];

const LINES: usize = 400;

/// A source file: its module path (`ask::prompt::marks`) and its text.
struct Source {
    path: PathBuf,
    module: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files);
    files.sort();
    files.into_iter().map(|path| source(&root, path)).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src can be read") {
        let path = entry.expect("an entry of src").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn source(root: &Path, path: PathBuf) -> Source {
    let inner = path.strip_prefix(root).expect("a file of src").with_extension("");
    let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let module = parts.join("::").trim_end_matches("::mod").to_owned();
    Source { text: fs::read_to_string(&path).expect("a source is UTF-8"), path, module }
}

/// Paths from the crate's root that a source names outside comments: `sql::Refusal`, one level of braces opened.
fn named_paths(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let path = Regex::new(r"\b(?:crate|sheetwise)::(\{|\w+(?:::\w+)*)").expect("a valid pattern");
    let mut paths = Vec::new();
    for found in path.captures_iter(&code) {
        match (&found[1], found.get(0)) {
            ("{", Some(whole)) => paths.extend(braced(&code[whole.end()..])),
            (path, _) => paths.push(path.to_owned()),
        }
    }
    paths
}

/// The members of a `use crate::{…}`, which begin after the opening brace.
fn braced(rest: &str) -> Vec<String> {
    let mut depth = 1;
    let end = rest.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let mut depth = 0;
    let members = rest[..end.unwrap_or(rest.len())].split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let head = |member: &str| member.split('{').next().unwrap_or_default().trim().trim_end_matches("::").to_owned();
    members.map(head).filter(|member| !member.is_empty()).collect()
}

fn top(path: &str) -> &str {
    path.split("::").next().unwrap_or(path)
}

fn place(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

/// Why `from` may not name `path`; `None` where it may.
fn fault(from: &str, path: &str) -> Option<String> {
    let (importer, imported) = (top(from), top(path));
    let strange = |a: &str, b: &str| from.starts_with(a) && path.starts_with(b);
    if STRANGERS.iter().any(|(a, b)| strange(a, b) || strange(b, a)) {
        return Some(format!("{from} and {path} never import each other"));
    }
    let (from_place, path_place) = (place(importer)?, place(imported)?);
    let fine = importer == imported || path_place < from_place || path_place.max(from_place) < WORDS;
    (!fine).then(|| format!("{from} imports {path}, which stands after it"))
}

fn assert_none(what: &str, faults: Vec<String>) {
    assert!(faults.is_empty(), "{what}:\n  {}", faults.join("\n  "));
}

#[test]
fn every_module_has_its_place_in_the_order() {
    let strays = sources().into_iter().filter(|source| source.module != "lib" && place(top(&source.module)).is_none());
    assert_none("modules that the order does not name", strays.map(|source| source.module).collect());
}

#[test]
fn modules_import_only_from_those_above_them() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.module != "lib") {
        faults.extend(named_paths(&source.text).iter().filter_map(|path| fault(&source.module, path)));
    }
    assert_none("imports against the order", faults);
}

#[test]
fn the_order_is_enforced() {
    let text = "use crate::{value::{Cell, Value}, llm};\n// use crate::web;\nlet x: crate::sql::Refusal = y;\nuse crate::ask::prompt;";
    assert_eq!(named_paths(text), ["value", "llm", "sql::Refusal", "ask::prompt"]);
    for (from, path, fine) in [
        ("sql::guard", "schema::Field", true),
        ("sql::guard", "sql::Refusal", true),
        ("sql::guard", "engine::Engine", false),
        ("ids", "note::Note", true),
        ("value", "sheet", false),
        ("ask::prompt", "ingest::load", false),
        ("ingest", "ask", false),
        ("app", "ask", true),
        ("engine::embedded::segment", "engine::elastic", false),
        ("engine::elastic", "engine::embedded", false),
        ("engine::embedded", "engine::Snapshot", true),
    ] {
        assert_eq!(fault(from, path).is_none(), fine, "{from} {path}");
    }
}

#[test]
fn a_file_is_one_concept() {
    let long = sources().into_iter().filter_map(|source| {
        let lines = source.text.lines().count();
        (lines > LINES).then(|| format!("{} has {lines} lines", source.path.display()))
    });
    assert_none("files over 400 lines", long.collect());
}

#[test]
fn no_file_is_a_drawer() {
    let drawers = ["utils", "util", "helpers", "helper", "common", "misc"];
    let named = sources().into_iter().filter(|source| source.module.split("::").any(|part| drawers.contains(&part)));
    assert_none("files without a concept", named.map(|source| source.module).collect());
}

#[test]
fn a_module_says_what_it_is_for() {
    let silent =
        sources().into_iter().filter(|source| source.path.ends_with("mod.rs") && !source.text.starts_with("//!"));
    assert_none("mod.rs without //! text", silent.map(|source| source.module).collect());
}

#[test]
fn lints_are_not_silenced() {
    let silencer = Regex::new(r"#!?\[allow\(").expect("a valid pattern");
    let silenced = sources().into_iter().filter(|source| silencer.is_match(&source.text));
    assert_none("files with allow(…)", silenced.map(|source| source.module).collect());
}

#[test]
fn only_the_command_line_prints() {
    let print = Regex::new(r"\be?print(ln)?!").expect("a valid pattern");
    let tests = |module: &str| module.split("::").any(|part| part == "tests");
    let printers =
        sources().into_iter().filter(|source| !matches!(top(&source.module), "cli" | "main") && !tests(&source.module));
    let printers =
        printers.filter(|source| print.is_match(source.text.split("#[cfg(test)]").next().unwrap_or_default()));
    assert_none("files that print", printers.map(|source| source.module).collect());
}
