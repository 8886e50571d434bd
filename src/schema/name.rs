//! Stored names: `[a-z0-9_]`, from pinyin, unique within a table.
//!
//! Must never happen: two columns with one name; a name that needs quotes; a name of a column that only the program writes.

use std::collections::HashSet;

use datafusion::sql::sqlparser::keywords::{ALL_KEYWORDS, RESERVED_FOR_COLUMN_ALIAS, RESERVED_FOR_TABLE_ALIAS};
use pinyin::ToPinyin;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::decision::{Decision, Override, decide};
use super::field::{Field, RESERVED_COLUMNS};
use super::label::Label;
use super::profile::Profile;
use crate::value::FieldType;

/// Characters of a stem or a table name, without what makes it unique.
const LONGEST: usize = 56;

/// Words that can't stand for a table though some parsers take them as an alias.
const MORE_RESERVED: [&str; 8] = ["TABLE", "VALUES", "CASE", "CAST", "NULL", "NOT", "EXISTS", "INTERVAL"];

/// Names the columns of one table, in order; `labels` and `decisions` go together.
pub fn name_fields(labels: &[Label], decisions: &[Decision]) -> Vec<Field> {
    let mut taken = HashSet::new();
    labels.iter().zip(decisions).map(|(label, decision)| field(label, decision, &mut taken)).collect()
}

fn field(label: &Label, decision: &Decision, taken: &mut HashSet<String>) -> Field {
    let stem = unique(&stem(&label.name, "field"), |stem| !taken.contains(stem) && !is_reserved(stem, decision.kind));
    let name = format!("{stem}_{}", decision.kind.suffix());
    taken.insert(stem);
    let summary = &decision.summary;
    Field {
        name,
        label: label.text.clone(),
        kind: decision.kind,
        unit: decision.unit.clone(),
        synonyms: label.synonyms.clone(),
        allowed: label.allowed.clone(),
        nulls: summary.cells - summary.fits.min(summary.cells),
        distinct: summary.distinct,
        samples: summary.samples.clone(),
        decimals: summary.decimals,
        identifier: decision.identifier,
        range: summary.range.clone(),
        spread: summary.spread,
        unfit: summary.unfit + summary.errors,
        conversion: Some(decision.conversion()),
    }
}

/// A field counted anew over other documents; its name, type and conversion stay.
pub fn recounted(known: &Field, profile: &Profile) -> Field {
    let label = Label::parse(&known.label);
    let alike = |decision: &Decision| known.conversion.as_ref() == Some(&decision.conversion());
    let free = decide(profile, &label, None);
    let decision = if alike(&free) { free } else { decide(profile, &label, Some(&Override { kind: known.kind })) };
    let counted = field(&label, &decision, &mut HashSet::new());
    let same = known.conversion.as_ref().is_some_and(|conversion| conversion.is_as(&decision.conversion()));
    Field {
        nulls: counted.nulls,
        distinct: counted.distinct.filter(|_| same),
        samples: counted.samples,
        decimals: counted.decimals,
        range: if same { counted.range } else { known.range.clone() },
        spread: counted.spread,
        unfit: counted.unfit,
        ..known.clone()
    }
}

