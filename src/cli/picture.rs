//! A scene in each of the picture formats.

#[cfg(feature = "pdf")]
use heapviz::render::PdfOptions;
use heapviz::render::{self, EpsOptions, PngOptions, Purpose, Rendered, SvgOptions};
use heapviz::scene::{Fonts, Scene, Theme};

use crate::cli::failure::Failure;
use crate::cli::target::Format;

/// What all pictures of a command line have in common.
pub struct Look<'a> {
    /// Their colours; `None` leaves them to the reader where the format can.
    pub theme: Option<Theme>,
    /// Image pixels for each pixel of a picture.
    pub scale: f64,
    /// What text is drawn with.
    pub fonts: &'a Fonts,
}

/// A scene as a picture in the given format; formats that are not pictures become a page.
///
/// # Errors
/// A picture too large for its format, and a PDF in a build without that feature.
pub fn render(scene: &Scene, format: Format, look: &Look<'_>) -> Result<Rendered, Failure> {
    let theme = look.theme.unwrap_or_default();
    let fonts = || look.fonts.clone();
    let svg = SvgOptions::default().with_theme(look.theme);
    let eps = |purpose| {
        render::eps(scene, &EpsOptions::default().with_theme(theme).with_purpose(purpose))
    };
    Ok(match format {
        Format::Svg => render::svg(scene, &svg).into_bytes().into(),
        Format::Png => {
            let options = PngOptions::default().with_scale(look.scale);
            render::png(scene, &options.with_theme(theme).with_fonts(fonts()))?
        }
        #[cfg(feature = "pdf")]
        Format::Pdf => {
            render::pdf(scene, &PdfOptions::default().with_theme(theme).with_fonts(fonts()))?
        }
        #[cfg(not(feature = "pdf"))]
        Format::Pdf => {
            return Err(Failure::new("this heapviz was built without its feature `pdf`")
                .hint("write an SVG or EPS, or build heapviz with `--features pdf`"));
        }
        Format::Eps => eps(Purpose::Figure),
        Format::Ps => eps(Purpose::Page),
        _ => render::page(scene, &svg).into_bytes().into(),
    })
}
