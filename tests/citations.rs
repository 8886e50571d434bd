//! Aggregates stand on the rows they cite: the same items over the cited rows alone give the same numbers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use datafusion::sql::sqlparser::ast::{Expr, Query, Select, SetExpr, Statement};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use serde_json::Value;
use sheetwise::app::{App, Session};
use sheetwise::ask::{Answer, Mode, Outcome, Path as Way};
use sheetwise::config::Config;
use sheetwise::ingest::Upload;
use sheetwise::sheet::ReadOptions;

use crate::binary::{fixture, lines, root, shared};

/// Every cited row is listed, and long conditions may be written.
fn config() -> Config {
    let mut config = Config::default();
    config.answer.max_citations = 1_000_000;
    config.answer.max_rows = 1_000_000;
    config.sql.max_chars = 1_000_000;
    config
}

async fn opened(files: &[PathBuf]) -> (App, Session) {
    let app = App::temporary(config()).await.expect("an application");
    let uploads = files.iter().map(|file| Upload::file(file, ReadOptions::default())).collect();
    let (session, _) = app.read(uploads).await.expect("a session");
    (app, session)
}

/// The aggregate select of an answer; `None` for plain selects, and for those over more than one table.
fn aggregate(asked: &str) -> Option<Query> {
    let mut statements = Parser::parse_sql(&GenericDialect {}, asked).ok()?;
    let Some(Statement::Query(query)) = statements.pop() else { return None };
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    let grouped = !select.group_by.to_string().trim_end_matches("GROUP BY ").is_empty();
    let items = select.projection.iter().map(ToString::to_string).collect::<String>().to_uppercase();
    let called =
        ["COUNT(", "SUM(", "AVG(", "MIN(", "MAX(", "MEDIAN(", "STDDEV("].iter().any(|name| items.contains(name));
    let windowed = items.contains(" OVER ");
    (single_table(select) && (called || grouped) && !windowed && !items.contains("SELECT")).then_some(*query)
}

fn single_table(select: &Select) -> bool {
    select.from.len() == 1 && select.from[0].joins.is_empty() && select.from[0].relation.to_string().find('(').is_none()
}

/// A condition that the cited rows meet and no others.
fn cited(answer: &Answer) -> String {
    let mut places: BTreeMap<(&str, &str), BTreeSet<u64>> = BTreeMap::new();
    for chunk in &answer.reference.chunks {
        let new = places.entry((&chunk.docnm_kwd, &chunk.sheet)).or_default().insert(chunk.row);
        assert!(new, "{} row {} is cited twice", chunk.sheet, chunk.row);
    }
    let quoted = |text: &str| text.replace('\'', "''");
    let of_sheet = |((file, sheet), rows): (&(&str, &str), &BTreeSet<u64>)| {
        let ranges: Vec<String> = ranges(rows).iter().map(|(a, b)| format!("row_long BETWEEN {a} AND {b}")).collect();
        format!("(docnm_kwd = '{}' AND sheet_kwd = '{}' AND ({}))", quoted(file), quoted(sheet), ranges.join(" OR "))
    };
    match places.is_empty() {
        true => "row_long < 0".to_owned(),
        false => places.iter().map(of_sheet).collect::<Vec<_>>().join(" OR "),
    }
}

fn ranges(rows: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &row in rows {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == row => *last = row,
            _ => ranges.push((row, row)),
        }
    }
    ranges
}

fn condition(text: &str) -> Expr {
    let parser = Parser::new(&GenericDialect {}).try_with_sql(text);
    parser.and_then(|mut parser| parser.parse_expr()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The same items over the cited rows alone.
fn over_cited(mut query: Query, answer: &Answer) -> String {
    query.order_by = None;
    query.limit_clause = None;
    query.fetch = None;
    if let SetExpr::Select(select) = query.body.as_mut() {
        select.selection = Some(condition(&cited(answer)));
        select.having = None;
    }
    query.to_string()
}

/// Rows as a set of texts; doubles to twelve digits, as sums may be added in another order.
fn rows(answer: &Answer) -> Vec<String> {
    let cell = |value: &Value| match value.as_f64() {
        Some(number) => format!("{number:.11e}"),
        None => value.to_string(),
    };
    let mut rows: Vec<String> =
        answer.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" | ")).collect();
    rows.sort();
    rows
}

/// Checks one answer; says whether it was an aggregate.
async fn check(app: &App, session: &Session, answer: &Answer) -> bool {
    let Some(sql) = &answer.sql else { return false };
    let Some(query) = aggregate(&sql.asked) else { return false };
    let reference = &answer.reference;
    assert_eq!(reference.total, reference.chunks.len() as u64, "{}", sql.asked);
    assert_eq!(reference.total, reference.doc_aggs.iter().map(|doc| doc.count).sum::<u64>(), "{}", sql.asked);
    let again = over_cited(query, answer);
    match app.sql(session, &again).await {
        Ok(Outcome::Answered(recomputed)) => assert_eq!(rows(&recomputed), rows(answer), "{}\n{again}", sql.asked),
        Ok(Outcome::Refused(refusal)) => panic!("{}: {again}: {refusal}", sql.asked),
        Err(error) => panic!("{}: {again}: {error}", sql.asked),
    }
    true
}

