//! Texts added to documents by hand.
//!
//! They go with their document, stay when it is parsed anew, and are rows of no table.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, Sqlite, Transaction};

use super::database::{Catalog, CatalogError, json, now, parsed};
use super::datasets::limit;
use crate::ids::Id;
use crate::tokens;

/// A text of a document.
#[derive(Debug, Clone)]
pub struct TextRecord {
    /// 16 hex digits.
    pub id: String,
    pub document: Id,
    pub document_name: String,
    pub kb: Id,
    /// As it was sent.
    pub content: String,
    pub keywords: Vec<String>,
    pub questions: Vec<String>,
    /// Page, left, right, top, bottom.
    pub positions: Vec<[u64; 5]>,
    /// Search finds it.
    pub available: bool,
    /// Milliseconds since 1970.
    pub created: i64,
}

/// A text that is to be kept.
#[derive(Debug, Clone, Default)]
pub struct NewText {
    pub content: String,
    pub keywords: Vec<String>,
    pub questions: Vec<String>,
}

pub(super) const TEXT: &str = "SELECT free_text.*, document.name AS document_name, document.kb AS kb FROM free_text
    JOIN document ON document.id = free_text.document WHERE document.gone = 0";

type Write<'a> = Transaction<'a, Sqlite>;

impl Catalog {
    /// Keeps a text; one of the same content that is there takes the new keywords and questions. `None` where the document is gone.
    pub async fn add_text(&self, document: Id, text: &NewText) -> Result<Option<TextRecord>, CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let is_there: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM document WHERE id = ? AND gone = 0)")
            .bind(document.to_string())
            .fetch_one(&mut *transaction)
            .await?;
        if !is_there {
            return Ok(None);
        }
        let id = id_of(&mut transaction, document, &text.content).await?;
        let no: i64 = sqlx::query_scalar(
            "INSERT INTO free_text (id, document, content, keywords, questions, created) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (document, id) DO UPDATE SET keywords = excluded.keywords, questions = excluded.questions,
                 times = times + 1, available = 1, created = excluded.created RETURNING no",
        )
        .bind(&id)
        .bind(document.to_string())
        .bind(&text.content)
        .bind(list(&text.keywords)?)
        .bind(list(&text.questions)?)
        .bind(now())
        .fetch_one(&mut *transaction)
        .await?;
        put_words(&mut transaction, no, &text.content, &text.keywords, &text.questions).await?;
        transaction.commit().await?;
        self.text(document, &id).await
    }

    /// The document's text of this id.
    pub async fn text(&self, document: Id, id: &str) -> Result<Option<TextRecord>, CatalogError> {
        let row = sqlx::query(sqlx::AssertSqlSafe(format!("{TEXT} AND free_text.document = ? AND free_text.id = ?")))
            .bind(document.to_string())
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// A page of the document's texts in the order they were added, and how many there are on all pages.
    pub async fn texts(&self, document: Id, skip: u64, take: u64) -> Result<(Vec<TextRecord>, u64), CatalogError> {
        let total: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM free_text WHERE document = ?")
            .bind(document.to_string())
            .fetch_one(&self.pool)
            .await?;
        let page = format!("{TEXT} AND free_text.document = ? ORDER BY free_text.no LIMIT ? OFFSET ?");
        let rows = sqlx::query(sqlx::AssertSqlSafe(page))
            .bind(document.to_string())
            .bind(limit(take))
            .bind(limit(skip))
            .fetch_all(&self.pool)
            .await?;
        Ok((rows.iter().map(record).collect::<Result<_, _>>()?, u64::try_from(total).unwrap_or(0)))
    }

    /// Whether any document of the owner has a text of this id.
    pub async fn has_text(&self, owner: Id, id: &str) -> Result<bool, CatalogError> {
        let found = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM free_text JOIN document ON document.id = free_text.document
                            JOIN kb ON kb.id = document.kb WHERE free_text.id = ? AND kb.owner = ? AND document.gone = 0)",
        );
        Ok(found.bind(id).bind(owner.to_string()).fetch_one(&self.pool).await?)
    }

    /// Keeps a text that was changed.
    pub async fn update_text(&self, text: &TextRecord) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let no: Option<i64> = sqlx::query_scalar(
            "UPDATE free_text SET content = ?, keywords = ?, questions = ?, positions = ?, available = ?
             WHERE document = ? AND id = ? RETURNING no",
        )
        .bind(&text.content)
        .bind(list(&text.keywords)?)
        .bind(list(&text.questions)?)
        .bind(list(&text.positions)?)
        .bind(text.available)
        .bind(text.document.to_string())
        .bind(&text.id)
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(no) = no {
            put_words(&mut transaction, no, &text.content, &text.keywords, &text.questions).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Removes texts of a document, all of them where none are named; those of the named that were there.
    pub async fn remove_texts(&self, document: Id, ids: Option<&[String]>) -> Result<Vec<String>, CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let mut removed = Vec::new();
        match ids {
            None => {
                removed = sqlx::query_scalar("DELETE FROM free_text WHERE document = ? RETURNING id")
                    .bind(document.to_string())
                    .fetch_all(&mut *transaction)
                    .await?;
            }
            Some(ids) => {
                for id in ids {
                    let found: Option<String> =
                        sqlx::query_scalar("DELETE FROM free_text WHERE document = ? AND id = ? RETURNING id")
                            .bind(document.to_string())
                            .bind(id)
                            .fetch_optional(&mut *transaction)
                            .await?;
                    removed.extend(found);
                }
            }
        }
        transaction.commit().await?;
        Ok(removed)
    }
}

