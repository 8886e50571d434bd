//! The language of a question, and the fixed sentences of an answer in it.

use crate::engine::Repeated;

/// Chinese where the question has a Han character, else English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Chinese,
    English,
}

/// Repeating sheets listed in one note.
const REPEATS_LISTED: usize = 3;

impl Language {
    pub fn of(text: &str) -> Self {
        if text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c) || ('\u{3400}'..='\u{4dbf}').contains(&c)) {
            Language::Chinese
        } else {
            Language::English
        }
    }

    pub fn choose<'a>(self, chinese: &'a str, english: &'a str) -> &'a str {
        match self {
            Language::Chinese => chinese,
            Language::English => english,
        }
    }

    pub fn no_rows(self) -> &'static str {
        self.choose("没有符合条件的行。", "No rows match.")
    }

    /// An aggregate over no rows is no number.
    pub fn nothing_to_compute(self) -> &'static str {
        self.choose(
            "没有符合条件的行，所以没有可算的数。",
            "No row meets the conditions, so there is nothing to compute.",
        )
    }

    /// A list that ends between rows of one value.
    pub fn tie_at_the_border(self, count: u64) -> String {
        match self {
            Language::Chinese => format!("第 {count} 名与后面的行数值相同（并列），这里只列出 {count} 行"),
            Language::English => {
                format!("the value of row {count} is shared by rows that come after it: {count} are listed")
            }
        }
    }

    pub fn shown_of(self, shown: u64, total: u64) -> String {
        match self {
            Language::Chinese => format!("共 {total} 行，显示前 {shown} 行。"),
            Language::English => format!("{shown} of {total} rows shown."),
        }
    }

    /// Sheets that repeat others and are counted with them.
    pub fn counted_twice(self, repeats: &[Repeated]) -> String {
        let place = |(file, sheet): &(String, String)| format!("{file} › {sheet}");
        let one = |repeated: &Repeated| {
            let of = repeated.of.as_ref().map(place);
            let of = of.unwrap_or_else(|| self.choose("其余各表之和", "the other sheets together").to_owned());
            format!("{} = {of}", place(&repeated.sheet))
        };
        let listed: Vec<String> = repeats.iter().take(REPEATS_LISTED).map(one).collect();
        let more = if repeats.len() > listed.len() { ", …" } else { "" };
        let (n, list) = (repeats.len(), listed.join(", "));
        match self {
            Language::Chinese => format!("有 {n} 张工作表与其他表的行相同，这里都计算在内：{list}{more}"),
            Language::English => {
                format!("{n} sheets hold the same rows as others, and all are counted here: {list}{more}")
            }
        }
    }

    /// A field whose merged numbers stand in each of their rows.
    pub fn cells_left_out(self, label: &str, cells: u64) -> String {
        match self {
            Language::Chinese => format!("{label} 有 {cells} 个单元格不是该类型的值，没有计入"),
            Language::English => format!("{cells} cells in {label} are no value of its type and are left out"),
        }
    }

    pub fn merged_number(self, label: &str, rows: u64) -> String {
        match self {
            Language::Chinese => format!("{label} 有合并单元格的数字，另在 {rows} 行中重复，这里每行都计算在内"),
            Language::English => {
                format!("{label} has numbers in merged cells: they stand in {rows} more rows, and each row counts here")
            }
        }
    }

    pub fn sources(self, cited: usize, total: u64) -> String {
        match self {
            Language::Chinese => format!("依据 {total} 行，列出 {cited} 行"),
            Language::English => format!("From {total} rows, {cited} listed"),
        }
    }

    pub fn found_rows(self, texts_too: bool) -> &'static str {
        if texts_too {
            return self.choose(
                "没有把这个问题读成一个查询；下面是检索到的最相关的行和手工添加的文字，不是计算结果：",
                "The question was not read as a query; these are the rows and added texts found by search, not a computed answer:",
            );
        }
        self.choose(
            "没有把这个问题读成一个查询；下面是检索到的最相关的行，不是计算结果：",
            "The question was not read as a query; these are the rows found by search, not a computed answer:",
        )
    }

    pub fn cannot_read(self) -> &'static str {
        self.choose(
            "没有看懂这个问题，所以没有回答。请写出列名、筛选的值和要算的内容（例如：各部门的销售额合计）。",
            "The question could not be read with confidence, so there is no answer. Name the column, the values to filter by and what to compute (for example: total sales by department).",
        )
    }

    pub fn readings(self, readings: &[String]) -> String {
        if readings.is_empty() {
            return String::new();
        }
        let head = self.choose("可能的读法：", "It could mean:");
        format!("\n{head}\n{}", readings.iter().map(|reading| format!("- {reading}\n")).collect::<String>())
    }
}
