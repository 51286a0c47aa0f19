//! What browsers show of a page on their own, as in an archive, a mail or a preview: with its scripts, and without them.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use tiny_skia::{Pixmap, PremultipliedColorU8};

use crate::common::browser::Browser;
use crate::{common, report, sample};

/// The least share of a page that bands have.
const BANDS: f64 = 0.1;
/// The least share that the grey around its cards has.
const SURROUND: f64 = 0.01;

in_chromium! {
    without_scripts_chromium_shows_the_picture,
}

/// A page with another one in it that fills the window, and more.
fn around(page: &Path, attribute: &str, more: &str) -> PathBuf {
    let name = page.file_name().and_then(OsStr::to_str).expect("a name");
    let style = "* { margin: 0; border: 0 } iframe { width: 100vw; height: 100vh }";
    let frame = format!("<iframe {attribute} src={name}></iframe>{more}");
    let outer = page.with_file_name("outer.html");
    fs::write(&outer, format!("<!doctype html><html data-ready><style>{style}</style>{frame}"))
        .expect("a page");
    outer
}

/// The picture that Firefox takes of a page; `None` if it does not run.
fn in_firefox(page: &Path) -> Option<Pixmap> {
    let named = std::env::var("HEAPVIZ_FIREFOX").ok();
    let mut programs = named.iter().map(String::as_str).chain(["firefox-esr", "firefox"]);
    let picture = programs.find_map(|program| {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("page.png");
        let mut firefox = Command::new(program);
        firefox.args(["--headless", "--window-size", "1280,800", "--profile"]).arg(home.path());
        firefox.arg("--screenshot").arg(&file).arg(format!("file://{}", page.display()));
        firefox.env("HOME", home.path()).output().ok()?;
        Pixmap::decode_png(&fs::read(file).ok()?).ok()
    });
    if picture.is_none() {
        common::skipped("no firefox (apt-get install firefox-esr, or set HEAPVIZ_FIREFOX)");
    }
    picture
}

/// The share of a picture that has some colour.
fn share(picture: &Pixmap, has: impl Fn(&PremultipliedColorU8) -> bool) -> f64 {
    let pixels = picture.pixels();
    pixels.iter().filter(|pixel| has(pixel)).count() as f64 / pixels.len() as f64
}

fn bands(picture: &Pixmap) -> f64 {
    share(picture, |pixel| {
        let (red, green, blue) = (pixel.red(), pixel.green(), pixel.blue());
        red.max(green).max(blue) - red.min(green).min(blue) > 40
    })
}

/// The grey around the cards of the page, which no picture has.
fn surround(picture: &Pixmap) -> f64 {
    share(picture, |pixel| (pixel.red(), pixel.green(), pixel.blue()) == (0xf4, 0xf5, 0xf7))
}

fn is_the_picture(picture: &Pixmap) {
    let found = (bands(picture), surround(picture));
    assert!(found.0 > BANDS && found.1 < SURROUND, "{found:?}");
}

/// A page in a sandbox may not run scripts.
fn without_scripts_chromium_shows_the_picture(browser: &mut Browser) {
    let report = report(&sample("leak-hT.eventlog"));
    let outer = around(&report.path, "sandbox", "");
    let mut tab = browser.open_at(&outer, "", |tab| tab.resize(1280, 800));
    // Chromium says that it ran no script.
    tab.must_be_quiet = false;
    tab.wait_for("document.readyState === 'complete'");
    is_the_picture(&Pixmap::decode_png(&tab.screenshot()).expect("a picture"));
}

#[test]
fn without_scripts_firefox_shows_the_picture() {
    let report = report(&sample("leak-hT.eventlog"));
    if let Some(picture) = in_firefox(&around(&report.path, "sandbox", "")) {
        is_the_picture(&picture);
    }
}

/// Firefox takes its picture when all of a page is loaded, which may be before the scripts have drawn. So the page is in
/// another one, which waits for an image.
#[test]
fn in_firefox_the_scripts_draw_the_page() {
    let report = report(&sample("leak-hT.eventlog"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let outer = around(&report.path, "", &format!("<img src=http://{address}/>"));
    let mut found = (0.0, 0.0);
    for seconds in [2, 10, 50] {
        let listener = listener.try_clone().expect("a port");
        thread::spawn(move || {
            for mut image in listener.incoming().map_while(Result::ok).take(1) {
                let _ = image.read(&mut [0; 1024]);
                thread::sleep(Duration::from_secs(seconds));
                let _ = image.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            }
        });
        let Some(picture) = in_firefox(&outer) else {
            return;
        };
        found = (bands(&picture), surround(&picture));
        if found.0 > BANDS && found.1 > SURROUND {
            return;
        }
    }
    panic!("bands and surround: {found:?}");
}
