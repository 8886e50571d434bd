//! Where settings come from: a TOML file, and the environment above it.

use std::path::Path;

use toml::{Table, Value};

use super::Config;

/// A settings file or variable that can't be used; the message names it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("settings file {path}: {detail}")]
    File { path: String, detail: String },
    #[error("settings: {0}; see the configuration reference in the README")]
    Setting(String),
}

/// Defaults, then `file`, then the environment: `SHEETWISE_{SECTION}_{SETTING}`, and for addresses and secrets `LLM_{SETTING}` and
/// `ENGINE_{SETTING}`.
pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
    let mut settings = match file {
        Some(path) => read(path)?,
        None => Table::new(),
    };
    for (name, text) in std::env::vars() {
        if let Some((section, setting)) = variable(&name) {
            set(&mut settings, section, &setting, &text)?;
        }
    }
    settings.clone().try_into().map_err(|error: toml::de::Error| named(&settings, &error))
}

/// The error with the setting it is about: the first that fails alone.
fn named(settings: &Table, error: &toml::de::Error) -> ConfigError {
    for (section, values) in settings {
        for (setting, value) in values.as_table().into_iter().flatten() {
            let inner = Table::from_iter([(setting.clone(), value.clone())]);
            let alone = Table::from_iter([(section.clone(), Value::Table(inner))]);
            if let Err(error) = alone.try_into::<Config>() {
                return ConfigError::Setting(format!("{section}.{setting}: {}", error.message()));
            }
        }
    }
    ConfigError::Setting(error.message().to_owned())
}

fn read(path: &Path) -> Result<Table, ConfigError> {
    let fault = |detail: String| ConfigError::File { path: path.display().to_string(), detail };
    let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    text.parse::<Table>().map_err(|error| fault(error.message().to_owned()))
}

const SECTIONS: [&str; 7] = ["read", "sql", "answer", "embedded", "engine", "llm", "serve"];

/// Settings that are text even where they look like a number, by section.
const TEXTS: [(&str, &[&str]); 3] = [
    ("llm", &["base_url", "api_key", "model"]),
    ("engine", &["url", "user", "password", "api_key", "ca_file", "index_prefix"]),
    ("serve", &["allowed_origins"]),
];

/// The setting that a variable names. `SHEETWISE_CONFIG`, `SHEETWISE_DATA` and `SHEETWISE_LOG` are not of a section.
fn variable(name: &str) -> Option<(&'static str, String)> {
    for (section, settings) in TEXTS {
        if let Some(setting) = name.strip_prefix(&format!("{}_", section.to_uppercase())) {
            let setting = setting.to_lowercase();
            return settings.contains(&setting.as_str()).then_some((section, setting));
        }
    }
    let rest = name.strip_prefix("SHEETWISE_")?.to_lowercase();
    SECTIONS.iter().find_map(|section| {
        let setting = rest.strip_prefix(section)?.strip_prefix('_')?;
        Some((*section, setting.to_owned()))
    })
}

fn set(settings: &mut Table, section: &str, setting: &str, text: &str) -> Result<(), ConfigError> {
    let entry = settings.entry(section).or_insert_with(|| Value::Table(Table::new()));
    let table = entry.as_table_mut().ok_or_else(|| ConfigError::Setting(format!("`{section}` is not a section")))?;
    let text_setting = TEXTS.iter().any(|(of, settings)| *of == section && settings.contains(&setting));
    let value = match (text_setting, text.parse::<i64>(), text.parse::<f64>()) {
        (false, Ok(number), _) => Value::Integer(number),
        (false, _, Ok(number)) => Value::Float(number),
        (false, _, _) if text == "true" || text == "false" => Value::Boolean(text == "true"),
        _ => Value::String(text.to_owned()),
    };
    table.insert(setting.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_names_a_section_and_a_setting() {
        assert_eq!(variable("SHEETWISE_SQL_MAX_CHARS"), Some(("sql", "max_chars".into())));
        assert_eq!(variable("LLM_API_KEY"), Some(("llm", "api_key".into())));
        assert_eq!(variable("ENGINE_URL"), Some(("engine", "url".into())));
        assert_eq!(variable("ENGINE_PAGE_ROWS"), None);
        assert_eq!(variable("SHEETWISE_DATA"), None);
        assert_eq!(variable("LLM_OTHER"), None);
    }

    #[test]
    fn an_unknown_setting_is_an_error_and_not_ignored() {
        let mut settings = Table::new();
        set(&mut settings, "sql", "max_charz", "5").expect("a section");
        assert!(settings.try_into::<Config>().is_err());
    }
}
