//! Workbooks in one XML file, as Excel 2003 and many programs write them under the name `.xls`.
//!
//! Comes in: the text of the file. Goes out: [`Sheet`]s.
//! Must never happen: an entity that unfolds; a value other than the one that is written.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::SheetKind;
use super::convert;
use super::grid::{GridBuilder, Merge, Stored};
use super::layout::attribute;
use super::layout_cells::is_long;
use super::workbook::{COLUMNS, Sheet};

/// What every such file names.
pub(super) const MARK: &str = "urn:schemas-microsoft-com:office:spreadsheet";

/// The sheets up to the end or the first fault, which is given with them; an error where one has more cells than `most`.
pub(super) fn sheets(text: &str, most: u64) -> Result<(Vec<Sheet>, Option<String>), u64> {
    let mut reader = Reader::from_str(text);
    let mut walk = Walk::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => walk.enter(&element),
            Ok(Event::Empty(element)) => {
                walk.enter(&element);
                walk.leave(element.local_name().as_ref());
            }
            Ok(Event::End(element)) => walk.leave(element.local_name().as_ref()),
            Ok(Event::Text(text)) => walk.text(&text),
            Ok(Event::CData(text)) => walk.text(&text),
            Ok(Event::GeneralRef(name)) => {
                let character = name.resolve_char_ref().ok().flatten().or_else(|| named(&name));
                character.into_iter().for_each(|c| walk.text(c.encode_utf8(&mut [0; 4])));
            }
            Ok(Event::Eof) => return Ok((walk.sheets, None)),
            Err(error) => return walk.broken(error.to_string()),
            Ok(_) => {}
        }
        if walk.column > COLUMNS {
            return walk.broken("a cell stands beyond the last column".to_owned());
        }
        if walk.grid.len() as u64 > most {
            return Err(most);
        }
    }
}

