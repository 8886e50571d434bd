//! What the reading library does not tell of a workbook's sheets: merged ranges, hidden rows and columns.
//!
//! Comes in: the bytes of a workbook. Goes out: one [`Layout`] for each sheet, in the workbook's order.
//! Must never happen: a part held in memory whole; a layout that keeps a sheet from being read.

use std::cell::Cell as Flag;
use std::io::{BufReader, Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::grid::Merge;
use super::layout_cells::CellWalk;
use super::meter::Meter;
use super::{layout_ods, layout_xlsb};

/// First and last, 0-based, both in.
pub(super) type Span = (u32, u32);

/// How many cells there are, and the rectangle around them.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Extent {
    pub cells: u64,
    rows: Option<Span>,
    columns: Option<Span>,
}

impl Extent {
    /// Takes a cell that repeats: the first row and column, and how many.
    pub fn take(&mut self, rows: (u32, u32), columns: (u32, u32)) {
        self.cells = self.cells.saturating_add(u64::from(rows.1) * u64::from(columns.1));
        for (span, (first, count)) in [(&mut self.rows, rows), (&mut self.columns, columns)] {
            let last = first.saturating_add(count.saturating_sub(1));
            *span = Some(span.map_or((first, last), |(least, most)| (least.min(first), most.max(last))));
        }
    }

    /// Cells of the rectangle.
    pub fn area(&self) -> u64 {
        let length = |span: Option<Span>| span.map_or(0, |(first, last)| u64::from(last - first) + 1);
        length(self.rows).saturating_mul(length(self.columns))
    }
}

/// How the cells of one sheet are laid out.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub merges: Vec<Merge>,
    pub hidden_rows: Vec<Span>,
    pub hidden_columns: Vec<Span>,
    /// Of an ods sheet.
    pub extent: Extent,
    /// Places of formulas without a value.
    pub uncalculated: Vec<(u32, u32)>,
    /// Whole numbers of more digits than a double keeps, with their places.
    pub digits: Vec<(u32, u32, String)>,
    /// Places of formulas whose value is 0, and whether there is one with another value.
    pub zeros: Vec<(u32, u32)>,
    pub calculated: bool,
}

/// The layouts of an xlsx workbook's sheets; a sheet whose part can't be read has an empty one.
pub(super) fn of_xlsx(bytes: &[u8], meter: &Meter) -> Vec<Layout> {
    let asks = Flag::new(false);
    let ids = |part: &mut dyn Read| {
        let (ids, calculation) = xlsx_sheet_ids(part);
        asks.set(calculation);
        ids
    };
    let mut layouts = sheets(bytes, meter, "xl/workbook.xml", ids, |part| xml_sheet(part));
    // Programs that can't calculate write 0 and ask for a calculation on opening.
    for layout in layouts.iter_mut().filter(|layout| asks.get() && !layout.calculated) {
        layout.uncalculated.append(&mut layout.zeros);
    }
    layouts
}

/// The layouts of an xlsb workbook's sheets.
pub(super) fn of_xlsb(bytes: &[u8], meter: &Meter) -> Vec<Layout> {
    sheets(bytes, meter, "xl/workbook.bin", layout_xlsb::sheet_ids, |part| layout_xlsb::sheet(part))
}

/// The layouts of an ods workbook's sheets.
pub(super) fn of_ods(bytes: &[u8], meter: &Meter) -> Vec<Layout> {
    let Ok(mut package) = ZipArchive::new(Cursor::new(bytes)) else { return Vec::new() };
    let Ok(part) = package.by_name("content.xml") else { return Vec::new() };
    layout_ods::sheets(BufReader::new(meter.read(part)))
}

