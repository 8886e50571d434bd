//! What is said about the columns of a document: cells that are not what their column is, and what was assumed.
//!
//! Must never happen: a cell that is empty in its field and not counted here.

use crate::note::{Note, Place, record_name};
use crate::record::Misfits;
use crate::schema::{Decision, Field, Profile};
use crate::sheet::Region;
use crate::value::FieldType;

/// Characters of a cell's text in a note.
const SHOWN: usize = 80;

/// The beginning of a text, with a sign where there is more.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Takes the notes about one document: one line for each column and kind of cell.
pub struct Columns<'a> {
    pub file: &'a str,
    pub notes: &'a mut Vec<Note>,
}

/// The first cells of a kind, `(row, text)`, and how many there are.
type Listed<'a> = (&'static str, &'static str, u64, &'a [(u64, String)]);

impl Columns<'_> {
    /// One line for each kind of cell of a sheet's column that is not literal, with the first of them and their places.
    pub fn cells(&mut self, field: &Field, misfits: &Misfits, region: &Region, column: Option<usize>) {
        let kind = field.kind.word();
        let unfit = format!("are not of type {kind} and are empty in the field");
        self.listed(field, ("cells_do_not_fit", &unfit, misfits.count, &misfits.first), region, column);
        let kinds: [Listed<'_>; 4] = [
            ("error_cells", "are errors and are empty in the field", misfits.errors, &misfits.first_errors),
            (
                "formulas_not_calculated",
                "are formulas that the file has no value of and are empty in the field; open it in a spreadsheet program and save it",
                misfits.uncalculated,
                &misfits.first_uncalculated,
            ),
            (
                "empty_markers",
                "say that there is nothing and are empty in the field",
                misfits.markers,
                &misfits.first_markers,
            ),
            (
                "long_numbers",
                "are numbers of more than 15 digits, of which spreadsheets keep 15; write such ids as text",
                misfits.long,
                &misfits.first_long,
            ),
        ];
        kinds.into_iter().for_each(|kind| self.listed(field, kind, region, column));
    }

    fn listed(
        &mut self,
        field: &Field,
        (code, what, count, first): (&str, &str, u64, &[(u64, String)]),
        region: &Region,
        column: Option<usize>,
    ) {
        let Some((row, _)) = first.first() else { return };
        let sample = |(row, text): &(u64, String)| format!("{} {:?}", record_name(*row, region.turned), cut(text));
        let samples: Vec<String> = first.iter().map(sample).collect();
        let more = if count > first.len() as u64 { ", …" } else { "" };
        let message = format!("{count} cells in {} {what}: {}{more}", field.label, samples.join(", "));
        self.notes.push(Note::new(code, message).at(Place { row: Some(*row), column, ..region.place(self.file) }));
    }

    /// What was assumed about a column, once for each document.
    pub fn assumptions(&mut self, field: &Field, decision: &Decision, profile: &Profile) {
        let label = &field.label;
        if decision.date_order_assumed {
            self.note("date_order_assumed", format!("no date in {label} tells day from month: month first is taken"));
        }
        if decision.decimal_point_assumed {
            let message = format!(
                "every point in {label} may part thousands: it is taken for the decimal sign; --types {label}=integer reads whole numbers"
            );
            self.note("decimal_point_assumed", message);
        }
        if decision.holds_times() {
            let message = format!(
                "{label} holds times as text: they are compared as text and not added up; --types {label}=decimal reads them as seconds"
            );
            self.note("times_are_text", message);
        }
        if decision.negative_brackets > 0 {
            self.note("brackets_read_as_negative", format!("numbers in brackets in {label} are read as negative"));
        }
        if field.kind == FieldType::DateTime {
            self.times(label, profile);
        }
    }

    fn times(&mut self, label: &str, profile: &Profile) {
        let (zoned, zones, fractions) = profile.left_out_of_times();
        if zoned > 0 {
            let zones = zones.join(", ");
            let message =
                format!("{zoned} times in {label} have a zone, which is left out and never shifts them: {zones}");
            self.note("time_zone_left_out", message);
        }
        if fractions > 0 {
            let message = format!("{fractions} times in {label} have a fraction of a second, which is left out");
            self.note("fraction_left_out", message);
        }
    }

    fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message).at(self.file));
    }
}
