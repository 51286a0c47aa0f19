//! One job after the other: read, rank, draw, write.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use heapviz::chart::Chart;
use heapviz::input::{ReadError, read_drawable};
use heapviz::profile::Profile;
use heapviz::rank::rank;
use heapviz::{export, render, scene};

use super::args::{Command, Voice};
use super::output::{self, Delivery};
use super::report;
use super::target::{Format, Input, Job, Output};

/// Does every job; a failed one does not keep the others from being done.
pub fn run(command: &Command) -> ExitCode {
    let mut failed = false;
    for job in &command.jobs {
        match draw(job, command) {
            Ok(Delivery::Taken) => {}
            Ok(Delivery::ReaderGone) => break,
            Err(failure) => {
                failed = true;
                report::fail(&job.input, &failure.error, failure.hint);
            }
        }
    }
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// Why a job was not done.
struct Failure {
    error: String,
    hint: Option<&'static str>,
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Failure { error: error.to_string(), hint: error.hint() }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure { error: format!("{error:#}"), hint: None }
    }
}

fn draw(job: &Job, command: &Command) -> Result<Delivery, Failure> {
    output::refuse_inputs(&job.output, command.jobs.iter().map(|job| &job.input))?;
    if job.output == Output::Stdout && job.input == Input::Stdin && io::stdout().is_terminal() {
        let error = "the chart would go to the terminal".to_owned();
        return Err(Failure { error, hint: Some("name a file: heapviz - -o heap.svg") });
    }
    let profile = read(job, command)?;
    let chart = Chart::new(&profile, &rank(&profile, &command.rank));
    let bytes = bytes(job.format, &profile, &chart)?;
    let delivery = output::write(&job.output, &bytes)?;
    if command.voice == Voice::Normal {
        report::warn(&job.input, &chart.warnings);
        report::say(report::summary(&job.input, &job.output, &chart));
    }
    Ok(delivery)
}

fn read(job: &Job, command: &Command) -> Result<Profile, ReadError> {
    match &job.input {
        Input::Stdin => read_drawable(io::stdin().lock(), &command.input),
        Input::File(path) => {
            if path.is_dir() {
                let kind = io::ErrorKind::IsADirectory;
                return Err(io::Error::new(kind, "it is a folder").into());
            }
            read_drawable(File::open(path)?, &command.input)
        }
    }
}

fn bytes(format: Format, profile: &Profile, chart: &Chart) -> anyhow::Result<Vec<u8>> {
    Ok(match format {
        Format::Svg => {
            let scene = scene::draw(chart, &scene::SceneOptions::default());
            render::svg(&scene, &render::SvgOptions::default()).into_bytes()
        }
        Format::Json => export::json::write(chart).into_bytes(),
        Format::Csv => export::csv::write(chart).into_bytes(),
        Format::Hp => {
            let mut text = Vec::new();
            export::hp::write(profile, &mut text)?;
            text
        }
    })
}
