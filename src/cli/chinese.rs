//! Reports in Chinese: the sentences of notes by their codes. Programs get the English sentences of the JSON.
//!
//! Must never happen: a note that is lost because it has no Chinese sentence.

use crate::note::Note;

/// Whether the locale of the process asks for Chinese.
pub fn is_wanted() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG"));
    locale.is_some_and(|locale| locale.to_ascii_lowercase().starts_with("zh"))
}

/// The note's sentence in Chinese; in English where there is none.
pub fn sentence(note: &Note) -> String {
    let any = SENTENCES.iter().filter(|(code, _, _)| *code == note.code || code.is_empty());
    any.filter_map(|(_, english, chinese)| Some(filled(chinese, &values(english, &note.message)?)))
        .next()
        .unwrap_or_else(|| note.message.clone())
}

/// What stands in the holes `{}` of a pattern.
fn values<'m>(pattern: &str, message: &'m str) -> Option<Vec<&'m str>> {
    let mut literals = pattern.split("{}");
    let mut rest = message.strip_prefix(literals.next()?)?;
    let mut values = Vec::new();
    let mut literals = literals.peekable();
    while let Some(literal) = literals.next() {
        let last = literals.peek().is_none();
        let end = if last { rest.len().checked_sub(literal.len())? } else { rest.find(literal)? };
        if !rest.get(end..)?.starts_with(literal) {
            return None;
        }
        values.push(&rest[..end]);
        rest = &rest[end + literal.len()..];
    }
    rest.is_empty().then_some(values)
}

/// `{0}`, `{1}` … in a sentence become the values.
fn filled(sentence: &str, values: &[&str]) -> String {
    let mut text = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (number, behind) = after.split_once('}').unwrap_or((after, ""));
        text.push_str(number.parse().ok().and_then(|n: usize| values.get(n)).copied().unwrap_or_default());
        rest = behind;
    }
    text + rest
}

