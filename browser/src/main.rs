//! Builds the page: compiles the library for browsers, and joins it with the files in `page/` into
//! one HTML file.
//!
//! The WebAssembly is compressed and written as Base 64, because a page opened from a disk may not fetch
//! anything. The page's policy forbids every connection. It allows the script of the page and the script of
//! reports by their digests, because a report shown in a frame is subject to the policy of the page
//! around it.

#[cfg(not(target_family = "wasm"))]
fn main() -> std::process::ExitCode {
    match build::run() {
        Ok(said) => {
            println!("{said}");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(target_family = "wasm")]
fn main() {}

#[cfg(not(target_family = "wasm"))]
mod build {
    use std::error::Error;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::{env, fs};

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use sha2::{Digest, Sha256};
    use wasm_bindgen_cli_support::Bindgen;

    const TARGET: &str = "wasm32-unknown-unknown";
    const TEMPLATE: &str = include_str!("../page/page.html");
    const STYLE: &str = include_str!("../page/page.css");
    const PAGE: &str = include_str!("../page/page.js");
    const WORKER: &str = include_str!("../page/worker.js");
    /// A larger page is a mistake: something was compiled in that reports do not need.
    const MOST_BYTES: usize = 2_000_000;

    /// Builds the page and returns a message with its path.
    pub fn run() -> Result<String, Box<dyn Error>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let output = match &env::args_os().skip(1).collect::<Vec<_>>()[..] {
            [] => root.join("target/heapviz.html"),
            [output] => PathBuf::from(output),
            _ => return Err("give one argument, the page to write, or none".into()),
        };
        let compiled = Compiled::of(&compile(&root.join("target/web"))?)?;
        let page = page(&compiled)?;
        if let Some(folder) = output.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&output, &page)?;
        Ok(format!("{}: {} bytes", output.display(), page.len()))
    }

    /// Compiles the library of this crate, and returns the path of its WebAssembly.
    fn compile(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--lib", "--release", "--locked", "--target", TARGET, "--target-dir"])
            .arg(folder)
            .arg("--manifest-path")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .status()?;
        if !status.success() {
            return Err(format!(
                "the library does not build for {TARGET}: rustup target add {TARGET}"
            )
            .into());
        }
        Ok(folder.join(TARGET).join("release/heapviz_browser.wasm"))
    }

    /// The library for browsers, and the script that loads it.
    struct Compiled {
        wasm: Vec<u8>,
        loader: String,
    }

    impl Compiled {
        fn of(library: &Path) -> Result<Self, Box<dyn Error>> {
            let mut output = Bindgen::new()
                .input_path(library)
                .no_modules(true)?
                .typescript(false)
                .remove_name_section(true)
                .remove_producers_section(true)
                .generate_output()?;
            let loader = output.js().to_owned();
            Ok(Compiled { wasm: output.wasm_mut().emit_wasm(), loader })
        }
    }

    /// The complete page.
    fn page(compiled: &Compiled) -> Result<String, Box<dyn Error>> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&compiled.wasm)?;
        let wasm = STANDARD.encode(gzip.finish()?);
        let worker = format!("{}\n{WORKER}", compiled.loader);
        if worker.contains("</script") {
            return Err("the worker's script would end the element that holds it".into());
        }
        let policy = format!(
            "default-src 'none'; connect-src 'none'; script-src 'sha256-{}' {} 'wasm-unsafe-eval'; \
             style-src 'unsafe-inline'; img-src data:; worker-src blob:; frame-src blob:; \
             base-uri 'none'; form-action 'none'",
            STANDARD.encode(Sha256::digest(PAGE)),
            heapviz::report::script_digests(),
        );
        let mut page = TEMPLATE.to_owned();
        for (place, text) in [
            ("{{policy}}", policy.as_str()),
            ("{{style}}", STYLE),
            ("{{wasm}}", &wasm),
            ("{{worker}}", &worker),
            ("{{script}}", PAGE),
        ] {
            let (before, after) = page.split_once(place).ok_or(place)?;
            page = [before, text, after].concat();
        }
        if page.len() > MOST_BYTES {
            return Err(format!("the page has {} bytes, more than {MOST_BYTES}", page.len()).into());
        }
        Ok(page)
    }
}
