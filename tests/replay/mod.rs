//! A local model server: it replays replies from a list over real HTTP and records what it was asked.
//!
//! One reply for each connection, in order; when the list is at its end it answers 500.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use sheetwise::config::LlmConfig;

/// What the server does with one call.
#[derive(Clone)]
pub enum Reply {
    /// A chat completion with this text.
    Say(String),
    /// A status, headers and a body.
    Status(u16, Vec<(&'static str, &'static str)>, &'static str),
    /// 200 with this body, whatever it is.
    Body(String),
    /// Holds the call this long, then closes it without a word.
    Hang(Duration),
    /// Closes the connection at once.
    Close,
}

impl Reply {
    pub fn say(text: &str) -> Self {
        Reply::Say(text.to_owned())
    }

    /// The statement in a code fence with prose around it.
    pub fn fenced(sql: &str) -> Self {
        Reply::Say(format!("Here is the query:\n```sql\n{sql};\n```\nIt reads every row."))
    }

    /// The statement after a think block that holds another statement.
    pub fn thinking(sql: &str) -> Self {
        Reply::Say(format!("<think>Perhaps SELECT 1; no, it needs a sum.</think>\n{sql}"))
    }

    pub fn status(code: u16) -> Self {
        Reply::Status(code, Vec::new(), r#"{"error":{"message":"replayed failure"}}"#)
    }

    pub fn busy(retry_after: &'static str) -> Self {
        Reply::Status(429, vec![("Retry-After", retry_after)], r#"{"error":{"message":"slow down"}}"#)
    }
}

/// One recorded call.
#[derive(Debug, Clone)]
pub struct Call {
    /// `POST /v1/chat/completions`.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Call {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The running server; it ends when dropped.
pub struct Replay {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
    thread: Option<JoinHandle<()>>,
}

impl Replay {
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free local port");
        let address = listener.local_addr().expect("the port that was bound");
        let calls = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&calls);
        let thread = std::thread::spawn(move || serve(&listener, &replies, &recorded));
        Self { address, calls, thread: Some(thread) }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A configuration that asks this server.
    pub fn config(&self) -> LlmConfig {
        LlmConfig {
            base_url: self.base_url(),
            api_key: "sk-replayed".to_owned(),
            model: "replay".to_owned(),
            timeout_seconds: 20,
            ..LlmConfig::default()
        }
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("the server thread did not panic").clone()
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        // A connection that says nothing wakes the thread and tells it to end.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, replies: &[Reply], calls: &Mutex<Vec<Call>>) {
    let mut replies = replies.iter();
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { return };
        let Some(call) = read_call(&stream) else { return };
        calls.lock().expect("no test thread panics while it holds the calls").push(call);
        let answer = match replies.next() {
            Some(Reply::Say(text)) => response(200, &[], &completion(text)),
            Some(Reply::Body(body)) => response(200, &[], body),
            Some(Reply::Status(code, headers, body)) => response(*code, headers, body),
            Some(Reply::Hang(time)) => {
                std::thread::sleep(*time);
                continue;
            }
            Some(Reply::Close) => continue,
            None => response(500, &[], r#"{"error":"no reply is left"}"#),
        };
        // The client may have gone; that is its affair.
        let _ = stream.write_all(answer.as_bytes());
    }
}

fn read_call(stream: &TcpStream) -> Option<Call> {
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line).ok()?;
    let target = line.rsplit_once(' ')?.0.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    Some(Call { target, headers, body: serde_json::from_slice(&body).ok()? })
}

fn completion(text: &str) -> String {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    json!({"id": "replay", "object": "chat.completion", "model": "replay", "choices": [choice],
           "usage": {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97}})
    .to_string()
}

fn response(code: u16, headers: &[(&str, &str)], body: &str) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    format!(
        "HTTP/1.1 {code} Replayed\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    )
}