/// Code, sentence in English with `{}` where something stands, sentence in Chinese with its number. No code: of any note.
const SENTENCES: &[(&str, &str, &str)] = &[
    ("", "and {} more notes of the kind {}, {} in all", "另有 {0} 条同类说明（{1}），共 {2} 条"),
    ("", "and {} more like the {} listed", "另有 {0} 处与上面列出的 {1} 处相同"),
    ("sheet_not_read", "sheet {} could not be read: {}", "工作表 {0} 读不了：{1}"),
    ("no_such_sheet", "no sheet is called {}", "没有叫 {0} 的工作表"),
    ("form_read_as_pairs", "this is a form {}", "这是一张表单，不是表格：每个“项目：值”读成一行"),
    (
        "table_on_its_side",
        "the table seems to lie on its side{}",
        "这张表像是横放的（一列是一条记录），仍按行照原样读入；--transposed 可按列读",
    ),
    ("table_turned", "the table lies on its side{}", "这张表是横放的，每一列读成一条记录；--transposed=no 改为按行读"),
    ("hidden_rows", "{} hidden rows are read like the others: {}", "有 {0} 个隐藏行，同样读入：第 {1} 行"),
    ("hidden_columns", "{} hidden columns are read like the others: {}", "有 {0} 个隐藏列，同样读入：{1} 列"),
    (
        "merged_across_columns",
        "{} is merged over several columns; its value is read in the first one only",
        "{0} 跨多列合并，值只读入第一列",
    ),
    ("merged_cell_spread", "{} is merged; its value is read in each of its rows", "{0} 是合并单元格，值读入它的每一行"),
    (
        "undecodable_bytes",
        "row {} has bytes that are no characters of the file's encoding",
        "第 {0} 行有不属于文件编码的字节",
    ),
    (
        "totals_row_read_as_data",
        "column {} begins with {}, but its numbers are no sums; it is read as data",
        "{0} 列以 {1} 开头，但数字不是合计，按数据读入",
    ),
    (
        "totals_row_read_as_data",
        "row {} begins with {}, but its numbers are no sums; it is read as data",
        "第 {0} 行以 {1} 开头，但数字不是合计，按数据读入",
    ),
    (
        "cells_outside_table",
        "row {} has cells outside the table's columns, which are not in it: {}",
        "第 {0} 行有超出表格各列的单元格，没有读入：{1}",
    ),
    ("no_header", "no header was found; the columns are named by their letters", "没有找到表头，用列的字母作列名"),
    ("blank_header", "column {} has no header; it is called {}", "{0} 列没有表头，称作 {1}"),
    ("blank_header", "row {} has no header; it is called {}", "第 {0} 行没有名称，称作 {1}"),
    ("duplicate_header", "rows {} and {} are both called {}", "第 {0} 行和第 {1} 行都叫 {2}"),
    ("duplicate_header", "columns {} and {} are both called {}", "{0} 列和 {1} 列的表头都是 {2}"),
    ("totals_row_kept_apart", "a totals row is kept out of the data: {}", "合计行不计入数据：{0}"),
    ("note_line_kept_apart", "a note line is kept out of the data: {}", "说明行不计入数据：{0}"),
    (
        "repeated_header_kept_apart",
        "the header is repeated here and is kept out of the data: {}",
        "重复的表头不计入数据：{0}",
    ),
    ("same_bytes", "not added: its bytes are there already as {}", "没有添加：内容与已有的 {0} 完全相同"),
    ("large_decimals", "decimals from {} on are exact to about 16 digits only", "从 {0} 起，小数只精确到约 16 位数字"),
    (
        "file_replaced",
        "{} replaces the file of this name that was there, whose bytes were others",
        "{0} 替换了原来的同名文件（内容不同）",
    ),
    (
        "no_such_header_row",
        "{}: its header cannot be in {}, its last row is {}; choose the rows of its header",
        "{0}：表头不可能在 {1}，最后一行是 {2}；请重新指定表头行",
    ),
    (
        "sheet_repeats",
        "{} sheets repeat the rows of {} and are counted with it: {}",
        "有 {0} 张表与 {1} 的行相同，不分表的回答会重复计算：{2}",
    ),
    ("looks_like_another_table", "{} looks like {}, a table of its own: {}", "{0} 与 {1} 很像，但成了两张表：{2}"),
    (
        "cells_do_not_fit",
        "{} cells in {} are not of type {} and are empty in the field: {}",
        "{1} 列有 {0} 个单元格不是 {2} 类型，字段中留空：{3}",
    ),
    (
        "error_cells",
        "{} cells in {} are errors and are empty in the field: {}",
        "{1} 列有 {0} 个错误值，字段中留空：{2}",
    ),
    (
        "date_order_assumed",
        "no date in {} tells day from month: month first is taken",
        "{0} 列的日期分不出日和月，按“月在前”读",
    ),
    (
        "decimal_point_assumed",
        "every point in {} may part thousands: it is taken for the decimal sign{}",
        "{0} 列的点也可能是千位分隔符，按小数点读；--types {0}=integer 按整数读",
    ),
    ("brackets_read_as_negative", "numbers in brackets in {} are read as negative", "{0} 列括号中的数按负数读"),
    (
        "formulas_not_calculated",
        "{} cells in {} are formulas that the file has no value of and are empty in the field; {}: {}",
        "{1} 列有 {0} 个公式单元格在文件中没有计算结果，字段中留空；请用表格软件打开并另存：{3}",
    ),
    (
        "empty_markers",
        "{} cells in {} say that there is nothing and are empty in the field: {}",
        "{1} 列有 {0} 个单元格写的是“无”，字段中留空：{2}",
    ),
    (
        "long_numbers",
        "{} cells in {} are numbers of more than 15 digits, of which spreadsheets keep 15; {}: {}",
        "{1} 列有 {0} 个数字超过 15 位，表格软件只保留 15 位；这类编号请存成文本：{3}",
    ),
    (
        "times_are_text",
        "{} holds times as text{}",
        "{0} 列是文本写的时间，按文本比较，不求和；--types {0}=decimal 按秒读入",
    ),
    (
        "time_zone_left_out",
        "{} times in {} have a zone, which is left out and never shifts them: {}",
        "{1} 列有 {0} 个时间带时区，时区略去，时间不换算：{2}",
    ),
    (
        "fraction_left_out",
        "{} times in {} have a fraction of a second, which is left out",
        "{1} 列有 {0} 个时间带小数秒，小数部分略去",
    ),
    (
        "type_widened",
        "{} is {} in table {}; in this file alone it would be {}",
        "{0} 在表 {2} 中是 {1}；只看这个文件应是 {3}",
    ),
    ("value_read_as", "{} in {} read as a search for its words", "{1} 中的 {0} 按词检索"),
    ("value_read_as", "{} in {} read as {}", "{1} 中的 {0} 理解为 {2}"),
    ("no_such_value", "no cell of {} is {}; nearest: {}", "{0} 中没有 {1}；相近的有：{2}"),
    ("no_such_value", "no cell of {} is {}; {}", "{0} 中没有 {1}，也没有相近的"),
    ("no_such_value", "no cell of {} contains {}; nearest: {}", "{0} 中没有含 {1} 的；相近的有：{2}"),
    ("no_such_value", "no cell of {} contains {}; {}", "{0} 中没有含 {1} 的，也没有相近的"),
    ("limit_lowered", "LIMIT {} was lowered to {}", "LIMIT {0} 降为 {1}"),
    ("no_such_column", "no column is called {}, so nothing is read as {}", "没有叫 {0} 的列，{1} 的设置没有用上"),
    ("table_added", "table {} is new", "新增表 {0}"),
    ("table_gone", "table {} is gone", "表 {0} 不再存在"),
    ("rows_changed", "table {} has {} rows; before it had {}", "表 {0} 现有 {1} 行，原有 {2} 行"),
    ("role_changed", "{} is for {} now; before it was for {}", "{0} 现在用于 {1}，原来用于 {2}"),
    ("type_changed", "{} is {} now; before it was {}", "{0} 现在是 {1}，原来是 {2}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_take_over_what_stands_in_the_note() {
        for (code, message, want) in [
            ("blank_header", "column C has no header; it is called \"C 列\"", "C 列没有表头，称作 \"C 列\""),
            ("type_changed", "编号 is text now; before it was integer", "编号 现在是 text，原来是 integer"),
            (
                "cells_do_not_fit",
                "2 cells in 金额 are not of type decimal and are empty in the field: row 3 \"无\", row 9 \"待定\"",
                "金额 列有 2 个单元格不是 decimal 类型，字段中留空：row 3 \"无\", row 9 \"待定\"",
            ),
            (
                "error_cells",
                "and 3 more notes of the kind error_cells, 13 in all",
                "另有 3 条同类说明（error_cells），共 13 条",
            ),
            ("unheard_of", "as it is", "as it is"),
            ("type_changed", "as it is", "as it is"),
        ] {
            assert_eq!(sentence(&Note::new(code, message)), want);
        }
    }

    #[test]
    fn every_sentence_has_the_holes_that_it_fills() {
        for (code, english, chinese) in SENTENCES {
            let holes = english.matches("{}").count();
            let numbers = chinese.split('{').skip(1).filter_map(|rest| rest.split('}').next()?.parse::<usize>().ok());
            assert!(numbers.into_iter().all(|n| n < holes), "{code}: {chinese}");
        }
    }
}
