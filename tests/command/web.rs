//! The page of `heapviz watch --web`, requested by clients that misbehave.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::command::{Folder, sample};
use crate::common::served::Served;

fn answer(served: &Served, bytes: &[u8]) -> String {
    String::from_utf8_lossy(&served.answer(bytes)).into_owned()
}

fn get(served: &Served, path: &str, host: &str, more: &str) -> String {
    answer(served, format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").as_bytes())
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("nothing")
}

fn folder() -> Folder {
    Folder::new().with("prog.hp", fs::read(sample("leak-hy.hp")).unwrap())
}

#[test]
fn only_local_requests_with_the_full_address_get_the_page() {
    let folder = folder();
    let mut served = Served::start(folder.path(), &["prog.hp"]);
    let (path, host) = (served.path().to_owned(), served.host().to_owned());
    let page = get(&served, &path, &host, "");
    assert_eq!(status(&page), "200");
    let head = page.split("\r\n\r\n").next().unwrap().to_ascii_lowercase();
    for header in [
        "content-security-policy: default-src 'none'; script-src 'sha256-",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    assert!(!head.contains("access-control"), "{head}");
    assert!(page.contains("<img id=\"picture\""), "it shows a picture before its script has drawn");
    let port = host.rsplit_once(':').unwrap().1;
    assert_eq!(status(&get(&served, &path, &format!("localhost:{port}"), "")), "200");
    for (path, host, more, expected) in [
        (&*path, "evil.example", "", "403"),
        (&*path, "127.0.0.1", "", "403"),
        (&*path, "127.0.0.1:80", "", "403"),
        (&*path, &*host, "Origin: http://evil.example\r\n", "403"),
        (&*path, &*host, "Origin: null\r\n", "403"),
        (&*path, &*host, "Host: evil.example\r\n", "403"),
        (&*format!("{path}events"), &*host, "Sec-Fetch-Site: cross-site\r\n", "403"),
        ("/", &*host, "", "404"),
        (&path[..path.len() - 1], &*host, "", "404"),
        (&path[..path.len() - 2], &*host, "", "404"),
        ("/00000000000000000000000000000000/", &*host, "", "404"),
        (&*format!("{path}../../etc/passwd"), &*host, "", "404"),
    ] {
        let said = get(&served, path, host, more);
        assert_eq!(status(&said), expected, "{path} {host} {more}");
        assert!(!said.contains("class=\"island\""), "{said}");
    }
    let no_host = format!("GET {path} HTTP/1.0\r\n\r\n");
    assert_eq!(status(&answer(&served, no_host.as_bytes())), "403");
    let shell = get(&served, &format!("{path}shell.json"), &host, "");
    let shell: Vec<String> =
        serde_json::from_str(shell.split_once("\r\n\r\n").unwrap().1).expect("JSON");
    assert_eq!(shell.concat(), heapviz::report::shell().concat());
    // The run has ended, and the watch ends when the user ends it.
    assert_eq!(served.interrupt(), Some(0));
}

#[test]
fn slow_and_oversized_requests_are_soon_dropped() {
    let folder = folder();
    let served = Served::start(folder.path(), &["prog.hp"]);
    let (path, host) = (served.path().to_owned(), served.host().to_owned());
    for junk in [&b"\x16\x03\x01\x02\x00\x01"[..], b"GET\r\n\r\n", b"\0\0\0\0\r\n\r\n"] {
        assert_eq!(status(&answer(&served, junk)), "400");
    }
    let long = format!("X: {}\r\n", "a".repeat(20_000));
    assert_eq!(status(&get(&served, &path, &host, &long)), "431");
    let endless = [b"GET /".to_vec(), vec![b'a'; 1 << 20]].concat();
    assert!(["414", "431", "nothing"].contains(&status(&answer(&served, &endless))));
    // A client that sends one byte from time to time.
    let mut slow = TcpStream::connect(served.host()).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let began = Instant::now();
    slow.write_all(b"GET / HT").unwrap();
    while matches!(slow.read(&mut [0; 64]), Err(error) if error.kind() != ErrorKind::ConnectionReset)
    {
        assert!(began.elapsed() < Duration::from_secs(15), "a slow client is not sent away");
        let _ = slow.write_all(b"T");
    }
    assert!(began.elapsed() > Duration::from_secs(9));
}

/// A stream of the page's events.
fn events(served: &Served) -> TcpStream {
    let mut stream = TcpStream::connect(served.host()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let (path, host) = (served.path(), served.host());
    write!(stream, "GET {path}events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    stream
}

/// They neither keep others out nor cost more than a few of them would; a client that has sent a request keeps its
/// connection, and one more than all streams gets an answer.
#[test]
fn idle_connections_make_way_for_active_ones() {
    let folder = folder();
    let served = Served::start(folder.path(), &["prog.hp"]);
    let (path, host) = (served.path().to_owned(), served.host().to_owned());
    let mut kept = events(&served);
    kept.read_exact(&mut [0; 12]).unwrap();
    let mut half_open: Vec<TcpStream> = Vec::new();
    for more in 0..300 {
        let mut stream = TcpStream::connect(served.host()).unwrap();
        let _ = stream.write_all(b"GET / HT");
        half_open.push(stream);
        if more % 50 == 49 {
            assert_eq!(status(&get(&served, &path, &host, "")), "200", "after {more}");
        }
    }
    let is_open = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        matches!(stream.read(&mut [0; 64]), Err(error) if error.kind() != ErrorKind::ConnectionReset)
    };
    let open = half_open.iter_mut().map(is_open).filter(|&open| open).count();
    assert!((1..=32).contains(&open), "{open} are open");
    kept.set_nonblocking(true).unwrap();
    let left = std::iter::repeat_with(|| kept.read(&mut [0; 1 << 16]))
        .find(|read| !matches!(read, Ok(1..)));
    assert_eq!(left.unwrap().unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(half_open);
    let streams: Vec<TcpStream> = (0..31)
        .map(|_| {
            let mut stream = events(&served);
            stream.read_exact(&mut [0; 12]).unwrap();
            stream
        })
        .collect();
    assert_eq!(status(&get(&served, &path, &host, "")), "nothing");
    drop(streams);
}

#[test]
fn odd_requests_get_no_data() {
    let folder = folder();
    let served = Served::start(folder.path(), &["prog.hp"]);
    let (path, host) = (served.path().to_owned(), served.host().to_owned());
    let request = |start: &str, more: &str| {
        answer(&served, format!("{start} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").as_bytes())
    };
    for method in ["HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"] {
        for place in ["", "events", "shell.json"] {
            let said = request(&format!("{method} {path}{place}"), "X-Secret: s3cret\r\n");
            assert_eq!(status(&said), "405", "{method} {place}: {said}");
            let said = said.to_ascii_lowercase();
            assert!(!said.contains("access-control") && !said.contains("s3cret"), "{said}");
        }
    }
    let foreign = request(&format!("GET http://evil.example{path}"), "");
    assert_eq!(status(&foreign), "403");
    assert_ne!(status(&request(&format!("CONNECT {host}"), "")), "200");
    // Of several requests in one packet only the first is answered.
    let one = format!("GET {path}shell.json HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let said = answer(&served, one.repeat(5).as_bytes());
    assert_eq!(said.matches("HTTP/1.1 ").count(), 1);
    // The server never waits for a body.
    for body in ["Content-Length: 1000000000\r\n", "Transfer-Encoding: chunked\r\n"] {
        assert_eq!(status(&request(&format!("POST {path}"), body)), "405");
        assert!(["200", "400"].contains(&status(&request(&format!("GET {path}"), body))));
    }
    let smuggled =
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n";
    let said = request(&format!("GET {path}shell.json"), smuggled);
    assert!(said.matches("HTTP/1.1 ").count() == 1, "{said}");
}