fn named(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

#[derive(Default)]
struct Walk {
    sheets: Vec<Sheet>,
    grid: GridBuilder,
    merges: Vec<Merge>,
    /// 0-based place of the next row and cell.
    row: u32,
    column: u32,
    across: u32,
    down: u32,
    /// The type of the value that is open, and its text.
    kind: Option<String>,
    value: String,
    formula: bool,
    filled: bool,
    /// A comment of a cell is open: its text is no value.
    comment: bool,
}

impl Walk {
    fn enter(&mut self, element: &BytesStart<'_>) {
        let number = |name: &str| attribute(element, name).and_then(|n| n.parse::<u32>().ok());
        match element.local_name().as_ref() {
            "Worksheet" => {
                let name = attribute(element, "Name").unwrap_or_default();
                let name = quick_xml::escape::unescape(&name).map_or_else(|_| name.clone(), |name| name.into_owned());
                self.sheets.push(Sheet::numbered(self.sheets.len(), name));
                (self.row, self.column) = (0, 0);
            }
            "Row" => {
                self.row = number("Index").map_or(self.row, |index| index.saturating_sub(1));
                self.column = 0;
                let hidden = attribute(element, "Hidden").is_some_and(|hidden| hidden == "1");
                self.sheets
                    .last_mut()
                    .filter(|_| hidden)
                    .into_iter()
                    .for_each(|s| s.hidden_rows.push((self.row, self.row)));
            }
            "Cell" => {
                self.column = number("Index").map_or(self.column, |index| index.saturating_sub(1));
                (self.across, self.down) = (number("MergeAcross").unwrap_or(0), number("MergeDown").unwrap_or(0));
                self.formula = attribute(element, "Formula").is_some();
                self.filled = false;
            }
            "Visible" => {
                self.kind = Some(String::new());
                self.value.clear();
            }
            "Comment" => self.comment = true,
            "Data" if !self.comment => {
                self.kind = Some(attribute(element, "Type").unwrap_or_default());
                self.value.clear();
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.kind.is_some() {
            self.value.push_str(text);
        }
    }

    fn leave(&mut self, name: &str) {
        match name {
            "Worksheet" => self.end_sheet(),
            "Row" => self.row = self.row.saturating_add(1),
            "Cell" => self.end_cell(),
            "Data" => self.end_data(),
            "Visible" => self.end_visible(),
            "Comment" => self.comment = false,
            _ => {}
        }
    }

    fn end_data(&mut self) {
        let Some(kind) = self.kind.take() else { return };
        if self.value.is_empty() {
            return;
        }
        let stored = typed(&kind, &self.value).or_else(|| self.grid.texts().keep(&self.value).map(Stored::Text));
        if let Some(stored) = stored {
            self.grid.push(self.row, self.column, stored);
        }
        self.filled = true;
    }

    /// `SheetHidden`, `SheetVeryHidden`, `SheetVisible`.
    fn end_visible(&mut self) {
        let hidden = self.kind.take().is_some() && self.value.trim().ends_with("Hidden");
        self.sheets.last_mut().into_iter().for_each(|sheet| sheet.hidden |= hidden);
    }

    fn end_cell(&mut self) {
        if self.formula && !self.filled {
            self.grid.push(self.row, self.column, Stored::Error(crate::value::UNCALCULATED));
        }
        if self.across > 0 || self.down > 0 {
            self.merges.push(Merge {
                first_row: self.row,
                last_row: self.row.saturating_add(self.down),
                first_column: self.column,
                last_column: self.column.saturating_add(self.across),
            });
        }
        self.column = self.column.saturating_add(self.across).saturating_add(1);
    }

    fn end_sheet(&mut self) {
        let (grid, merges) = (std::mem::take(&mut self.grid), std::mem::take(&mut self.merges));
        let Some(sheet) = self.sheets.last_mut() else { return };
        sheet.grid = grid.build();
        sheet.grid.set_merges(merges);
        sheet.kind = match sheet.grid.len() {
            0 => SheetKind::Empty,
            _ if sheet.hidden => SheetKind::Hidden,
            _ => SheetKind::Data,
        };
    }

    /// What was read before a fault.
    fn broken(mut self, fault: String) -> Result<(Vec<Sheet>, Option<String>), u64> {
        self.end_sheet();
        Ok((self.sheets, Some(fault)))
    }
}

/// A value that is no text.
fn typed(kind: &str, value: &str) -> Option<Stored> {
    let value = value.trim();
    match kind {
        "Number" if is_long(value.as_bytes()) => None,
        "Number" => value.parse().ok().filter(|x: &f64| x.is_finite()).map(convert::float),
        "Boolean" => Some(Stored::Flag(value == "1")),
        "DateTime" => convert::iso_moment(value),
        "Error" => convert::error_of(value).map(Stored::Error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_of_a_cell_is_not_its_value() {
        let xml = r#"<Workbook><Worksheet ss:Name="A"><Table><Row><Cell><Data ss:Type="Number">7</Data>
            <Comment><ss:Data xmlns="x"><B>why</B></ss:Data></Comment></Cell>
            <Cell><Comment><ss:Data>before</ss:Data></Comment><Data ss:Type="String">b</Data></Cell>
            <Cell><Comment><ss:Data>alone</ss:Data></Comment></Cell></Row></Table></Worksheet></Workbook>"#;
        let (sheets, _) = sheets(xml, 100).expect("few cells");
        let cells: Vec<_> = sheets[0].grid.filled(0).map(|(c, cell)| format!("{c}={}", cell.text())).collect();
        assert_eq!(cells, ["0=7", "1=b"]);
    }

    #[test]
    fn a_cell_beyond_the_last_column_ends_the_sheet() {
        let xml = r#"<Workbook><Worksheet ss:Name="A"><Table><Row><Cell><Data>a</Data></Cell>
            <Cell ss:Index="4000000000"><Data>far</Data></Cell></Row></Table></Worksheet></Workbook>"#;
        let (sheets, fault) = sheets(xml, 100).expect("few cells");
        assert_eq!(fault.as_deref(), Some("a cell stands beyond the last column"));
        assert_eq!(sheets[0].grid.used(0).len(), 1);
    }

    #[test]
    fn cells_keep_their_places_and_types() {
        let xml = r#"<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
            xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="A&amp;B"><Table>
            <Row ss:Index="2"><Cell ss:MergeAcross="1"><Data ss:Type="String">a &lt; b</Data></Cell><Cell><Data ss:Type="Number">1.5</Data></Cell></Row>
            <Row ss:Hidden="1"><Cell ss:Index="3"><Data ss:Type="DateTime">2024-01-05T10:30:00.000</Data></Cell>
            <Cell><Data ss:Type="Number">110101199003071234</Data></Cell><Cell><Data ss:Type="Boolean">1</Data></Cell>
            <Cell ss:Formula="=1"/><Cell><Data ss:Type="Error">#DIV/0!</Data></Cell><Cell><Data ss:Type="DateTime">1899-12-31T10:30:00.000</Data></Cell></Row>
            </Table></Worksheet><Worksheet ss:Name="B"><WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet></Workbook>"#;
        let (sheets, fault) = sheets(xml, 100).expect("few cells");
        assert_eq!((sheets.len(), fault, sheets[0].name.as_str()), (2, None, "A&B"));
        let grid = &sheets[0].grid;
        let texts = |i: usize| grid.filled(i).map(|(c, cell)| format!("{c}={}", cell.text())).collect::<Vec<_>>();
        assert_eq!((grid.number(0), texts(0)), (1, vec!["0=a < b".to_owned(), "2=1.5".to_owned()]));
        let want =
            ["2=2024-01-05T10:30:00", "3=110101199003071234", "4=TRUE", "5=#NOT_CALCULATED", "6=#DIV/0!", "7=10:30:00"];
        assert_eq!(texts(1), want);
        assert_eq!((sheets[0].hidden, sheets[1].hidden), (false, true));
        assert_eq!(sheets[0].hidden_rows, [(2, 2)]);
        assert_eq!(grid.merges.all(), [Merge { first_row: 1, last_row: 1, first_column: 0, last_column: 1 }]);
        assert!(super::sheets(xml, 2).is_err());
        assert!(super::sheets("<Workbook><Worksheet><Table></Worksheet>", 9).expect("few").1.is_some());
    }
}
