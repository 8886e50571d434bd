//! A small HTTP proxy before a node that does what networks and busy servers do.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What happens to a bulk request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It is answered 429 and not passed on.
    Busy,
    /// Half of it is read, then the connection is reset.
    CutBefore,
    /// The node does it, and its answer is never given.
    CutAfter,
}

pub struct Proxy {
    pub address: String,
    /// Bulk requests that met the fault.
    pub met: Arc<AtomicUsize>,
}

/// A proxy before `node` (`http://host:port`): every second bulk request, at most `most` of them, meets the fault.
pub fn proxy(node: &str, fault: Fault, most: usize) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (met, bulks) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (node, counter) = (node.trim_start_matches("http://").to_owned(), met.clone());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (node, met, bulks) = (node.clone(), counter.clone(), bulks.clone());
            std::thread::spawn(move || {
                let turn = |head: &str| {
                    let is_bulk = head.contains("/_bulk");
                    let hit = is_bulk && bulks.fetch_add(1, Ordering::SeqCst) % 2 == 0;
                    (hit && met.fetch_add(1, Ordering::SeqCst) < most).then_some(fault)
                };
                // A connection that ends is the end of its thread.
                let _ = serve(client, &node, turn);
            });
        }
    });
    Proxy { address, met }
}

fn serve(mut client: TcpStream, node: &str, turn: impl Fn(&str) -> Option<Fault>) -> std::io::Result<()> {
    loop {
        let Some((head, rest)) = head(&mut client)? else { return Ok(()) };
        let length = content_length(&head);
        let fault = turn(&head);
        if fault == Some(Fault::CutBefore) {
            body(&mut client, rest, length / 2)?;
            return client.shutdown(Shutdown::Both);
        }
        let sent = body(&mut client, rest, length)?;
        if fault == Some(Fault::Busy) {
            client.write_all(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\n{}")?;
            continue;
        }
        // The node ends its answer by closing, whatever form it has.
        let mut server = TcpStream::connect(node)?;
        server.write_all(head.trim_end().as_bytes())?;
        server.write_all(b"\r\nconnection: close\r\n\r\n")?;
        server.write_all(&sent)?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        if fault != Some(Fault::CutAfter) {
            client.write_all(&answer)?;
        }
        return client.shutdown(Shutdown::Both);
    }
}

/// The head of a message, and what came of its body.
fn head(stream: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut read = Vec::new();
    let mut some = [0; 4096];
    loop {
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let rest = read.split_off(end + 4);
            return Ok(Some((String::from_utf8_lossy(&read).into_owned(), rest)));
        }
        match stream.read(&mut some)? {
            0 => return Ok(None),
            n => read.extend_from_slice(&some[..n]),
        }
    }
}

fn content_length(head: &str) -> usize {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    lengths.next().and_then(|(_, length)| length.trim().parse().ok()).unwrap_or_default()
}

fn body(stream: &mut TcpStream, mut read: Vec<u8>, length: usize) -> std::io::Result<Vec<u8>> {
    let mut some = [0; 65_536];
    while read.len() < length {
        match stream.read(&mut some)? {
            0 => break,
            n => read.extend_from_slice(&some[..n]),
        }
    }
    Ok(read)
}