/// The id of a content: the same for the same content in the same document, and never that of a text which was changed since.
async fn id_of(transaction: &mut Write<'_>, document: Id, content: &str) -> Result<String, CatalogError> {
    let known: Option<String> =
        sqlx::query_scalar("SELECT id FROM free_text WHERE document = ? AND content = ? LIMIT 1")
            .bind(document.to_string())
            .bind(content)
            .fetch_optional(&mut **transaction)
            .await?;
    if let Some(known) = known {
        return Ok(known);
    }
    let mut salt = 0_u32;
    loop {
        let id = hash(document, content, salt);
        let taken: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM free_text WHERE document = ? AND id = ?)")
            .bind(document.to_string())
            .bind(&id)
            .fetch_one(&mut **transaction)
            .await?;
        if !taken {
            return Ok(id);
        }
        salt += 1;
    }
}

fn hash(document: Id, content: &str, salt: u32) -> String {
    let digest = Sha256::digest(format!("{document} {salt} {content}").as_bytes());
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps the words of a text in the place of those of before.
async fn put_words(
    transaction: &mut Write<'_>,
    no: i64,
    content: &String,
    keywords: &[String],
    questions: &[String],
) -> Result<(), CatalogError> {
    let mut counts: HashMap<String, i64> = HashMap::new();
    for part in std::iter::once(content).chain(keywords).chain(questions) {
        tokens::each(part, |word| *counts.entry(word.to_owned()).or_default() += 1);
    }
    sqlx::query("DELETE FROM free_word WHERE text = ?").bind(no).execute(&mut **transaction).await?;
    for (word, count) in &counts {
        sqlx::query("INSERT INTO free_word (word, text, count) VALUES (?, ?, ?)")
            .bind(word)
            .bind(no)
            .bind(count)
            .execute(&mut **transaction)
            .await?;
    }
    sqlx::query("UPDATE free_text SET length = ? WHERE no = ?")
        .bind(counts.values().sum::<i64>())
        .bind(no)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

fn list(values: &impl serde::Serialize) -> Result<String, CatalogError> {
    serde_json::to_string(values).map_err(|error| CatalogError::Damaged(error.to_string()))
}

pub(super) fn record(row: &SqliteRow) -> Result<TextRecord, CatalogError> {
    Ok(TextRecord {
        id: row.get("id"),
        document: parsed(row.get("document"))?,
        document_name: row.get("document_name"),
        kb: parsed(row.get("kb"))?,
        content: row.get("content"),
        keywords: json(row.get("keywords"))?,
        questions: json(row.get("questions"))?,
        positions: json(row.get("positions"))?,
        available: row.get("available"),
        created: row.get("created"),
    })
}
