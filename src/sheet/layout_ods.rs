//! The layout of an ods workbook's sheets, from its one content part.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::grid::Merge;
use super::layout::{Layout, Span, attribute};
use super::layout_cells::is_long;

/// Columns of the largest sheet; what is said to repeat beyond it is formatting.
const MOST_COLUMNS: u32 = 16_384;

/// The layouts in the order of the tables.
pub(super) fn sheets(part: impl BufRead) -> Vec<Layout> {
    let mut reader = Reader::from_reader(part);
    let mut walk = Walk::default();
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => walk.enter(&element, false),
            Ok(Event::Empty(element)) => walk.enter(&element, true),
            Ok(Event::End(element)) if element.local_name().as_ref() == "table-row" => walk.end_row(),
            Ok(Event::Eof) | Err(_) => return walk.sheets,
            Ok(_) => {}
        }
        buffer.clear();
    }
}

/// The place in the sheet that is read.
#[derive(Default)]
struct Walk {
    sheets: Vec<Layout>,
    row: u32,
    rows: u32,
    column: u32,
    /// Columns that were described so far.
    described: u32,
}

impl Walk {
    fn enter(&mut self, element: &BytesStart<'_>, empty: bool) {
        match element.local_name().as_ref() {
            "table" => {
                self.sheets.push(Layout::default());
                (self.row, self.rows, self.column, self.described) = (0, 0, 0, 0);
            }
            "table-column" => self.columns(element),
            "table-row" => self.begin_row(element, empty),
            "table-cell" | "covered-table-cell" => self.cell(element, empty),
            _ => {}
        }
    }

    fn columns(&mut self, element: &BytesStart<'_>) {
        let first = self.described;
        self.described = first.saturating_add(count(element, "number-columns-repeated"));
        let last = self.described.min(MOST_COLUMNS);
        if let Some(layout) = self.sheets.last_mut().filter(|_| is_hidden(element) && last > first) {
            layout.hidden_columns.push((first, last - 1));
        }
    }

    fn begin_row(&mut self, element: &BytesStart<'_>, empty: bool) {
        self.rows = count(element, "number-rows-repeated");
        self.column = 0;
        let span: Span = (self.row, self.row.saturating_add(self.rows - 1));
        if let Some(layout) = self.sheets.last_mut().filter(|_| is_hidden(element)) {
            layout.hidden_rows.push(span);
        }
        if empty {
            self.end_row();
        }
    }

    fn end_row(&mut self) {
        self.row = self.row.saturating_add(self.rows);
    }

    fn cell(&mut self, element: &BytesStart<'_>, empty: bool) {
        let columns = count(element, "number-columns-repeated");
        if let Some(layout) = self.sheets.last_mut().filter(|_| !empty || attribute(element, "value-type").is_some()) {
            layout.extent.take((self.row, self.rows), (self.column, columns));
        }
        self.value(element, columns);
        let (wide, tall) = (count(element, "number-columns-spanned"), count(element, "number-rows-spanned"));
        if let Some(layout) = self.sheets.last_mut().filter(|_| wide > 1 || tall > 1) {
            layout.merges.push(Merge {
                first_row: self.row,
                last_row: self.row.saturating_add(tall - 1),
                first_column: self.column,
                last_column: self.column.saturating_add(wide - 1),
            });
        }
        self.column = self.column.saturating_add(count(element, "number-columns-repeated"));
    }

    /// Digits that a double does not keep, and formulas without a value.
    fn value(&mut self, element: &BytesStart<'_>, columns: u32) {
        let Some(layout) = self.sheets.last_mut().filter(|_| columns == 1 && self.rows == 1) else { return };
        let kind = attribute(element, "value-type");
        if kind.is_none() && attribute(element, "formula").is_some() {
            layout.uncalculated.push((self.row, self.column));
        }
        let digits = attribute(element, "value").filter(|digits| is_long(digits.as_bytes()));
        layout.digits.extend(digits.map(|digits| (self.row, self.column, digits)));
    }
}

fn is_hidden(element: &BytesStart<'_>) -> bool {
    attribute(element, "visibility").is_some_and(|value| value == "collapse" || value == "filter")
}

/// At least 1.
fn count(element: &BytesStart<'_>, name: &str) -> u32 {
    attribute(element, name).and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_visibility_tell_the_layout() {
        let xml = r#"<office:spreadsheet><table:table table:name="a"><table:table-column table:number-columns-repeated="2"/>
            <table:table-column table:visibility="collapse"/>
            <table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>
            <table:table-row table:visibility="filter"><table:table-cell table:number-columns-repeated="2"/>
            <table:table-cell table:number-columns-spanned="1" table:number-rows-spanned="3"><text:p>x</text:p></table:table-cell></table:table-row>
            </table:table><table:table table:name="b"/></office:spreadsheet>"#;
        let sheets = sheets(xml.as_bytes());
        assert_eq!(sheets.len(), 2);
        assert_eq!((&sheets[0].hidden_rows, &sheets[0].hidden_columns), (&vec![(2, 2)], &vec![(2, 2)]));
        assert_eq!(sheets[0].merges, [Merge { first_row: 2, last_row: 4, first_column: 2, last_column: 2 }]);
    }
}
