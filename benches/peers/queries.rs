//! Statements over one large table, inside running processes, beside DuckDB on Parquet that it wrote itself.
//!
//! First touch: the first statement of a fresh process. Warm: the same statement again, both sides in turn.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use crate::measure::{Pair, run, shown};
use crate::names::{Names, peers};
use crate::report::{Report, Target};
use crate::session::Session;
use crate::{Fallible, Setting, data, files, ingest};

/// Repeats in each process after the first touch.
const REPEATS: usize = 5;

/// What each case is, and its statement for both sides: `{label}` is a column, `{}` the table.
const CASES: [(&str, &str); 4] = [
    ("GROUP BY, 200 groups", "SELECT {城市}, COUNT(*) AS n, SUM({金额}) AS s FROM {} GROUP BY {城市} ORDER BY {城市}"),
    (
        "GROUP BY, 100 k groups, top 10",
        "SELECT {客户编号}, SUM({金额}) AS s FROM {} GROUP BY {客户编号} ORDER BY s DESC LIMIT 10",
    ),
    (
        "text = value and date range",
        "SELECT COUNT(*) AS n, SUM({金额}) AS s FROM {} \
         WHERE {省份} = '江苏' AND {下单日期} >= '2023-01-01' AND {下单日期} < '2023-07-01'",
    ),
    ("LIKE '%word%'", "SELECT COUNT(*) AS n FROM {} WHERE {备注} LIKE '%加急%'"),
];

/// Words that stand in 备注 as whole tokens.
const MATCH: &str = "SELECT COUNT(*) AS n FROM {} WHERE MATCH({备注}, 'fragile gift', 'operator=AND')";

/// Both sides' commands.
struct Sides {
    ours: Vec<OsString>,
    peer: Vec<OsString>,
    names: Names,
}

pub fn measure(setting: &Setting, report: &mut Report) -> Fallible<()> {
    println!("statements over {} rows", setting.rows);
    let csv = data::csv(&setting.folder, setting.rows)?;
    let sides = Sides::new(setting, &csv)?;
    println!("  ours: {}\n  peer: {}", shown(&sides.ours), shown(&sides.peer));
    for (what, template) in CASES {
        let (first, warm) = sides.compare(setting.runs, template)?;
        report.ratio(&format!("{what}: first touch"), &first, Target::AtMost(2.0));
        report.ratio(&format!("{what}: warm"), &warm, Target::AtMost(0.9));
    }
    sides.search(report)
}

/// Our side of a session on a knowledge base.
pub fn ours(store: &Path) -> Fallible<Vec<OsString>> {
    Ok(vec![std::env::current_exe()?.into(), "--serve".into(), store.into(), ingest::KB.into()])
}

impl Sides {
    fn new(setting: &Setting, csv: &Path) -> Fallible<Self> {
        let parquet = csv.with_extension("parquet");
        if !parquet.is_file() {
            run(&setting.peers, &files::copy(&setting.peers, setting.threads, csv, &parquet))?;
        }
        let store = ingest::ready(setting, csv)?;
        let threads = setting.threads.to_string();
        let peer = setting.peers.command("duck.py", &[&"serve", &threads, &parquet]);
        Ok(Self { ours: ours(&store)?, peer, names: Names::of(setting, csv)? })
    }

    /// First touches and warm repeats, both sides in turn.
    fn compare(&self, runs: usize, template: &str) -> Fallible<(Pair, Pair)> {
        let (ours, peers) = (format!("sql {}", self.names.ours(template)), peers(template));
        println!("  ours: {ours}\n  peer: {peers}");
        let (mut first, mut warm) = (Pair::default(), Pair::default());
        for _ in 0..runs {
            let (mut us, _) = Session::start(&self.ours)?;
            let (mut them, _) = Session::start(&self.peer)?;
            for repeat in 0..=REPEATS {
                let (our_reply, their_reply) = (us.run(&ours)?, them.run(&peers)?);
                same(&our_reply.rows, &their_reply.rows).map_err(|why| format!("{ours}: {why}"))?;
                let pair = if repeat == 0 { &mut first } else { &mut warm };
                pair.ours.push(our_reply.ms);
                pair.peer.push(their_reply.ms);
            }
            us.end()?;
            them.end()?;
        }
        Ok((first, warm))
    }

    fn search(&self, report: &mut Report) -> Fallible<()> {
        let statement = format!("sql {}", self.names.ours(MATCH));
        println!("  ours: {statement}");
        let (mut session, opened) = Session::start(&self.ours)?;
        let first = session.run(&statement)?.ms;
        let mut warm = Vec::new();
        for _ in 0..REPEATS {
            warm.push(session.run(&statement)?.ms);
        }
        session.end()?;
        report.figure("knowledge base opened", opened, "ms", Target::Shown);
        report.figure("MATCH of two words: first touch", first, "ms", Target::Shown);
        report.figure("MATCH of two words: warm", crate::measure::median(warm), "ms", Target::Shown);
        Ok(())
    }
}

/// The answers are the same: numbers to nine digits, all else to the letter.
pub fn same(ours: &[Vec<Value>], theirs: &[Vec<Value>]) -> Result<(), String> {
    if ours.len() != theirs.len() {
        return Err(format!("{} rows, the peer has {}", ours.len(), theirs.len()));
    }
    let differs = ours.iter().flatten().zip(theirs.iter().flatten()).find(|(a, b)| !close(a, b));
    differs.map_or(Ok(()), |(a, b)| Err(format!("{a}, the peer has {b}")))
}

fn close(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
        _ => a == b,
    }
}
