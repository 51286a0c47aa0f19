//! What Firefox shows of a page: it has another engine, and every script must run in it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use tiny_skia::{Pixmap, PremultipliedColorU8};

use crate::{common, report, sample};

/// The picture that a Firefox takes of a page; `None` if it does not run.
fn picture(program: &str, page: &Path) -> Option<Pixmap> {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("page.png");
    let mut firefox = Command::new(program);
    firefox.args(["--headless", "--window-size", "1280,800", "--profile"]).arg(home.path());
    firefox.arg("--screenshot").arg(&file).arg(format!("file://{}", page.display()));
    firefox.env("HOME", home.path()).output().ok()?;
    Pixmap::decode_png(&fs::read(file).ok()?).ok()
}

/// The share of a picture that is coloured, which bands are.
fn coloured(picture: &Pixmap) -> f64 {
    let is_coloured = |pixel: &&PremultipliedColorU8| {
        let (red, green, blue) = (pixel.red(), pixel.green(), pixel.blue());
        red.max(green).max(blue) - red.min(green).min(blue) > 40
    };
    let pixels = picture.pixels();
    pixels.iter().filter(is_coloured).count() as f64 / pixels.len() as f64
}

/// Firefox takes its picture when all of a page is loaded, which may be before the scripts have drawn. So the page is in
/// another one, which waits for an image.
#[test]
fn the_page_is_drawn() {
    let report = report(&sample("leak-hT.eventlog"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let outer = report.path.with_file_name("outer.html");
    let frame = "<!doctype html><style>* { margin: 0; border: 0 } iframe { width: 100vw; height: 100vh }</style>";
    let page = format!("{frame}<iframe src=report.html></iframe><img src=http://{address}/>");
    fs::write(&outer, page).expect("a page");
    let named = std::env::var("HEAPVIZ_FIREFOX").ok();
    let programs = named.iter().map(String::as_str).chain(["firefox-esr", "firefox"]);
    let mut drawn = 0.0;
    for seconds in [2, 10, 50] {
        let listener = listener.try_clone().expect("a port");
        thread::spawn(move || {
            for mut image in listener.incoming().map_while(Result::ok).take(1) {
                let _ = image.read(&mut [0; 1024]);
                thread::sleep(Duration::from_secs(seconds));
                let _ = image.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            }
        });
        let Some(picture) = programs.clone().find_map(|program| picture(program, &outer)) else {
            return common::skipped(
                "no firefox (apt-get install firefox-esr, or set HEAPVIZ_FIREFOX)",
            );
        };
        drawn = coloured(&picture);
        if drawn > 0.1 {
            return;
        }
    }
    panic!("only {:.1} % of the page is coloured", 100.0 * drawn);
}
