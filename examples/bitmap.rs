//! Draws a heap profile into a plotters drawing area. Here it is plotters' own bitmap; a canvas in a web page
//! or an area of a GTK window works the same way.
//!
//! ```sh
//! cargo run --example bitmap -- samples/leak-hy.eventlog heap.ppm
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;

use heapviz::input::{InputOptions, read_drawable};
use heapviz::render::{AreaOptions, BOLD_FONT, REGULAR_FONT, paint};
use heapviz::{Chart, DrawOptions, RankOptions, draw_chart};
use plotters::prelude::{BitMapBackend, FontStyle, IntoDrawingArea, WHITE};
use plotters::style::register_font;

const SIZE: (u32, u32) = (960, 540);

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(from), Some(to)) = (words.next(), words.next()) else {
        return Err("which profile, and which .ppm file?".into());
    };
    let profile = read_drawable(File::open(from)?, &InputOptions::default())?;
    let chart = Chart::of_profile(&profile, &RankOptions::default());
    let scene = draw_chart(&chart, &DrawOptions::default());

    // plotters' bitmap has no font of its own.
    let fonts = [(FontStyle::Normal, REGULAR_FONT), (FontStyle::Bold, BOLD_FONT)];
    for (style, font) in fonts {
        register_font("sans-serif", style, font).map_err(|_| "the bundled font is damaged")?;
    }
    let mut pixels = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        paint(&scene, &area, &AreaOptions::default())?;
        area.present()?;
    }
    let mut image = File::create(&to)?;
    writeln!(image, "P6 {} {} 255", SIZE.0, SIZE.1)?;
    image.write_all(&pixels)?;
    println!("{to}: {} bytes", fs::metadata(&to)?.len());
    Ok(())
}
