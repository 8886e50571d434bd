//! The command with its engine chosen by the environment, from the first file to the last row.

use std::path::Path;

use super::{engine, nodes, shared};
use crate::binary::{Run, fixture};

#[test]
fn doctor_names_the_embedded_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = Run::new(&["doctor"]).data(folder.path()).ran().ends(0);
    assert!(ran.stdout.contains("engine: embedded\n"), "{ran:?}");
}

#[test]
fn a_server_is_chosen_by_the_environment_and_named_by_doctor() {
    let _shared = shared();
    for node in nodes() {
        let folder = tempfile::tempdir().expect("a folder");
        let prefix = engine(&node.address).index_prefix;
        let run = |folder: &Path, words: &[&str]| {
            let run = Run::new(words).data(folder).env("ENGINE_URL", &node.address);
            run.env("SHEETWISE_ENGINE_INDEX_PREFIX", &prefix).ran().ends(0)
        };
        let (product, version) = node.name.split_once('-').expect("a product and its version");
        run(folder.path(), &["kb", "create", "k"]);
        run(folder.path(), &["kb", "add", "k", &fixture("two_kb_a.csv")]);
        let health = run(folder.path(), &["doctor", "--json"]).document();
        assert_eq!(health["engine"], product);
        assert!(health["version"].as_str().is_some_and(|full| full.starts_with(version)), "{health}");
        assert_eq!(health["indexes"][0]["rows"], 8, "{health}");
        let answer = run(folder.path(), &["sql", "--json", "--kb", "k", "SELECT SUM(qty) FROM two_kb_a"]).document();
        assert_eq!(answer["rows"].to_string(), "[[77]]");
        // Another folder sees and sweeps nothing of it.
        let other = tempfile::tempdir().expect("a folder");
        run(other.path(), &["kb", "create", "k"]);
        run(other.path(), &["kb", "add", "k", &fixture("two_kb_b.csv")]);
        run(other.path(), &["kb", "remove", "k"]);
        let health = run(folder.path(), &["doctor", "--json"]).document();
        assert_eq!(health["indexes"].as_array().map(Vec::len), Some(1), "{health}");
        run(folder.path(), &["kb", "remove", "k"]);
        assert_eq!(run(folder.path(), &["doctor", "--json"]).document()["indexes"].to_string(), "[]");
    }
}
