//! What a user typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::ask::Mode;
use crate::service::NewKey;
use crate::value::{FieldType, Role};

/// Ask spreadsheets in Chinese or English; get the right number with the rows it came from.
#[derive(Debug, Parser)]
#[command(name = "sheetwise", version, arg_required_else_help = true)]
pub struct Arguments {
    /// Settings file (TOML); also SHEETWISE_CONFIG
    #[arg(long, global = true, env = "SHEETWISE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Log more to standard error (-v, -vv, -vvv)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a question about files or a knowledge base
    Ask(Ask),
    /// Show how files are read: sheets, header rows, tables, fields, and what was not literal
    Inspect(Inspect),
    /// Run a SELECT the way a model's reply would run: checked, limited to the files, cited
    Sql(Sql),
    /// Keep knowledge bases in a data folder
    Kb(Kb),
    /// Show the engine in use: server, version, indexes, rows
    Doctor(Doctor),
    /// Read the cells of a workbook for another process of this program
    #[command(name = crate::sheet::SERVE, hide = true)]
    ReadCells,
    /// Run a question set (JSON lines) and count right, wrong and declined answers
    Eval(Eval),
    /// Serve knowledge bases over HTTP: RAGFlow's API, OpenAI's chat API, and our own routes
    Serve(Serve),
    /// Answer an agent (Model Context Protocol) on standard input and output
    Mcp(Mcp),
    /// Make, list and remove the API keys of the service
    Keys(Keys),
}

/// Where the rows are.
#[derive(Debug, Args)]
pub struct Where {
    /// A knowledge base of the data folder instead of files; repeat for several
    #[arg(long = "kb", value_name = "NAME")]
    pub kbs: Vec<String>,
    /// Data folder [default: the platform's]
    #[arg(long, env = "SHEETWISE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

/// How files are read.
#[derive(Debug, Clone, Default, Args)]
pub struct Reading {
    /// The header rows, as the sheet numbers them: 3 or 3-4
    #[arg(long, value_name = "ROWS", value_parser = header_rows)]
    pub header_rows: Option<(u64, u64)>,
    /// Only this sheet; repeat for several
    #[arg(long = "sheet", value_name = "NAME")]
    pub sheets: Vec<String>,
    /// Keep totals rows as data
    #[arg(long)]
    pub keep_totals: bool,
    /// The table lies on its side, one record in each column; =no: it does not
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
          value_parser = yes_or_no, conflicts_with = "header_rows")]
    pub transposed: Option<bool>,
    /// Types of columns: text, integer, decimal, datetime, flag, or auto to decide anew
    #[arg(long, value_name = "LABEL=TYPE,…", value_delimiter = ',', value_parser = column_type)]
    pub types: Vec<(String, Option<FieldType>)>,
    /// What columns are for: sql, search or both
    #[arg(long = "role", value_name = "LABEL=ROLE,…", value_delimiter = ',', value_parser = column_role)]
    pub roles: Vec<(String, Role)>,
    /// Say nothing on standard error about how far a long reading is
    #[arg(long)]
    pub quiet: bool,
}

/// `金额=decimal`; no type for `auto`.
fn column_type(text: &str) -> Result<(String, Option<FieldType>), String> {
    let fault = || format!("{text:?}: write LABEL=TYPE with text, integer, decimal, datetime, flag or auto");
    let (label, word) = text.rsplit_once('=').ok_or_else(fault)?;
    let kind = match word.trim().to_lowercase().as_str() {
        "auto" | "自动" => None,
        "text" | "文本" => Some(FieldType::Text),
        "integer" | "long" | "整数" => Some(FieldType::Integer),
        "decimal" | "float" | "number" | "小数" => Some(FieldType::Decimal),
        "datetime" | "date" | "日期" => Some(FieldType::DateTime),
        "flag" | "bool" | "是否" => Some(FieldType::Flag),
        _ => return Err(fault()),
    };
    Ok((label.trim().to_owned(), kind))
}

