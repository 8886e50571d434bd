use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::arrow::record_batch::RecordBatch;

use super::*;
use crate::schema::{Decision, Label, Profile, decide, name_fields};
use crate::value::Cell;

fn text(text: &str) -> Cell<'_> {
    Cell::Text(text.into())
}

fn content(fields: &[Field], batch: &RecordBatch, row: usize) -> String {
    Contents::new(fields, batch).of(row)
}

fn decided(labels: &[&str], rows: &[Vec<Cell<'_>>]) -> (Vec<Field>, Vec<Decision>) {
    let labels: Vec<Label> = labels.iter().map(|label| Label::parse(label)).collect();
    let decisions: Vec<Decision> = labels
        .iter()
        .enumerate()
        .map(|(column, label)| {
            let mut profile = Profile::default();
            rows.iter().for_each(|cells| profile.observe(&cells[column]));
            decide(&profile, label, None)
        })
        .collect();
    (name_fields(&labels, &decisions), decisions)
}

fn build(builder: &mut Builder<'_>, rows: &[Vec<Cell<'_>>], map: &[Option<usize>]) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    for (cells, row) in rows.iter().zip(2..) {
        batches.extend(builder.push("一月", row, cells, map).unwrap());
    }
    batches.extend(builder.finish().unwrap());
    batches
}

#[test]
fn a_row_reads_back_as_it_was_written() {
    let mut rows: Vec<Vec<Cell<'_>>> = (0..30).map(|n| vec![text("张三"), Cell::Integer(n), text("1.5")]).collect();
    rows.push(vec![text("李四"), text("N/A"), text("￥1,200.50")]);
    rows.push(vec![Cell::Empty, Cell::Empty, text("待定")]);
    rows.push(vec![text("王五"), Cell::Error("#DIV/0!"), text(" ")]);
    let (fields, decisions) = decided(&["姓名", "数量", "金额"], &rows);
    let mut builder = Builder::new(&fields, &decisions, 7, 10, 5);
    let batches = build(&mut builder, &rows, &[Some(0), Some(1), Some(2)]);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [10, 10, 10, 3]);
    let last = &batches[3];
    assert_eq!(last.schema(), arrow_schema(&fields));
    assert_eq!(content(&fields, last, 0), "姓名: 李四\n数量: N/A\n金额: ￥1,200.50");
    assert_eq!(content(&fields, last, 1), "金额: 待定");
    assert_eq!(content(&fields, last, 2), "姓名: 王五\n数量: #DIV/0!");
    assert_eq!(content(&fields, &batches[0], 3), "姓名: 张三\n数量: 3\n金额: 1.5");
    let amounts = last.column_by_name("jin_e_flt").unwrap().as_primitive::<Float64Type>();
    assert_eq!((amounts.value(0), amounts.null_count()), (1200.5, 2));
    assert_eq!(last.column_by_name("row_long").unwrap().as_primitive::<Int64Type>().value(0), 32);
    let misfits = builder.misfits();
    assert_eq!((misfits[2].count, misfits[2].first.as_slice()), (1, [(33, "待定".to_owned())].as_slice()));
    assert_eq!((misfits[1].errors, misfits[1].first_errors[0].0), (1, 34));
}

#[test]
fn a_column_that_the_sheet_lacks_is_null() {
    let rows = vec![vec![text("a"), Cell::Integer(1)]];
    let (fields, decisions) = decided(&["x", "n"], &rows);
    let mut builder = Builder::new(&fields, &decisions, 0, 10, 5);
    let batches = build(&mut builder, &[vec![text("b")]], &[Some(0), None]);
    assert_eq!(content(&fields, &batches[0], 0), "x: b");
}

#[test]
fn a_batch_of_long_texts_has_few_rows() {
    let short = vec![vec![text("a")]];
    let (fields, decisions) = decided(&["x"], &short);
    let mut builder = Builder::new(&fields, &decisions, 0, 1_000, 5);
    let long = "x".repeat(20 << 20);
    let rows = vec![vec![text(&long)]; 5];
    let batches = build(&mut builder, &rows, &[Some(0)]);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 2, 1]);
}