/// Follows the ids of the sheets through the workbook's relations to their parts.
fn sheets(
    bytes: &[u8],
    meter: &Meter,
    workbook: &str,
    ids: impl Fn(&mut dyn Read) -> Vec<String>,
    read: impl Fn(&mut dyn Read) -> Option<Layout>,
) -> Vec<Layout> {
    let Ok(mut package) = ZipArchive::new(Cursor::new(bytes)) else { return Vec::new() };
    let ids = package.by_name(workbook).map(|mut part| ids(&mut part)).unwrap_or_default();
    let file = workbook.rsplit('/').next().unwrap_or(workbook);
    let relations = format!("xl/_rels/{file}.rels");
    let targets = package.by_name(&relations).map(targets).unwrap_or_default();
    let part_of = |id: &String| targets.iter().find(|(known, _)| known == id).map(|(_, target)| target.as_str());
    ids.iter()
        .map(|id| {
            let part = part_of(id).and_then(|target| package.by_name(&absolute(target)).ok());
            part.and_then(|part| read(&mut meter.read(part))).unwrap_or_default()
        })
        .collect()
}

fn absolute(target: &str) -> String {
    target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned)
}

/// `(id, target)` of each relation.
fn targets(part: impl Read) -> Vec<(String, String)> {
    let mut targets = Vec::new();
    each_element(part, |element| {
        if element.local_name().as_ref() == "Relationship" {
            targets.extend(attribute(element, "Id").zip(attribute(element, "Target")));
        }
    });
    targets
}

/// The relation ids of the sheets, and whether the workbook asks to be calculated when it is opened.
fn xlsx_sheet_ids(part: &mut dyn Read) -> (Vec<String>, bool) {
    let mut ids = Vec::new();
    let mut asks = false;
    each_element(part, |element| match element.local_name().as_ref() {
        "sheet" => ids.push(attribute(element, "id").unwrap_or_default()),
        "calcPr" => asks = attribute(element, "fullCalcOnLoad").is_some_and(|asks| asks == "1" || asks == "true"),
        _ => {}
    });
    (ids, asks)
}

/// Goes through the elements of a small XML part until its end or the first fault.
fn each_element(part: impl Read, mut take: impl FnMut(&BytesStart<'_>)) {
    let mut reader = Reader::from_reader(BufReader::new(part));
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) => take(&element),
            Ok(Event::Eof) | Err(_) => return,
            Ok(_) => {}
        }
        buffer.clear();
    }
}

/// An attribute's raw value; `name` is without its prefix.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes().filter_map(Result::ok);
    attributes.find(|attribute| attribute.key.local_name().as_ref() == name).map(|found| found.value.into_owned())
}

/// Bytes of a sheet's part that are looked at together; no tag that matters is longer.
const WINDOW: usize = 256 << 10;

/// The layout that a sheet's XML tells. Only tags are looked at, so this costs little beside unpacking.
fn xml_sheet(part: &mut dyn Read) -> Option<Layout> {
    let mut layout = Layout::default();
    let mut cells = CellWalk::default();
    let mut window = vec![0; WINDOW];
    let mut filled = 0;
    loop {
        let read = part.read(&mut window[filled..]).ok()?;
        filled += read;
        let last = window[..filled].iter().rposition(|byte| *byte == b'<').unwrap_or(0);
        let whole = if read == 0 { filled } else { last };
        window[..whole].split(|byte| *byte == b'<').for_each(|tag| layout.see(tag, &mut cells));
        if read == 0 {
            return Some(layout);
        }
        window.copy_within(whole..filled, 0);
        filled = if filled - whole == WINDOW { 0 } else { filled - whole };
    }
}

impl Layout {
    /// Takes what follows a `<` up to the next: `row r="3" hidden="1">`, `v>12`.
    fn see(&mut self, tag: &[u8], cells: &mut CellWalk) {
        let (closes, tag) = tag.strip_prefix(b"/").map_or((false, tag), |tag| (true, tag));
        let name = tag.iter().position(|byte| matches!(byte, b' ' | b'>' | b'/')).map_or(tag, |end| &tag[..end]);
        let name = name.iter().position(|byte| *byte == b':').map_or(name, |colon| &name[colon + 1..]);
        match name {
            b"c" if closes => return cells.end(self),
            _ if closes => return,
            b"c" | b"f" | b"v" | b"is" => return cells.see(name, tag, self),
            b"row" | b"col" | b"mergeCell" => {}
            _ => return,
        }
        let end = tag.iter().position(|byte| *byte == b'>').unwrap_or(tag.len());
        let Ok(tag) = std::str::from_utf8(&tag[..end]) else { return };
        if name == b"row" {
            cells.row(tag);
        }
        let number = |name: &str| value(tag, name)?.parse::<u32>().ok()?.checked_sub(1);
        match name {
            b"mergeCell" => self.merges.extend(value(tag, "ref").and_then(range)),
            _ if !matches!(value(tag, "hidden"), Some("1" | "true")) => {}
            b"row" => self.hidden_rows.extend(number("r").map(|row| (row, row))),
            _ => self.hidden_columns.extend(number("min").zip(number("max"))),
        }
    }
}

