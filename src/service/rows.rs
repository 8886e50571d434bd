//! Rows of a document in the order of its sheets, then its texts, page by page.

use std::sync::Arc;

use super::{Dataset, Document, Service, ServiceError};
use crate::app::Session;
use crate::ask::Chunk;
use crate::ids::{Id, row_id};
use crate::ingest::{FileReport, SheetReport};

/// A page of a document's rows and texts.
#[derive(Debug, Clone, Default)]
pub struct RowPage {
    pub rows: Vec<Chunk>,
    /// On all pages.
    pub total: u64,
}

/// Rows of one table region that a page wants.
struct Stretch {
    table: String,
    statement: String,
}

impl Service {
    /// `take` rows and texts of a document after the first `skip`.
    pub async fn chunks(
        self: &Arc<Self>,
        dataset: &Dataset,
        document: &Document,
        skip: u64,
        take: u64,
    ) -> Result<RowPage, ServiceError> {
        let rows = document.record.rows;
        let mut page = self.rows(dataset, document, skip, take.min(rows.saturating_sub(skip))).await?;
        let (skip, take) = (skip.saturating_sub(rows), take.min(skip.saturating_add(take).saturating_sub(rows)));
        let (texts, total) = self.app.catalog().texts(document.record.id, skip, take).await?;
        page.rows.extend(texts.into_iter().map(Chunk::from));
        page.total = rows + total;
        Ok(page)
    }

    /// `take` rows of a document after the first `skip`.
    pub async fn rows(
        self: &Arc<Self>,
        dataset: &Dataset,
        document: &Document,
        skip: u64,
        take: u64,
    ) -> Result<RowPage, ServiceError> {
        let Some(report) = self.report(document).await? else { return Ok(RowPage::default()) };
        let total = document.record.rows;
        let session = self.session(std::slice::from_ref(dataset), Some(vec![document.record.id])).await?;
        let stretches = stretches(&report, skip, take);
        let statements: Vec<String> = stretches
            .into_iter()
            .filter(|stretch| session.schema().table(&stretch.table).is_some())
            .map(|stretch| stretch.statement)
            .collect();
        let most = usize::try_from(take).unwrap_or(usize::MAX);
        let rows = self.in_turn(move |service, runtime| {
            runtime.block_on(async {
                let mut rows = Vec::new();
                for statement in &statements {
                    rows.extend(service.app.cited(&session, statement, most).await?);
                }
                Ok(rows)
            })
        });
        Ok(RowPage { rows: rows.await?, total })
    }
}

impl Service {
    /// The document's text of this id, or its row with those that stand at most so many lines above and below it in its table.
    pub async fn around(
        self: &Arc<Self>,
        dataset: &Dataset,
        document: &Document,
        id: &str,
        lines: u64,
    ) -> Result<Vec<Chunk>, ServiceError> {
        if let Some(text) = self.app.catalog().text(document.record.id, id).await? {
            return Ok(vec![text.into()]);
        }
        let Some(report) = self.report(document).await? else { return Ok(Vec::new()) };
        let session = self.session(std::slice::from_ref(dataset), Some(vec![document.record.id])).await?;
        let (document, id) = (document.record.id, id.to_owned());
        let rows = self.in_turn(move |service, runtime| {
            let Some(statement) = near(&report, document, &id, lines) else { return Ok(Vec::new()) };
            let most = usize::try_from(lines.saturating_mul(2).saturating_add(1)).unwrap_or(usize::MAX);
            runtime.block_on(service.app.cited(&session, &statement, most))
        });
        rows.await
    }

    /// The rows and texts in the session's scope that words find, best first.
    pub async fn found(
        self: &Arc<Self>,
        session: Session,
        words: String,
        top: usize,
    ) -> Result<Vec<Chunk>, ServiceError> {
        self.in_turn(move |service, runtime| runtime.block_on(service.app.found(&session, &words, top))).await
    }
}

/// The statement for the row of this id and its neighbours: ids are made from places, so no row is read to find one.
fn near(report: &FileReport, document: Id, id: &str, lines: u64) -> Option<String> {
    let stored = report.sheets.iter().filter(|sheet| sheet.rows_stored > 0);
    stored.filter_map(|sheet| Some((sheet.table.as_ref()?, sheet))).find_map(|(table, sheet)| {
        let row = (sheet.first_row..=sheet.last_row).find(|row| row_id(document, &sheet.name, *row) == id)?;
        let first_row = row.saturating_sub(lines).max(sheet.first_row);
        let last_row = row.saturating_add(lines).min(sheet.last_row);
        let near = SheetReport { first_row, last_row, ..sheet.clone() };
        Some(statement(table, &near, 0, last_row - first_row + 1))
    })
}

/// Which rows of which regions a page has.
fn stretches(report: &FileReport, mut skip: u64, mut take: u64) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    for sheet in &report.sheets {
        let Some(table) = sheet.table.clone().filter(|_| sheet.rows_stored > 0) else { continue };
        let skipped = skip.min(sheet.rows_stored);
        let taken = take.min(sheet.rows_stored - skipped);
        if taken > 0 {
            stretches.push(Stretch { statement: statement(&table, sheet, skipped, taken), table });
        }
        (skip, take) = (skip - skipped, take - taken);
    }
    stretches
}

/// A region is told by its sheet and its rows.
fn statement(table: &str, sheet: &SheetReport, skip: u64, take: u64) -> String {
    let name = sheet.name.replace('\'', "''");
    let (first, last) = (sheet.first_row, sheet.last_row);
    format!(
        "SELECT row_long FROM {table} WHERE sheet_kwd = '{name}' AND row_long BETWEEN {first} AND {last} \
         ORDER BY row_long LIMIT {take} OFFSET {skip}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(name: &str, rows: u64) -> SheetReport {
        SheetReport { name: name.into(), rows_stored: rows, table: Some("t".into()), ..SheetReport::default() }
    }

    #[test]
    fn a_page_goes_on_over_the_sheets() {
        let sheets = vec![sheet("一", 3), sheet("empty", 0), sheet("it's", 4)];
        let report = FileReport { sheets, ..FileReport::default() };
        let tails = |skip, take| -> Vec<String> {
            let all = stretches(&report, skip, take).into_iter();
            all.map(|stretch| stretch.statement.split("LIMIT ").last().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(tails(0, 10), ["3 OFFSET 0", "4 OFFSET 0"]);
        assert_eq!(tails(2, 2), ["1 OFFSET 2", "1 OFFSET 0"]);
        assert_eq!(tails(3, 2), ["2 OFFSET 0"]);
        assert!(tails(7, 5).is_empty());
        assert!(stretches(&report, 4, 1)[0].statement.contains("'it''s'"));
    }
}
