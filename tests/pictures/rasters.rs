//! PNG and PDF show what the SVG shows.
//!
//! The PNG is compared with resvg's rendering of the SVG of the same scene. Two rasterisers differ a little
//! along slanted edges: 6 pixels in 100 000 when this was written; a missing tick label would be 30. (Only
//! charts without characters that the font lacks: heapviz draws them as boxes, resvg not at all.)

use std::fs;
use std::path::Path;
use std::time::Duration;

use heapviz::chart::Chart;
use heapviz::draw::{self, DrawOptions, Palette};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::picture::{Fonts, Scene, Theme, text_width};
use heapviz::render::{PdfOptions, PngOptions, SvgOptions, pdf, png, svg};
use heapviz::slice::rank::RankOptions;
use resvg::{tiny_skia, usvg};

use crate::common::generator::Random;
use crate::common::generator::testing::Stopwatch;

/// The largest difference in a channel that is not counted: resvg samples the edge of a letter at sixteen places,
/// which can be a seventh of a pixel from what it covers.
const SLIGHT: u8 = 38;
/// The share of pixels that may differ by more than that.
const MOST_DIFFERENT: f64 = 0.0003;

fn chart(sample: &str) -> Chart {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let file = fs::File::open(path).expect("a sample");
    let profile = read_drawable(file, &InputOptions::default()).expect("a profile");
    Chart::of_profile(&profile, &RankOptions::default())
}

fn scene(sample: &str, palette: Palette) -> Scene {
    draw::chart(&chart(sample), &DrawOptions { palette, ..DrawOptions::default() })
}

pub struct Image {
    pub width: usize,
    height: usize,
    pub rgb: Vec<u8>,
}

pub fn decode(bytes: &[u8]) -> Image {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a small image")];
    let info = reader.next_frame(&mut rgb).expect("an image");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    Image { width: info.width as usize, height: info.height as usize, rgb }
}

fn by_resvg(svg: &str, scale: f64) -> Image {
    let mut options = usvg::Options { font_family: "DejaVu Sans".to_owned(), ..Default::default() };
    for font in [text_width::REGULAR, text_width::BOLD] {
        options.fontdb_mut().load_font_data(font.to_vec());
    }
    let tree = usvg::Tree::from_str(svg, &options).expect("an SVG that resvg can read");
    let side = |length: f32| (f64::from(length) * scale).round() as u32;
    let (width, height) = (side(tree.size().width()), side(tree.size().height()));
    let mut pixels = tiny_skia::Pixmap::new(width, height).expect("an image");
    let transform = tiny_skia::Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    let mut rgb = Vec::with_capacity(3 * pixels.pixels().len());
    for pixel in pixels.data().chunks_exact(4) {
        rgb.extend_from_slice(&pixel[..3]);
    }
    Image { width: width as usize, height: height as usize, rgb }
}

fn save(name: &str, width: usize, rgb: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut bytes = Vec::new();
    let height = rgb.len() / 3 / width;
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(rgb).expect("an image");
    writer.finish().expect("an end");
    fs::write(&path, bytes).expect("a writable folder");
    path.display().to_string()
}

/// A description of the difference, if it is larger than allowed.
fn compare(name: &str, actual: &Image, expected: &Image) -> Option<String> {
    assert_eq!((actual.width, actual.height), (expected.width, expected.height), "{name}");
    // Most pixels are equal, and this comparison is fast even without optimisation.
    let pixels = actual.rgb.chunks_exact(3).zip(expected.rgb.chunks_exact(3));
    let is_far =
        |(a, b): &(&[u8], &[u8])| a != b && a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > SLIGHT);
    let different = pixels.filter(is_far).count();
    let share = different as f64 / (actual.width * actual.height) as f64;
    if share <= MOST_DIFFERENT {
        return None;
    }
    let far: Vec<u8> = actual.rgb.iter().zip(&expected.rgb).map(|(a, b)| a.abs_diff(*b)).collect();
    let saved: Vec<String> =
        [("expected", &expected.rgb), ("actual", &actual.rgb), ("difference", &far)]
            .map(|(what, rgb)| save(&format!("{name}-{what}.png"), actual.width, rgb))
            .to_vec();
    Some(format!("{name}: {:.2} % of pixels differ, see {}", 100.0 * share, saved.join(", ")))
}

