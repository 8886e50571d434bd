//! Configuration: one struct that holds every limit. Defaults, then a TOML file, then the environment.

mod settings;

use serde::{Deserialize, Serialize};

pub use settings::{ConfigError, load};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub read: ReadLimits,
    pub sql: SqlLimits,
    pub answer: AnswerLimits,
    pub embedded: EmbeddedLimits,
    pub engine: EngineConfig,
    pub llm: LlmConfig,
    pub serve: ServeLimits,
}

/// Limits on reading one file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadLimits {
    /// Bytes of one file.
    pub max_file_bytes: u64,
    /// Rows of one sheet.
    pub max_rows: u64,
    /// Columns of one table.
    pub max_columns: usize,
    /// Cells of one workbook sheet's used rectangle; a far stray cell may not allocate more.
    pub max_cells: u64,
    /// Bytes a workbook may unpack to.
    pub max_unpacked_bytes: u64,
    /// Bytes sniffed for encoding and delimiter.
    pub sniff_bytes: usize,
    /// Bytes of one quoted cell of a text; a quote that is not closed within them is a character.
    pub max_record_bytes: usize,
    /// Bytes of one line of a text.
    pub max_line_bytes: usize,
    /// Places listed for each kind of note; the rest is counted.
    pub max_places: usize,
    /// Characters of a knowledge base's name.
    pub max_name_chars: usize,
    /// Read workbooks in a process of its own, which a hostile file ends instead of this one.
    pub own_process: bool,
    /// Bytes of memory that such a process may take.
    pub max_memory_bytes: u64,
    /// Seconds that it may take.
    pub timeout_seconds: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 1 << 30,
            max_rows: 5_000_000,
            max_columns: 2_000,
            max_cells: 200_000_000,
            max_unpacked_bytes: 4 << 30,
            sniff_bytes: 256 << 10,
            max_record_bytes: 1 << 20,
            max_line_bytes: 64 << 20,
            max_places: 10,
            max_name_chars: 100,
            own_process: true,
            max_memory_bytes: 4 << 30,
            timeout_seconds: 600,
        }
    }
}

/// Limits on one statement.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SqlLimits {
    /// Characters of a statement.
    pub max_chars: usize,
    /// SELECTs within SELECTs.
    pub max_nesting: usize,
    /// The largest LIMIT on the outermost SELECT; a larger one is lowered.
    pub max_limit: u64,
    /// Seconds a statement may run.
    pub timeout_seconds: u64,
    /// Bytes the query engine may hold.
    pub max_memory_bytes: usize,
    /// Cells printed as an IN list; more stay a MATCH.
    pub max_in_list: usize,
    /// Levels of nested expressions.
    pub max_expression_depth: usize,
    /// Tables that a statement may read, those of a named query wherever it is named.
    pub max_relations: usize,
    /// Times that a text made in a statement may be longer than the cells it is made of.
    pub max_text_growth: u64,
    /// Bytes of one text put together of many rows.
    pub max_text_bytes: usize,
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self {
            max_chars: 2_000,
            max_nesting: 3,
            max_limit: 10_000,
            timeout_seconds: 30,
            max_memory_bytes: 2 << 30,
            max_in_list: 200,
            max_expression_depth: 50,
            max_relations: 24,
            max_text_growth: 200,
            max_text_bytes: 1 << 20,
        }
    }
}

/// Limits on one answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerLimits {
    /// Rows shown.
    pub max_rows: usize,
    /// Rows cited.
    pub max_citations: usize,
    /// Rows found by search.
    pub search_rows: usize,
    /// Characters of a question.
    pub max_question_chars: usize,
    /// Repairs of a refused statement.
    pub repairs: usize,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { max_rows: 1_000, max_citations: 50, search_rows: 8, max_question_chars: 2_000, repairs: 1 }
    }
}

/// Limits of the embedded engine.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddedLimits {
    /// Segments of one table before small ones are merged.
    pub max_segments: usize,
    /// Rows of one Arrow batch and one Parquet row group.
    pub batch_rows: usize,
    pub row_group_rows: usize,
    /// Bytes of hot columns kept in memory.
    pub cache_bytes: usize,
    /// Distinct values of one field that are kept for value look-ups.
    pub max_distinct: usize,
    /// Bytes of the search index writer.
    pub search_writer_bytes: usize,
    /// Partitions of a query; 0 is one for each processor.
    pub partitions: usize,
}

impl Default for EmbeddedLimits {
    fn default() -> Self {
        Self {
            max_segments: 32,
            batch_rows: 8_192,
            row_group_rows: 131_072,
            cache_bytes: 1 << 30,
            max_distinct: 100_000,
            search_writer_bytes: 64 << 20,
            partitions: 0,
        }
    }
}

