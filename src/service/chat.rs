//! Chats and their sessions: a question in a session is answered over the chat's datasets and kept.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::dataset::damaged;
use super::{Caller, Dataset, Service, ServiceError, SqlSettings};
use crate::ask::Answer;
use crate::catalog::{CatalogError, ChatRecord, PageQuery, SessionRecord};
use crate::ids::Id;

/// What a chat's owner set.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatSettings {
    pub avatar: String,
    pub description: Option<String>,
    pub dataset_ids: Vec<String>,
    /// Those that it has or ever had: its sessions may speak of them.
    pub seen_ids: Vec<String>,
    /// As it was sent.
    pub llm: Map<String, Value>,
    /// As it was sent.
    pub prompt: Map<String, Value>,
    pub sql: SqlSettings,
}

/// A chat of the caller's.
#[derive(Debug, Clone)]
pub struct Chat {
    pub record: ChatRecord,
    pub settings: ChatSettings,
}

/// What a chat says first, and of what it does not find.
pub const OPENER: &str = "Hi! I'm your assistant. What can I do for you?";

impl Chat {
    fn of(record: ChatRecord) -> Result<Self, ServiceError> {
        let settings = serde_json::from_str(&record.details).map_err(damaged)?;
        Ok(Self { record, settings })
    }

    /// A new one; nothing is kept yet.
    pub fn new(caller: &Caller, name: &str) -> Self {
        let created = chrono::Utc::now().timestamp_millis();
        let (id, owner, name) = (Id::new(), caller.owner.id, name.to_owned());
        let record = ChatRecord { id, owner, name, details: String::new(), created, updated: created };
        Self { record, settings: ChatSettings::default() }
    }

    /// A text of the prompt that was set.
    pub fn prompt(&self, name: &str) -> Option<&str> {
        self.settings.prompt.get(name).and_then(Value::as_str)
    }

    fn opener(&self) -> &str {
        self.prompt("opener").unwrap_or(OPENER)
    }
}

impl Service {
    /// Keeps a chat; `false` where another of the owner's is called so.
    pub async fn put_chat(&self, chat: &mut Chat) -> Result<bool, ServiceError> {
        let seen = &mut chat.settings.seen_ids;
        seen.extend(chat.settings.dataset_ids.iter().filter(|id| !seen.contains(id)).cloned().collect::<Vec<_>>());
        chat.record.details = serde_json::to_string(&chat.settings).map_err(damaged)?;
        match self.app.catalog().put_chat(&chat.record).await {
            Err(CatalogError::NameTaken(_)) => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }

    /// A page of the caller's chats: one that is for some datasets sees those that never had others.
    pub async fn chats(&self, caller: &Caller, query: &PageQuery) -> Result<Vec<Chat>, ServiceError> {
        let query = PageQuery { within: caller.datasets.clone(), ..query.clone() };
        let records = self.app.catalog().chats(caller.owner.id, &query).await?;
        records.into_iter().map(Chat::of).collect()
    }

    /// The caller's chat of this id.
    pub async fn chat(&self, caller: &Caller, id: Id) -> Result<Option<Chat>, ServiceError> {
        let query = PageQuery { id: Some(id), take: 1, ..PageQuery::default() };
        Ok(self.chats(caller, &query).await?.pop())
    }

    pub async fn delete_chat(&self, chat: &Chat) -> Result<(), ServiceError> {
        Ok(self.app.catalog().remove_chat(chat.record.id).await?)
    }

    /// The chat's datasets that are still there.
    pub async fn chat_datasets(&self, caller: &Caller, chat: &Chat) -> Result<Vec<Dataset>, ServiceError> {
        let mut datasets = Vec::new();
        for id in chat.settings.dataset_ids.iter().filter_map(|id| id.parse().ok()) {
            datasets.extend(self.dataset(caller, id).await?);
        }
        Ok(datasets)
    }

    /// Begins a session with the chat's first words.
    pub async fn begin_session(&self, chat: &Chat, name: &str, user_id: &str) -> Result<SessionRecord, ServiceError> {
        let created = chrono::Utc::now().timestamp_millis();
        let session = SessionRecord {
            id: Id::new(),
            chat: chat.record.id,
            name: name.to_owned(),
            user_id: user_id.to_owned(),
            created,
            updated: created,
            messages: vec![json!({"role": "assistant", "content": chat.opener()}).to_string()],
        };
        self.app.catalog().add_session(&session).await?;
        Ok(session)
    }

    pub async fn sessions(&self, chat: &Chat, query: &PageQuery) -> Result<Vec<SessionRecord>, ServiceError> {
        Ok(self.app.catalog().sessions(chat.record.id, query).await?)
    }

    /// Keeps a question and its answer.
    pub async fn say(&self, session: Id, messages: &[Value]) -> Result<(), ServiceError> {
        let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
        Ok(self.app.catalog().say(session, &messages).await?)
    }

    pub async fn rename_session(&self, session: Id, name: &str) -> Result<(), ServiceError> {
        Ok(self.app.catalog().rename_session(session, name).await?)
    }

    pub async fn delete_session(&self, session: Id) -> Result<(), ServiceError> {
        Ok(self.app.catalog().remove_session(session).await?)
    }

    /// Answers a question over the chat's datasets, or those of their documents that are named.
    pub async fn answer(
        self: &Arc<Self>,
        caller: &Caller,
        chat: &Chat,
        question: String,
        documents: Option<Vec<Id>>,
    ) -> Result<Answer, ServiceError> {
        let datasets = self.chat_datasets(caller, chat).await?;
        let sql = &chat.settings.sql;
        let session = self.session(&datasets, documents).await?.repairing(sql.repairs);
        match sql.statement(&question) {
            Some(statement) => self.set_answer(caller, session, question, statement.to_owned()).await,
            None => self.ask(caller, session, question, sql.way()).await,
        }
    }
}