#[test]
fn the_png_matches_the_svg_rendered_by_resvg() {
    let mut wrong = Vec::new();
    for (sample, palette) in [
        ("leak-hy.eventlog", Palette::Vivid),
        ("bands-hy.hp", Palette::Safe),
        ("leak-hb.eventlog", Palette::Grey),
        ("leak-hd.hp", Palette::Grey),
        ("leak-he.eventlog", Palette::Vivid),
        ("leak-hc.eventlog", Palette::Safe),
    ] {
        let scene = scene(sample, palette);
        for (theme, scale) in
            [(Theme::Light, 1.0), (Theme::Dark, 1.0), (Theme::Light, 2.0), (Theme::Dark, 2.0)]
        {
            let name = format!("{sample}-{}-{theme:?}-{scale}", palette.name());
            let options = PngOptions { scale, theme, ..PngOptions::default() };
            let rendered = png(&scene, &options).expect("a PNG");
            let text = svg(&scene, &SvgOptions { theme: Some(theme) });
            wrong.extend(compare(&name, &decode(&rendered.bytes), &by_resvg(&text, scale)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_png_has_the_right_signature_and_size() {
    let scene = scene("leak-hy.eventlog", Palette::Vivid);
    let rendered = png(&scene, &PngOptions { scale: 2.0, ..PngOptions::default() }).expect("a PNG");
    let reader =
        png::Decoder::new(std::io::Cursor::new(&rendered.bytes)).read_info().expect("a PNG");
    let info = reader.info();
    assert_eq!((info.width, info.height), (1920, 2 * scene.height as u32));
    assert_eq!(info.pixel_dims.expect("a density").xppu, 7559);
    let mut texts: Vec<(String, String)> = Vec::new();
    for text in &info.uncompressed_latin1_text {
        texts.push((text.keyword.clone(), text.text.clone()));
    }
    for text in &info.utf8_text {
        texts.push((text.keyword.clone(), text.get_text().expect("text")));
    }
    let said = |keyword: &str| texts.iter().find(|text| text.0 == keyword).map(|text| &*text.1);
    assert_eq!(said("Title"), Some(&*scene.title));
    assert_eq!(said("Source"), scene.source.as_deref());
    assert_eq!(said("Software"), Some(concat!("heapviz ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_png_of_absurd_size_is_refused() {
    let big = DrawOptions { width: 20_000.0, height: 20_000.0, ..DrawOptions::default() };
    let scene = draw::chart(&chart("leak-hy.eventlog"), &big);
    let error = png(&scene, &PngOptions::default()).expect_err("too big");
    assert_eq!(
        error.to_string(),
        "20000 x 20000 pixels are more than the 67 million a PNG may have"
    );
    assert!(error.hint().is_some());
    for scale in [0.0, -1.0, 8.5, f64::NAN, f64::INFINITY] {
        assert!(png(&scene, &PngOptions { scale, ..PngOptions::default() }).is_err(), "{scale}");
    }
}

#[test]
fn the_same_scene_gives_the_same_pdf_with_text_that_can_be_selected() {
    for palette in Palette::ALL {
        let scene = scene("leak-hy.eventlog", palette);
        let first = pdf(&scene, &PdfOptions::default()).expect("a PDF");
        let second = pdf(&scene, &PdfOptions::default()).expect("a PDF");
        assert!(first.bytes == second.bytes, "{palette:?}");
        assert!(first.missing.is_empty());
        assert!(first.bytes.starts_with(b"%PDF-1."));
        let has = |what: &[u8]| first.bytes.windows(what.len()).any(|window| window == what);
        assert!(has(b"/ToUnicode") && has(b"/MediaBox[0 0 720"));
        assert!(!has(b"CreationDate") && !has(b"ModDate"));
        assert!(first.bytes.len() < 200_000, "{}", first.bytes.len());
    }
}

/// The number of damaged fonts to try; `HEAPVIZ_MUTATIONS` overrides it.
fn damaged_fonts() -> usize {
    std::env::var("HEAPVIZ_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

#[test]
fn a_damaged_font_is_refused_or_used_without_delay() {
    let scene = scene("leak-hy.eventlog", Palette::default());
    let mut drawn = 0;
    for seed in 0..damaged_fonts() {
        let mut random = Random::new(seed as u64, "fonts");
        let mut font = text_width::REGULAR.to_vec();
        for _ in 0..1 << random.index(6) {
            // The start of a table determines how the rest of it is read.
            let table = 12 + 16 * random.index(usize::from(font[5]));
            let offset = font.get(table + 8..table + 12).map_or(0, |bytes| {
                bytes.iter().fold(0, |offset, &byte| offset << 8 | usize::from(byte))
            });
            let at = [table, offset + random.index(40), random.index(font.len())][random.index(3)];
            let length = 1 + random.index(4);
            let byte = [0, 0xFF, 0x7F, random.index(256) as u8][random.index(4)];
            font.iter_mut().skip(at).take(length).for_each(|old| *old = byte);
        }
        let start = Stopwatch::start();
        if let Ok(fonts) = Fonts::with_font(font) {
            let as_png = png(&scene, &PngOptions { fonts: fonts.clone(), ..PngOptions::default() });
            let as_pdf = pdf(&scene, &PdfOptions { fonts, ..PdfOptions::default() });
            drawn += usize::from(as_png.is_ok()) + usize::from(as_pdf.is_ok());
        }
        let took = start.elapsed();
        assert!(took < Duration::from_secs(10), "{seed}: {took:?}");
    }
    assert!(drawn > damaged_fonts() / 4, "only {drawn} pictures");
}