/// `name`, or `name_2`, `name_3` …: the first that is free.
fn unique(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (2u64..).map(|n| format!("{name}_{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_else(|| name.to_owned())
}

/// Whether the field of this stem or its exact twin would be a stored column.
fn is_reserved(stem: &str, kind: FieldType) -> bool {
    let suffixes = [kind.suffix(), if kind == FieldType::Text { "kwd" } else { kind.suffix() }];
    suffixes.iter().any(|suffix| {
        RESERVED_COLUMNS
            .iter()
            .any(|column| column.strip_suffix(suffix).and_then(|c| c.strip_suffix('_')) == Some(stem))
    })
}

/// Pinyin syllables and runs of letters and digits, joined by `_`; `empty` where there is nothing to read.
fn stem(text: &str, empty: &str) -> String {
    let mut words = Words::default();
    text.nfkc().for_each(|c| words.take(c));
    let stem = words.joined();
    match stem.as_bytes().first() {
        None => empty.to_owned(),
        Some(b'0'..=b'9') => format!("n_{stem}"),
        Some(_) => stem,
    }
}

/// Words in the making.
#[derive(Default)]
struct Words {
    done: Vec<String>,
    current: String,
}

impl Words {
    fn take(&mut self, c: char) {
        if c.is_ascii_alphanumeric() {
            self.current.push(c.to_ascii_lowercase());
        } else if let Some(pinyin) = c.to_pinyin() {
            self.end();
            self.current.extend(
                pinyin.plain().chars().map(|c| if c == 'ü' { 'v' } else { c }).filter(char::is_ascii_alphabetic),
            );
            self.end();
        } else if c.is_alphanumeric() {
            self.foreign(c);
        } else if !is_combining_mark(c) {
            self.end();
        }
    }

    /// Letters without their accents; any other letter by its number.
    fn foreign(&mut self, c: char) {
        let before = self.current.len();
        let plain = std::iter::once(c).nfkd().filter(char::is_ascii_alphanumeric);
        self.current.extend(plain.map(|c| c.to_ascii_lowercase()));
        if self.current.len() == before {
            self.end();
            self.current = format!("u{:04x}", c as u32);
            self.end();
        }
    }

    fn end(&mut self) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    /// Whole words up to the longest length; one word that is longer is cut.
    fn joined(mut self) -> String {
        self.end();
        let mut joined = String::new();
        for word in self.done {
            if joined.is_empty() {
                joined.push_str(&word[..word.len().min(LONGEST)]);
            } else if joined.len() + 1 + word.len() <= LONGEST {
                joined.push('_');
                joined.push_str(&word);
            } else {
                break;
            }
        }
        joined
    }
}

/// The name of a table from its sheet or file name; at most 60 characters (a few more where thousands share a name), none of `taken`.
pub fn table_name(label: &str, taken: &HashSet<String>) -> String {
    let name = stem(label, "table_1");
    let name = if is_keyword(&name) { format!("{name}_table") } else { name };
    unique(&name, |name| !taken.contains(name))
}

fn is_keyword(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let reserved =
        RESERVED_FOR_COLUMN_ALIAS.iter().chain(RESERVED_FOR_TABLE_ALIAS).map(|keyword| format!("{keyword:?}"));
    ALL_KEYWORDS.contains(&upper.as_str())
        && (MORE_RESERVED.contains(&upper.as_str()) || reserved.into_iter().any(|keyword| keyword == upper))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Profile, decide};
    use crate::value::Cell;

    fn names(columns: &[(&str, Cell<'_>)]) -> Vec<String> {
        let labels: Vec<Label> = columns.iter().map(|(label, _)| Label::parse(label)).collect();
        let decisions: Vec<Decision> = columns
            .iter()
            .zip(&labels)
            .map(|((_, cell), label)| {
                let mut profile = Profile::default();
                profile.observe(cell);
                decide(&profile, label, None)
            })
            .collect();
        name_fields(&labels, &decisions).into_iter().map(|field| field.name).collect()
    }

    fn text_names(labels: &[&str]) -> Vec<String> {
        names(&labels.iter().map(|label| (*label, Cell::Text("x".into()))).collect::<Vec<_>>())
    }

    #[test]
    fn stems_of_labels() {
        for (label, name) in [
            ("姓名", "xing_ming_tks"),
            ("销售额（元）", "xiao_shou_e_tks"),
            ("供应商/厂家", "gong_ying_shang_tks"),
            ("Sales Amount", "sales_amount_tks"),
            ("Q1销售", "q1_xiao_shou_tks"),
            ("2023-销售", "n_2023_xiao_shou_tks"),
            ("ＡＢＣ", "abc_tks"),
            ("Prénom", "prenom_tks"),
            ("Größe", "gro_u00df_e_tks"),
            ("绿化率", "lv_hua_lv_tks"),
            ("имя", "u0438_u043c_u044f_tks"),
            ("", "field_tks"),
            ("（万元）", "field_tks"),
            ("#", "field_tks"),
            ("__a__b__", "a_b_tks"),
        ] {
            assert_eq!(text_names(&[label]), [name], "{label}");
        }
    }

    #[test]
    fn one_stem_twice_is_numbered_in_column_order() {
        assert_eq!(text_names(&["Price (USD)", "Price (EUR)", "price"]), ["price_tks", "price_2_tks", "price_3_tks"]);
        assert_eq!(text_names(&["a", "a", "a_2"]), ["a_tks", "a_2_tks", "a_2_2_tks"]);
        assert_eq!(names(&[("价格", Cell::Integer(1)), ("价格", Cell::Decimal(1.5))]), ["jia_ge_long", "jia_ge_2_flt"]);
        assert_eq!(text_names(&["id", "index", ""]), ["id_tks", "index_tks", "field_tks"]);
    }

    #[test]
    fn stored_columns_keep_their_names() {
        assert_eq!(names(&[("Row", Cell::Integer(1))]), ["row_2_long"]);
        assert_eq!(names(&[("Row", Cell::Decimal(1.5))]), ["row_flt"]);
        assert_eq!(
            text_names(&["Table", "Title", "Sheet", "docnm"]),
            ["table_2_tks", "title_2_tks", "sheet_2_tks", "docnm_2_tks"]
        );
        assert_eq!(names(&[("Table", Cell::Flag(true))]), ["table_2_kwd"]);
    }

    #[test]
    fn a_digit_first_is_prefixed() {
        assert_eq!(names(&[("2031", Cell::Integer(1))]), ["n_2031_long"]);
    }

    #[test]
    fn names_of_tables() {
        let mut taken = HashSet::new();
        for (label, name) in [
            ("一月", "yi_yue"),
            ("一月", "yi_yue_2"),
            ("2024 Sales", "n_2024_sales"),
            ("Order", "order_table"),
            ("Sheet1", "sheet1"),
            ("!!", "table_1"),
            ("!!", "table_1_2"),
        ] {
            let found = table_name(label, &taken);
            assert_eq!(found, name, "{label}");
            taken.insert(found);
        }
        let long = table_name(&"很".repeat(100), &taken);
        assert!(long.len() <= 60, "{long}");
    }
}
