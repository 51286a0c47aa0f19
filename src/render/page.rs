//! A picture in an HTML page, for places that accept HTML but not SVG.

use super::svg::{SvgOptions, svg};
use crate::scene::Scene;

/// The page: the SVG, as wide as the window if it fits, without any script.
pub fn page(scene: &Scene, options: &SvgOptions) -> String {
    let title = scene.title.replace('&', "&amp;").replace('<', "&lt;");
    let picture = svg(scene, options);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>body{{margin:0;font:13px/1.5 \"DejaVu Sans\",Verdana,sans-serif}}\
         svg{{display:block;margin:0 auto;max-width:100%;height:auto}}</style>\n\
         </head>\n<body>\n{picture}\n</body>\n</html>\n"
    )
}