/// `备注=search`.
fn column_role(text: &str) -> Result<(String, Role), String> {
    let fault = || format!("{text:?}: write LABEL=ROLE with sql, search or both");
    let (label, word) = text.rsplit_once('=').ok_or_else(fault)?;
    let role = match word.trim().to_lowercase().as_str() {
        "sql" => Role::Sql,
        "search" | "检索" => Role::Search,
        "both" | "auto" | "全部" => Role::Both,
        _ => return Err(fault()),
    };
    Ok((label.trim().to_owned(), role))
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.trim().to_lowercase().as_str() {
        "yes" | "true" | "是" => Ok(true),
        "no" | "false" | "否" => Ok(false),
        _ => Err("write yes or no".to_owned()),
    }
}

fn header_rows(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok((first, last)),
        _ => Err("write the header rows as 3 or 3-4".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct Ask {
    /// Files, then the question; no question gives a prompt
    #[arg(value_name = "FILE… QUESTION")]
    pub words: Vec<String>,
    /// A question; repeat for several (everything else is a file)
    #[arg(short, long = "question", value_name = "QUESTION")]
    pub questions: Vec<String>,
    /// Which ways a question may take
    #[arg(long, value_enum, default_value_t)]
    pub mode: Mode,
    /// One JSON document for each question
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub place: Where,
}

#[derive(Debug, Args)]
pub struct Sql {
    /// Files, then the statement
    #[arg(value_name = "FILE… STATEMENT", required = true)]
    pub words: Vec<String>,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub place: Where,
}

#[derive(Debug, Args)]
pub struct Inspect {
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct Kb {
    #[command(subcommand)]
    pub action: KbAction,
    /// Data folder [default: the platform's]
    #[arg(long, global = true, env = "SHEETWISE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// One JSON document
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum KbAction {
    /// Make an empty knowledge base
    Create { name: String },
    /// Add files; the same name replaces a file, the same bytes are not added again
    Add {
        name: String,
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        reading: Reading,
    },
    /// Read a file anew with other header rows, sheets or types; what is not given stays as it was
    Set {
        name: String,
        file: String,
        #[command(flatten)]
        reading: Reading,
    },
    /// List the knowledge bases
    List,
    /// Show the files, tables and fields of a knowledge base
    Show { name: String },
    /// Remove a file, or the whole knowledge base
    Remove {
        name: String,
        #[arg(value_name = "FILE")]
        file: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Data folder [default: the platform's]
    #[arg(long, env = "SHEETWISE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Eval {
    /// Question sets: {"id","files":[…],"question","answer":[…]} a line
    #[arg(value_name = "CASES.jsonl", required = true)]
    pub sets: Vec<PathBuf>,
    /// Which ways a question may take
    #[arg(long, value_enum, default_value_t)]
    pub mode: Mode,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Address and port; another than this machine's own needs an API key
    #[arg(long, default_value = "127.0.0.1:9380", value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,
    /// Data folder [default: the platform's]
    #[arg(long, env = "SHEETWISE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Mcp {
    /// Files in this folder may be uploaded; repeat for several [default: none]
    #[arg(long, value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// Data folder [default: the platform's]
    #[arg(long, env = "SHEETWISE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Keys {
    #[command(subcommand)]
    pub action: KeysAction,
    /// Data folder [default: the platform's]
    #[arg(long, global = true, env = "SHEETWISE_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// One JSON document
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum KeysAction {
    /// Make a key and print it, once
    Create {
        name: String,
        /// Whose datasets it opens; `local` are those of the command line
        #[arg(long, default_value = "local")]
        owner: String,
        /// Only for this dataset, by name or id; repeat for several [default: all of the owner's]
        #[arg(long = "dataset", value_name = "NAME")]
        datasets: Vec<String>,
        /// It may not change anything
        #[arg(long)]
        read_only: bool,
        /// It ends after so many days
        #[arg(long, value_parser = clap::value_parser!(u32).range(..=i64::from(NewKey::MAX_DAYS)))]
        days: Option<u32>,
    },
    /// List the keys, without their texts
    List,
    /// Remove a key: it opens nothing from then on
    Remove {
        name: String,
        /// Whose key it is
        #[arg(long, default_value = "local")]
        owner: String,
    },
}