/// The engine of knowledge bases, and the limits of one on a server.
#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineConfig {
    /// `embedded`, or the hosts of one Elasticsearch or OpenSearch: `http(s)://host:port[,…]`.
    pub url: String,
    pub user: String,
    /// Never printed.
    pub password: String,
    /// As the server gives it, encoded. Never printed.
    pub api_key: String,
    /// Certificates (PEM) that are trusted instead of the system's.
    pub ca_file: String,
    /// What the names of its indexes begin with.
    pub index_prefix: String,
    /// Seconds for one try of a request.
    pub timeout_seconds: u64,
    /// Seconds that a request is tried again on 429, 502, 503, 504 and failed connections.
    pub patience_seconds: u64,
    /// Bytes of one bulk request.
    pub bulk_bytes: usize,
    /// Rows of one page of a scan.
    pub page_rows: usize,
    /// Distinct values of one field that are kept for value look-ups.
    pub max_distinct: usize,
    /// Stored fields of one knowledge base; a text field is two.
    pub max_fields: usize,
}

impl EngineConfig {
    pub fn is_embedded(&self) -> bool {
        self.url.trim().eq_ignore_ascii_case("embedded") || self.url.trim().is_empty()
    }
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            url: "embedded".to_owned(),
            user: String::new(),
            password: String::new(),
            api_key: String::new(),
            ca_file: String::new(),
            index_prefix: "sheetwise-".to_owned(),
            timeout_seconds: 60,
            patience_seconds: 60,
            bulk_bytes: 4 << 20,
            page_rows: 5_000,
            max_distinct: 100_000,
            max_fields: 10_000,
        }
    }
}

impl std::fmt::Debug for EngineConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineConfig").field("index_prefix", &self.index_prefix).finish_non_exhaustive()
    }
}

/// The OpenAI-compatible model; none where `base_url` is empty.
#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    pub base_url: String,
    /// Never printed.
    pub api_key: String,
    pub model: String,
    pub temperature: f64,
    /// Seconds for one call, its further tries included.
    pub timeout_seconds: u64,
    /// Tries of one call on 429, 5xx and connection errors.
    pub tries: usize,
    /// Bytes of one reply.
    pub max_reply_bytes: usize,
    /// Characters of one prompt.
    pub max_prompt_chars: usize,
    /// Tables and columns named in one prompt.
    pub max_tables: usize,
    pub max_columns: usize,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            api_key: String::new(),
            model: String::new(),
            temperature: 0.06,
            timeout_seconds: 60,
            tries: 3,
            max_reply_bytes: 1 << 20,
            max_prompt_chars: 24_000,
            max_tables: 50,
            max_columns: 200,
        }
    }
}

impl std::fmt::Debug for LlmConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LlmConfig")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Limits of the service.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeLimits {
    /// Files of one upload.
    pub max_files: usize,
    /// Bytes of a body that is not an upload.
    pub max_body_bytes: usize,
    /// Documents that wait for their parse.
    pub max_queue: u64,
    /// Documents read side by side; their rows are written in turn.
    pub max_parses: usize,
    /// Questions and statements worked on at once.
    pub max_questions: usize,
    /// Seconds that a question waits for its turn.
    pub wait_seconds: u64,
    /// Seconds that an upload may stand still.
    pub upload_idle_seconds: u64,
    /// Seconds that requests under way are given when the service stops.
    pub stop_seconds: u64,
    /// Entries of one page.
    pub max_page: u64,
    /// Repairs of a refused statement that a chat may ask for.
    pub max_repairs: usize,
    /// Statements that a chat may set for fixed questions.
    pub max_statements: usize,
    /// Seconds that an agent's upload waits for its parse.
    pub upload_wait_seconds: u64,
    /// Web pages elsewhere that may call, separated by commas.
    pub allowed_origins: String,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            max_files: 256,
            max_body_bytes: 4 << 20,
            max_queue: 1_000,
            max_parses: 2,
            max_questions: 16,
            wait_seconds: 4,
            upload_idle_seconds: 60,
            stop_seconds: 10,
            max_page: 10_000,
            max_repairs: 5,
            max_statements: 100,
            upload_wait_seconds: 30,
            allowed_origins: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_printed() {
        let config = LlmConfig { api_key: "secret-key".into(), ..LlmConfig::default() };
        assert!(!format!("{config:?}").contains("secret-key"));
        let engine = EngineConfig {
            url: "http://u:secret-url@h".into(),
            password: "secret-word".into(),
            api_key: "secret-key".into(),
            ..EngineConfig::default()
        };
        assert!(!format!("{engine:?}").contains("secret"));
    }
}
