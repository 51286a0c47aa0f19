//! heapviz for a web page: takes a file, and returns its report with every message that the command would
//! print.
//!
//! The page calls [`draw`] in a worker, once for each file. This module is only the interface between Rust
//! and JavaScript; [`drawn`] does the work.

pub mod drawn;

use std::io::{self, Read};

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use drawn::Drawn;

#[wasm_bindgen]
extern "C" {
    /// A file that the reader has chosen (`page/worker.js`).
    pub type ChosenFile;

    /// Copies the next bytes of the file into a buffer and returns their number; 0 at the end.
    #[wasm_bindgen(method, catch)]
    fn read(this: &ChosenFile, buffer: &mut [u8]) -> Result<u32, JsValue>;

    /// Shows how many bytes have been read, and how many samples have been found.
    #[wasm_bindgen(js_name = showProgress)]
    fn show_progress(bytes: f64, samples: u32);
}

/// Reads a profile and makes its report; `name` is the file's name in messages.
#[wasm_bindgen]
pub fn draw(file: &ChosenFile, name: &str) -> Answer {
    let watch = |bytes: u64, samples: usize| {
        show_progress(bytes as f64, u32::try_from(samples).unwrap_or(u32::MAX));
    };
    Answer(drawn::draw(Bytes(file), name, watch))
}

/// The result for a file.
#[wasm_bindgen]
pub struct Answer(Drawn);

#[wasm_bindgen]
impl Answer {
    /// The HTML of the report; `undefined` if the file could not be drawn.
    #[wasm_bindgen(getter)]
    pub fn page(&self) -> Option<String> {
        self.0.page.clone()
    }

    /// Three texts for each message: `note`, `warning` or `error`; the message; the hint, or an empty
    /// text.
    #[wasm_bindgen(getter)]
    pub fn messages(&self) -> Vec<String> {
        let texts = |message: &drawn::Message| {
            let hint = message.hint.clone().unwrap_or_default();
            [message.severity.word().to_owned(), message.text.clone(), hint]
        };
        self.0.messages.iter().flat_map(texts).collect()
    }
}

/// The bytes of a chosen file.
struct Bytes<'a>(&'a ChosenFile);

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer).map_err(|error| {
            // For example a file that was moved or changed after it was chosen.
            let text = error.as_string();
            io::Error::other(
                text.unwrap_or_else(|| "the browser does not return its bytes".to_owned()),
            )
        })?;
        Ok(read as usize)
    }
}
