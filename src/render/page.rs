//! A picture in an HTML page, for places that accept HTML but not SVG.

use super::svg::{SvgOptions, svg};
use crate::scene::Scene;

/// The page: the SVG, as wide as the window if it fits, without any script. `below` is HTML that is
/// under it; empty for nothing.
pub fn page(scene: &Scene, options: &SvgOptions, below: &str) -> String {
    let title = scene.title.replace('&', "&amp;").replace('<', "&lt;");
    let picture = svg(scene, options);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>body{{margin:0;font:13px/1.5 \"DejaVu Sans\",Verdana,sans-serif}}\
         svg{{display:block;margin:0 auto;max-width:100%;height:auto}}\
         table{{border-collapse:collapse;margin:1.5em auto;max-width:100%}}\
         td,th{{padding:.15em .8em;text-align:right;font-weight:normal;\
         border-bottom:1px solid #8884}}th{{opacity:.7}}\
         :is(td,th).left{{text-align:left;overflow-wrap:anywhere}}</style>\n\
         </head>\n<body>\n{picture}\n{below}</body>\n</html>\n"
    )
}
