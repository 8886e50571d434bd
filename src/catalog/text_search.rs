//! Texts added by hand, by relevance: BM25 over those in scope, whatever engine holds the rows.

use std::collections::{HashMap, HashSet};

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite, Transaction};

use super::database::{Catalog, CatalogError, count, parsed};
use super::texts::{TEXT, TextRecord, record};
use crate::ids::Id;
use crate::sql::Scope;
use crate::tokens::tokens;

/// How soon a word that repeats adds nothing more, and how much a long text counts against itself: the usual values.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// One word of the question in one text.
struct Posting {
    word: String,
    text: i64,
    count: f64,
    length: f64,
}

/// What the texts in scope come to.
#[derive(Default)]
struct Totals {
    texts: f64,
    words: f64,
}

impl Catalog {
    /// The available texts of enabled documents in scope that have a word of the question, best first.
    pub async fn find_texts(&self, scope: &Scope, words: &str, top: usize) -> Result<Vec<TextRecord>, CatalogError> {
        let words: HashSet<String> = tokens(words).into_iter().collect();
        if words.is_empty() || scope.kbs.is_empty() {
            return Ok(Vec::new());
        }
        let mut read = self.pool.begin().await?;
        let totals = totals(&mut read, scope).await?;
        if totals.texts == 0.0 {
            return Ok(Vec::new());
        }
        let mut best = ranked(&postings(&mut read, scope, &words).await?, &totals);
        best.truncate(top);
        let mut found = texts(&mut read, &best).await?;
        Ok(best.into_iter().filter_map(|no| found.remove(&no)).collect())
    }
}

const SEEN: &str = " FROM free_text JOIN document ON document.id = free_text.document
    WHERE free_text.available = 1 AND document.enabled = 1 AND document.gone = 0 AND document.kb IN (";

fn within(sql: &mut QueryBuilder<Sqlite>, scope: &Scope) {
    let mut kbs = sql.separated(", ");
    for kb in &scope.kbs {
        kbs.push_bind(kb.to_string());
    }
    sql.push(")");
}

/// The documents that count; `None` is all of them.
fn named(scope: &Scope) -> Option<HashSet<Id>> {
    scope.docs.as_ref().map(|docs| docs.iter().copied().collect())
}

fn counts(named: &Option<HashSet<Id>>, row: &SqliteRow) -> Result<bool, CatalogError> {
    let document = parsed(row.get("document"))?;
    Ok(named.as_ref().is_none_or(|named| named.contains(&document)))
}

async fn totals(read: &mut Transaction<'_, Sqlite>, scope: &Scope) -> Result<Totals, CatalogError> {
    let mut sql = QueryBuilder::new("SELECT free_text.document, COUNT(*) AS texts, SUM(length) AS words");
    sql.push(SEEN);
    within(&mut sql, scope);
    sql.push(" GROUP BY free_text.document");
    let (mut totals, named) = (Totals::default(), named(scope));
    for row in sql.build().fetch_all(&mut **read).await? {
        if counts(&named, &row)? {
            totals.texts += count(&row, "texts") as f64;
            totals.words += count(&row, "words") as f64;
        }
    }
    Ok(totals)
}

async fn postings(
    read: &mut Transaction<'_, Sqlite>,
    scope: &Scope,
    words: &HashSet<String>,
) -> Result<Vec<Posting>, CatalogError> {
    let mut sql = QueryBuilder::new(
        "SELECT free_word.word, free_word.count, free_text.no, free_text.length, free_text.document FROM free_word
         JOIN free_text ON free_text.no = free_word.text JOIN document ON document.id = free_text.document
         WHERE free_text.available = 1 AND document.enabled = 1 AND document.gone = 0 AND free_word.word IN (",
    );
    let mut asked = sql.separated(", ");
    for word in words {
        asked.push_bind(word.clone());
    }
    sql.push(") AND document.kb IN (");
    within(&mut sql, scope);
    let (mut postings, named) = (Vec::new(), named(scope));
    for row in sql.build().fetch_all(&mut **read).await? {
        if counts(&named, &row)? {
            let (count, length) = (count(&row, "count") as f64, count(&row, "length") as f64);
            postings.push(Posting { word: row.get("word"), text: row.get("no"), count, length });
        }
    }
    Ok(postings)
}

/// Numbers of the texts, best first; of equals the one that was added first.
fn ranked(postings: &[Posting], totals: &Totals) -> Vec<i64> {
    let mut holders: HashMap<&str, f64> = HashMap::new();
    for posting in postings {
        *holders.entry(&posting.word).or_default() += 1.0;
    }
    let usual = (totals.words / totals.texts).max(1.0);
    let mut scores: HashMap<i64, f64> = HashMap::new();
    for posting in postings {
        let holders = holders[posting.word.as_str()];
        let rarity = (1.0 + (totals.texts - holders + 0.5) / (holders + 0.5)).ln();
        let against = SATURATION * (1.0 - LENGTH + LENGTH * posting.length / usual);
        let weight = posting.count * (SATURATION + 1.0) / (posting.count + against);
        *scores.entry(posting.text).or_default() += rarity * weight;
    }
    let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
    best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    best.into_iter().map(|(no, _)| no).collect()
}

async fn texts(read: &mut Transaction<'_, Sqlite>, numbers: &[i64]) -> Result<HashMap<i64, TextRecord>, CatalogError> {
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let mut sql = QueryBuilder::new(TEXT);
    sql.push(" AND free_text.no IN (");
    let mut named = sql.separated(", ");
    for no in numbers {
        named.push_bind(*no);
    }
    sql.push(")");
    let rows = sql.build().fetch_all(&mut **read).await?;
    rows.iter().map(|row| Ok((row.get("no"), record(row)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(word: &str, text: i64, count: f64, length: f64) -> Posting {
        Posting { word: word.into(), text, count, length }
    }

    #[test]
    fn rare_words_and_short_texts_weigh_more() {
        let totals = Totals { texts: 4.0, words: 40.0 };
        let common = [("a", 1), ("a", 2), ("a", 3)].map(|(word, text)| posting(word, text, 1.0, 10.0));
        let all = common.into_iter().chain([posting("rare", 4, 1.0, 10.0), posting("a", 5, 1.0, 30.0)]);
        assert_eq!(ranked(&all.collect::<Vec<_>>(), &totals), [4, 1, 2, 3, 5]);
        let twice = [posting("a", 1, 1.0, 10.0), posting("a", 2, 3.0, 10.0)];
        assert_eq!(ranked(&twice, &totals), [2, 1]);
    }
}
