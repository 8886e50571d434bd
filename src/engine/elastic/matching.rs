//! The rows that each MATCH of a statement finds, asked of the server before the statement runs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use serde_json::Value;

use super::condition::{has_words, tokens_of};
use super::keys::Keys;
use super::moment::Moment;
use super::place::Place;
use super::query::{exists, not, nothing, terms};
use crate::engine::EngineError;
use crate::engine::cells::{column_of, words};
use crate::engine::matching::{Call, Hits, Need, SegmentHits};
use crate::sql::{Code, Refusal};
use crate::tokens;

pub(super) async fn answers(
    moment: &Arc<Moment>,
    places: &[Arc<Place>],
    calls: Vec<Call>,
) -> Result<HashMap<Call, Arc<Hits>>, EngineError> {
    let mut answers = HashMap::new();
    for call in calls {
        if let Entry::Vacant(answer) = answers.entry(call) {
            let hits = answered(moment, places, answer.key()).await?;
            answer.insert(Arc::new(hits));
        }
    }
    Ok(answers)
}

async fn answered(moment: &Arc<Moment>, places: &[Arc<Place>], call: &Call) -> Result<Hits, EngineError> {
    let refused = |message: String| Refusal::new(Code::NotRunnable, message, "MATCH takes a text field of its table");
    let place = places.iter().find(|place| place.name == call.table);
    let place = place.ok_or_else(|| refused(format!("MATCH names the table {}", call.table)))?;
    let query = match call.field.as_str() {
        "docnm_kwd" => of_documents(place, call),
        field => has_words(call, &tokens_of(field)),
    };
    let query = query.ok_or_else(|| refused(format!("MATCH has no option {}", call.options)))?;
    let column = column_of(&call.field);
    // A segment without an entry would be null.
    let segments = place.parts.iter().flat_map(|part| &part.segments);
    let mut hits: Hits = segments.map(|live| (live.segment.no, SegmentHits::default())).collect();
    Keys { moment, place, query }.each(|segment, row| hits.entry(segment).or_default().rows.insert(row)).await?;
    if place.field(&column).is_some() {
        let query = not(exists(&column));
        Keys { moment, place, query }.each(|segment, row| hits.entry(segment).or_default().nulls.insert(row)).await?;
    }
    Ok(hits)
}

/// Rows of the documents whose name has enough of the words.
fn of_documents(place: &Place, call: &Call) -> Option<Value> {
    let (need, words) = (Need::read(&call.options)?, words(&call.words));
    let has = |name: &str| {
        let own = tokens::tokens(name);
        !words.is_empty() && words.iter().filter(|word| own.contains(word)).count() >= need.of(words.len())
    };
    let documents = place.documents.all.iter().filter(|document| has(&document.name));
    let numbers: Vec<Value> = documents.map(|document| document.no.into()).collect();
    Some(if numbers.is_empty() { nothing() } else { terms("doc_no", numbers) })
}
