//! The keys of all rows that a query finds.

use std::sync::Arc;

use serde_json::{Value, json};

use super::moment::Moment;
use super::page::{KeyIn, Page};
use super::place::Place;
use crate::engine::EngineError;

pub(super) struct Keys<'a> {
    pub moment: &'a Arc<Moment>,
    pub place: &'a Place,
    /// Beside the scope of the place.
    pub query: Value,
}

impl Keys<'_> {
    /// Visits every row by its segment and its place there, in order.
    pub(super) async fn each(self, mut visit: impl FnMut(u32, usize)) -> Result<(), EngineError> {
        if self.place.parts.is_empty() {
            return Ok(());
        }
        let size = self.moment.page_rows();
        let mut after = None;
        loop {
            let mut body = json!({
                "size": size, "track_total_hits": false, "query": self.place.within([self.query.clone()]),
                "sort": [{ "row_key": "asc" }], "_source": false,
            });
            if let Some(after) = after {
                body["search_after"] = json!([after]);
            }
            let page = Page::read(&self.moment.search(body).await?, Vec::new(), KeyIn::Sort)?;
            for at in 0..page.rows {
                let key = page.key(at)?;
                visit((key >> 32) as u32, key as u32 as usize);
                after = Some(key);
            }
            if page.rows < size {
                return Ok(());
            }
        }
    }
}
