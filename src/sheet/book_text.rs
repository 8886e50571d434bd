//! Books of one delimited text.

use std::path::Path;
use std::sync::OnceLock;

use super::book::{Body, Book, Source, columns, form_note, header_texts};
use super::chosen;
use super::delimited::{self, Delimited};
use super::grid::Grid;
use super::regions::{self, Block};
use super::rows::Spot;
use super::workbook::Sheet;
use super::{ReadError, ReadOptions, Region, SheetKind};
use crate::config::ReadLimits;
use crate::note::{Note, Place};

impl Book {
    pub(super) fn of_text(
        path: &Path,
        file: String,
        options: &ReadOptions,
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        chosen::sheets(options, &[&sheet_name(&file)], &file)?;
        let text = Delimited::open(path, &file, limits)?;
        if let Some((sheet, unclosed)) = text.several_tables(options)? {
            return Self::of_short_text(&text, sheet, unclosed, file, options, limits);
        }
        if options.header_rows.is_none()
            && let Some(heads) = text.sections()?
        {
            let blocks = regions::find(&heads, None);
            if blocks.len() > 1 {
                return Self::of_blocks(text, &heads, blocks, file, options, limits);
            }
        }
        let head = text.head(options)?;
        chosen::header(options, chosen::last_row(&head), &file)?;
        let block = regions::find_in_text(&head, options.header_rows).ok_or(ReadError::Empty { file: file.clone() })?;
        Self::of_blocks(text, &head, vec![block], file, options, limits)
    }

    /// A text that was read whole, as a sheet.
    fn of_short_text(
        text: &Delimited,
        grid: Grid,
        unclosed: Vec<u64>,
        file: String,
        options: &ReadOptions,
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        let name = sheet_name(&file);
        let spot = Spot { file: &file, sheet: &name, turned: false };
        let unclosed: Vec<Note> = unclosed.into_iter().map(|row| delimited::unclosed_quote(&spot, row)).collect();
        let sheets = vec![Sheet::of(name.clone(), grid)];
        let mut book = Self::of_sheets(sheets, text.format(), file.clone(), options, limits)?;
        book.notes.extend(unclosed);
        if let Some(first) = book.regions.first_mut() {
            first.titles.splice(0..0, text.comments.iter().cloned());
        }
        book.encoding = Some(text.coding.name());
        book.delimiter = Some(text.delimiter());
        Ok(book)
    }

    /// The tables of a text that is streamed; `heads` has the first rows of each.
    fn of_blocks(
        text: Delimited,
        heads: &Grid,
        blocks: Vec<Block>,
        file: String,
        options: &ReadOptions,
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        let (encoding, delimiter) = (text.coding.name(), text.delimiter());
        let comments = text.comments.clone();
        let mut book = Self::empty(file.clone(), text.format(), options, limits, Source::Text(text));
        (book.encoding, book.delimiter) = (Some(encoding), Some(delimiter));
        let place = Place { file: &file, ..Place::default() };
        let starts: Vec<u64> =
            blocks.iter().skip(1).zip(&blocks).map(|(_, before)| heads.shown(before.last + 1)).collect();
        for (n, block) in blocks.into_iter().enumerate() {
            let (columns, notes) = columns(&block, &place, limits, &file)?;
            book.notes.extend(notes.into_iter().chain(form_note(&block, &place)));
            let first = if block.header.body < heads.len() { heads.shown(block.header.body) - 1 } else { u64::MAX };
            let after = block.header.rows.last().map_or(first, |row| heads.shown(*row));
            let span = (after, starts.get(n).map_or(u64::MAX, |next| next - 1));
            let header = header_texts(heads, &block);
            book.bodies.push(Body { sheet: 0, rows: (0, 0), span, header, known: OnceLock::new() });
            let own = comments.iter().filter(|_| n == 0).cloned();
            book.regions.push(Region {
                sheet: sheet_name(&file),
                kind: SheetKind::Data,
                hidden: false,
                part: n + 1,
                area: None,
                turned: false,
                header_rows: block.header.rows.iter().map(|row| heads.shown(*row)).collect(),
                titles: own.chain(block.header.titles).collect(),
                columns,
            });
        }
        Ok(book)
    }
}

/// The one sheet of a text file is called like the file, without its ending.
pub(super) fn sheet_name(file: &str) -> String {
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => file.to_owned(),
    }
}