/// The aggregate answers of a question set.
async fn check_set(set: &Path) {
    let mut apps: HashMap<Vec<PathBuf>, (App, Session)> = HashMap::new();
    let (mut aggregates, mut answers) = (0, 0);
    for case in lines(set) {
        let folder = set.parent().unwrap_or(Path::new("."));
        let files = case["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let files: Vec<PathBuf> = files.map(|file| folder.join(file)).collect();
        if !apps.contains_key(&files) {
            apps.clear();
            apps.insert(files.clone(), opened(&files).await);
        }
        let (Some((app, session)), Some(question)) = (apps.get(&files), case["question"].as_str()) else { continue };
        let answer = app.ask(session, question, Mode::Sql).await.unwrap_or_else(|error| panic!("{question}: {error}"));
        answers += u32::from(answer.path != Way::Declined);
        aggregates += u32::from(check(app, session, &answer).await);
    }
    println!("{}: {aggregates} aggregates of {answers} answers hold", set.display());
}

#[tokio::test]
async fn answers_of_the_fixtures_stand_on_their_rows() {
    let mut sets: Vec<PathBuf> = std::fs::read_dir(root().join("fixtures/cases"))
        .expect("fixtures/cases is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    sets.sort();
    for set in sets {
        check_set(&set).await;
    }
}

#[tokio::test]
async fn answers_of_the_shared_questions_stand_on_their_rows() {
    let Some(folder) = shared() else { return };
    for set in ["zh_retqa", "wtq", "aitqa_en", "dabench_en"] {
        check_set(&folder.join(format!("questions/{set}.jsonl"))).await;
    }
}

#[tokio::test]
async fn statements_of_every_kind_stand_on_their_rows() {
    let (app, session) = opened(&[fixture("orders.csv").into(), fixture("销售台账.xlsx").into()]).await;
    let table = [
        "SELECT COUNT(*), SUM(amount), AVG(qty), MIN(date), MAX(customer), MEDIAN(qty) FROM orders",
        "SELECT COUNT(*), SUM(amount) FROM orders WHERE qty > 20 OR region = 'North'",
        "SELECT COUNT(DISTINCT customer) FROM orders WHERE NOT region = 'North'",
        "SELECT SUM(amount) FROM orders WHERE qty > 1000",
        "SELECT region, COUNT(*), SUM(amount) FROM orders GROUP BY region",
        "SELECT region, SUM(amount) AS s FROM orders GROUP BY region ORDER BY s DESC LIMIT 2",
        "SELECT region, SUM(amount) AS s FROM orders GROUP BY region ORDER BY s DESC LIMIT 2 OFFSET 1",
        "SELECT customer, COUNT(*) FROM orders WHERE date >= '2024-01' GROUP BY customer HAVING COUNT(*) > 10",
        "SELECT customer, region, AVG(amount) FROM orders GROUP BY customer, region HAVING SUM(qty) BETWEEN 50 AND 150",
        "SELECT YEAR(date) AS y, MONTH(date) AS m, SUM(qty) FROM orders GROUP BY y, m ORDER BY y, m LIMIT 3",
        "SELECT CASE WHEN qty > 20 THEN 'big' ELSE 'small' END AS size, COUNT(*) FROM orders GROUP BY size",
        "SELECT SUM(CASE WHEN region = 'North' THEN amount ELSE 0 END) / SUM(amount) FROM orders",
        "SELECT customer, COUNT(*) FROM orders WHERE MATCH(customer, 'acme blue', 'operator=OR') GROUP BY customer",
        "SELECT COUNT(*) FROM orders WHERE qty > (SELECT AVG(qty) FROM orders)",
        "SELECT COUNT(*) FROM orders WHERE customer IN (SELECT customer FROM orders WHERE qty = 40)",
        "SELECT 部门, SUM(数量), COUNT(*) FROM xiao_shou_tai_zhang WHERE sheet_kwd <> '二月' GROUP BY 部门",
        "SELECT sheet_kwd, MAX(数量) FROM xiao_shou_tai_zhang GROUP BY sheet_kwd",
        "SELECT DISTINCT region FROM orders GROUP BY region",
    ];
    for statement in table {
        match app.sql(&session, statement).await {
            Ok(Outcome::Answered(answer)) => assert!(check(&app, &session, &answer).await, "{statement}"),
            Ok(Outcome::Refused(refusal)) => panic!("{statement}: {refusal}; {}", refusal.hint),
            Err(error) => panic!("{statement}: {error}"),
        }
    }
}

/// A row of a plain select and the row that is cited for it are the same.
#[tokio::test]
async fn plain_rows_are_cited_by_themselves() {
    let files = [fixture("orders.csv").into(), fixture("销售台账.xlsx").into()];
    let (app, session) = opened(&files).await;
    for (statement, label) in [
        ("SELECT id, customer FROM orders WHERE qty > 30 ORDER BY amount DESC, id", "id"),
        ("SELECT id FROM orders ORDER BY note, id LIMIT 20 OFFSET 7", "id"),
        ("SELECT 销售员 FROM xiao_shou_tai_zhang WHERE 数量 > 10 ORDER BY 日期 DESC", "销售员"),
    ] {
        let Ok(Outcome::Answered(answer)) = app.sql(&session, statement).await else { panic!("{statement}") };
        assert_eq!(answer.rows.len(), answer.reference.chunks.len(), "{statement}");
        assert!(!answer.rows.is_empty(), "{statement}");
        for (row, chunk) in answer.rows.iter().zip(&answer.reference.chunks) {
            let line = format!("{label}: {}", row[0].as_str().unwrap_or_default());
            assert!(chunk.content.lines().any(|other| other == line), "{line:?} is not in {:?}", chunk.content);
        }
    }
}
