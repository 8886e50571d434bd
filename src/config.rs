//! Configuration: one struct that holds every limit. Defaults, then a TOML file, then the environment, then flags.

use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub read: ReadLimits,
    pub sql: SqlLimits,
    pub answer: AnswerLimits,
    pub embedded: EmbeddedLimits,
    pub llm: LlmConfig,
}

/// Limits on reading one file.
#[derive(Debug, Clone, Deserialize)]
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
    /// Places listed for each kind of note; the rest is counted.
    pub max_places: usize,
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
            max_places: 10,
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
