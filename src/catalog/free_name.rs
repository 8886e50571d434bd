//! A name that nothing else has yet: `sales`, `sales(1)`, `sales(2)`; `a.csv`, `a(1).csv`.

use std::collections::HashSet;

/// The name, or with the first free number before its extension. `taken` holds lower-case names.
pub(super) fn free_name(name: &str, taken: &HashSet<String>) -> String {
    if !taken.contains(&name.to_lowercase()) {
        return name.to_owned();
    }
    let (stem, extension) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    let (stem, mut n) = numbered(stem);
    loop {
        n += 1;
        let candidate = format!("{stem}({n}){extension}");
        if !taken.contains(&candidate.to_lowercase()) {
            return candidate;
        }
    }
}

/// `a(3)` is `a` and 3.
fn numbered(stem: &str) -> (&str, u64) {
    let inner = stem.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match inner.and_then(|(stem, digits)| Some((stem, digits.parse().ok()?))) {
        Some((stem, n)) if !stem.is_empty() => (stem.trim_end(), n),
        _ => (stem, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_the_next_number() {
        let taken: HashSet<String> = ["sales", "a.csv", "a(1).csv", "x(1)", "x"].map(str::to_owned).into();
        for (name, free) in [
            ("new", "new"),
            ("SALES", "SALES(1)"),
            ("a.csv", "a(2).csv"),
            ("a(1).csv", "a(2).csv"),
            ("x", "x(2)"),
            (".x", ".x"),
        ] {
            assert_eq!(free_name(name, &taken), free);
        }
    }
}
