//! Event streams as RAGFlow sends them: `data:` and one line of JSON, spaced as Python spaces it.

use std::io;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// `", "` and `": "` between.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// One frame.
pub fn frame(value: &Value) -> Bytes {
    let mut text = b"data:".to_vec();
    // Writing a value to memory does not fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut text, Spaced));
    text.extend_from_slice(b"\n\n");
    Bytes::from(text)
}

/// A stream of frames.
pub fn response(frames: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    use futures::StreamExt;
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(frames.map(Ok::<_, io::Error>))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_spaced_as_python_spaces_it() {
        let value = serde_json::json!({"code": 0, "data": {"answer": "和 \"x\"", "list": [1, 2], "none": {}}});
        let line = "data:{\"code\": 0, \"data\": {\"answer\": \"和 \\\"x\\\"\", \"list\": [1, 2], \"none\": {}}}\n\n";
        assert_eq!(frame(&value), line.as_bytes());
    }
}