/// An attribute's raw value in the text of a tag.
pub(super) fn value<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    loop {
        rest = &rest[rest.find(name)?..];
        let before = tag.len() - rest.len();
        let after = rest[name.len()..].trim_start().strip_prefix('=').map(str::trim_start);
        if let Some(after) = after.filter(|_| tag[..before].ends_with(char::is_whitespace)) {
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            return after[1..].split(quote).next();
        }
        rest = &rest[name.len()..];
    }
}

/// `B2:C5`.
fn range(text: &str) -> Option<Merge> {
    let (first, last) = text.split_once(':')?;
    let ((first_row, first_column), (last_row, last_column)) = (place(first)?, place(last)?);
    Some(Merge { first_row, last_row, first_column, last_column })
}

/// Row and column of `B2`.
pub(super) fn place(text: &str) -> Option<(u32, u32)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = text.split_at(digits);
    let column = letters.bytes().filter(|byte| *byte != b'$').try_fold(0_u32, |column, byte| {
        let letter = byte.to_ascii_uppercase().checked_sub(b'A').filter(|letter| *letter < 26)?;
        column.checked_mul(26)?.checked_add(u32::from(letter) + 1)
    })?;
    Some((row.parse::<u32>().ok()?.checked_sub(1)?, column.checked_sub(1)?))
}

/// Spans in order, those that touch joined.
pub(super) fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.0 <= last.1.saturating_add(1) => last.1 = last.1.max(span.1),
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheets_tags_tell_its_layout() {
        let xml = r#"<worksheet><cols><col min="2" max="3" width="9" hidden="1"/><col min="5" max="5"/></cols><sheetData>
            <row r="1"><c r="A1" t="inlineStr"><is><t>hidden="1"</t></is></c></row><row r="2" spans="1:3" hidden='true'><c r="A2"/></row>
            <x:row hidden="1" r="3"/></sheetData><mergeCells count="1"><mergeCell ref="A1:$B$4"/></mergeCells></worksheet>"#;
        let layout = xml_sheet(&mut xml.as_bytes()).expect("memory");
        assert_eq!(layout.hidden_columns, [(1, 2)]);
        assert_eq!(layout.hidden_rows, [(1, 1), (2, 2)]);
        assert_eq!(layout.merges, [Merge { first_row: 0, last_row: 3, first_column: 0, last_column: 1 }]);
    }

    #[test]
    fn formulas_without_a_value_and_long_digits_are_found() {
        let xml = r#"<sheetData><row r="3"><c r="A3"><v>110101199003071234</v></c><c r="B3" t="s"><v>1101011990030712345</v></c>
            <c r="C3"><f>A1</f><v></v></c><c r="D3"><f>A1</f><v/></c><c r="E3" t="str"><f>A1</f><v></v></c></row>
            <row><c><f>A1</f></c><c r="B4"/><c><f>A1</f><v>0</v></c><c><v>1100000000000000000</v></c></row></sheetData>"#;
        let layout = xml_sheet(&mut xml.as_bytes()).expect("memory");
        assert_eq!(layout.digits, [(2, 0, "110101199003071234".to_owned())]);
        assert_eq!(layout.uncalculated, [(2, 2), (2, 3), (3, 0)]);
        assert_eq!((layout.zeros.as_slice(), layout.calculated), (&[(3, 2)][..], false));
    }

    #[test]
    fn places_and_spans() {
        assert_eq!(place("XFD1048576"), Some((1_048_575, 16_383)));
        assert_eq!((place("A0"), place("7"), place("A")), (None, None, None));
        assert_eq!(joined(vec![(5, 6), (1, 1), (2, 3), (9, 9)]), [(1, 3), (5, 6), (9, 9)]);
    }
}
