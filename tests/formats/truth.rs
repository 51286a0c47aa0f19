//! What a verdict says is what one sees: its statements are checked against the samples, without the analysis.
//!
//! A statement is false here only if the samples contradict it plainly.

use std::fs::File;
use std::path::{Path, PathBuf};

use heapviz::analysis::{Analysis, Ends, Headline, Leak, Movement, MovementKind, Verdict};
use heapviz::input::{InputOptions, read};
use heapviz::profile::{BandId, Profile};
use heapviz::slice::Slice;
use indexmap::IndexMap;

use crate::common::{data, shared_folder};

/// The samples of a profile that are not empty.
struct Heap {
    bands: IndexMap<String, (BandId, Vec<f64>)>,
    /// Whether two bands have one label.
    alike: bool,
    total: Vec<f64>,
    /// The number of each in the run, from 1.
    numbers: Vec<usize>,
}

impl Heap {
    fn of(profile: &Profile) -> Heap {
        let mut heap =
            Heap { bands: IndexMap::new(), alike: false, total: Vec::new(), numbers: Vec::new() };
        for sample in 0..profile.samples().len() {
            let points: Vec<_> = profile.samples().points(sample).collect();
            let sum: f64 = points.iter().map(|(_, size)| size.get() as f64).sum();
            if sum == 0.0 {
                continue;
            }
            for (band, size) in points {
                let label = profile.bands().label(band).to_owned();
                let (first, curve) = heap.bands.entry(label).or_insert((band, Vec::new()));
                heap.alike |= *first != band;
                curve.resize(heap.total.len() + 1, 0.0);
                curve[heap.total.len()] += size.get() as f64;
            }
            heap.total.push(sum);
            heap.numbers.push(sample + 1);
        }
        let samples = heap.total.len();
        heap.bands.values_mut().for_each(|(_, curve)| curve.resize(samples, 0.0));
        heap
    }

    fn peak(&self) -> f64 {
        highest(&self.total)
    }

    fn last(&self) -> f64 {
        self.total[self.total.len() - 1]
    }

    /// The place of a sample by its number in the run.
    fn place(&self, number: usize) -> usize {
        self.numbers.iter().position(|&known| known == number).expect("a sample that is not empty")
    }

    fn false_statements(&self, verdict: &Verdict) -> Vec<String> {
        let mut said = Vec::new();
        if verdict.leak >= Leak::Possible {
            for suspect in &verdict.suspects {
                let Some((_, curve)) = self.bands.get(&suspect.label) else { continue };
                let (most, last) = (highest(curve), curve[curve.len() - 1]);
                if last < 0.5 * most {
                    said.push(format!("{} grows, but {last} of {most} are left", suspect.label));
                }
            }
        }
        self.end(verdict, &mut said);
        self.range(verdict, &mut said);
        self.greatest(verdict, &mut said);
        self.no_leak(verdict, &mut said);
        self.movements(&verdict.movements, &mut said);
        said
    }

    /// The words about the end: what is still growing rises in the last tenth of the samples, what is level stays within
    /// 3 % in the last fifth, and what is said to have shrunk did.
    fn end(&self, verdict: &Verdict, said: &mut Vec<String>) {
        let headline = verdict.headline().to_string();
        let first = verdict.suspects.first().and_then(|first| self.bands.get(&first.label));
        let curve = first.map_or(&self.total, |(_, curve)| curve);
        let n = curve.len();
        if headline.contains("still growing at the end") && !self.alike {
            let (before, after) = curve[n - (n / 10).max(3)..].split_at((n / 10).max(3) / 2);
            if highest(after) < lowest(before) {
                said.push(format!("\"{headline}\": the last tenth falls"));
            }
        }
        let last = &self.total[self.total.len() - self.total.len().div_ceil(5)..];
        if headline.contains("stays level") && highest(last) - lowest(last) > 0.03 * highest(last) {
            said.push(format!("\"{headline}\": {} to {}", lowest(last), highest(last)));
        }
        let details = verdict.details().iter().map(ToString::to_string).collect::<String>();
        let missing = verdict.grew as i64 - verdict.heap_grew;
        if details.contains("other bands shrank") && 2 * (verdict.others_fell as i64) < missing {
            said.push(format!("\"{details}\": they shrank by {}", verdict.others_fell));
        }
    }

    /// A heap that "stays between" two values stays there in the whole run, except at its exit. A rise that ended was
    /// highest at the time that the headline gives as its end.
    fn range(&self, verdict: &Verdict, said: &mut Vec<String>) {
        let headline = verdict.headline().to_string();
        match &verdict.headline {
            Headline::Level { low, high } => {
                let is_outside = |bytes: &&f64| (**bytes as u64) < *low || (**bytes as u64) > *high;
                let outside = self.total.iter().filter(is_outside).count();
                if outside > (self.total.len() / 25).max(3) {
                    said.push(format!("\"{headline}\": {outside} samples are outside"));
                }
            }
            Headline::Rose { rise, ends: Ends::Freed | Ends::UntilTheProgramEnded, .. } => {
                let after = highest(&self.total[self.place(rise.from_sample)..]);
                if after - rise.to_bytes as f64 > 0.05 * rise.change() as f64 {
                    said.push(format!("\"{headline}\": it was {after} later"));
                }
            }
            Headline::Rounds { .. } if verdict.excused.is_empty() => {
                let is_told = headline.contains("above its last low");
                if !is_told && self.last() > 0.9 * self.peak() {
                    said.push(format!("\"{headline}\" over {} at the end", self.last()));
                }
            }
            _ => {}
        }
    }

    /// The headline tells the greatest rise of the heap, or one at its end, unless it accuses something.
    fn greatest(&self, verdict: &Verdict, said: &mut Vec<String>) {
        let (mut low, mut rise) = (f64::INFINITY, 0.0f64);
        for &bytes in &self.total {
            low = low.min(bytes);
            rise = rise.max(bytes - low);
        }
        let told = match &verdict.headline {
            Headline::Rose { rise, .. } => rise.change() as f64,
            Headline::Rounds { rise, .. } => rise.change() as f64,
            _ => 0.0,
        };
        let is_free = verdict.leak < Leak::Possible && verdict.excused.is_empty();
        // Growth to the exit is told where the heap was highest then, after what filled it before.
        let exit = matches!(
            verdict.headline,
            Headline::TooFew | Headline::Rose { ends: Ends::UntilTheProgramEnded, .. }
        );
        if is_free && !exit && rise > 0.3 * self.peak() && told < 0.45 * rise {
            let headline = verdict.headline().to_string();
            said.push(format!("\"{headline}\" tells {told} of a rise by {rise}"));
        }
    }

    /// "No leak" neither stands over a heap that climbs to its last sample, nor hides a mountain.
    fn no_leak(&self, verdict: &Verdict, said: &mut Vec<String>) {
        let (n, peak, last) = (self.total.len(), self.peak(), self.last());
        let late = &self.total[n - (n * 2 / 5).max(3)..];
        let climb = last - lowest(late);
        let before = falls(&self.total[..n - (n / 10).max(2)], 0.5 * climb);
        let is_told = matches!(
            verdict.headline,
            Headline::Rose { ends: Ends::LevelSince, .. } | Headline::Rounds { .. }
        );
        let climbs = climb > 0.25 * peak && last > 0.9 * highest(late) && before < 2;
        if verdict.leak == Leak::None && climbs && !is_told {
            said.push(format!("no leak over a heap that climbs by {climb} of {peak}"));
        }
        let top = self.total.iter().position(|&bytes| bytes == peak).expect("a peak");
        let is_mountain = top > 2
            && last < 0.3 * peak
            && lowest(&self.total[..top]) < 0.5 * peak
            && falls(&self.total, 0.5 * peak) == 1;
        let headline = verdict.headline().to_string();
        let is_told = ["freed", "not growing at the end", "until the program ended"]
            .iter()
            .any(|words| headline.contains(words));
        if verdict.leak == Leak::None && is_mountain && !is_told {
            said.push(format!("\"{headline}\" hides that {peak} were built up and freed"));
        }
    }

    /// Movements join, cover the run, go in their direction, and have the bytes of the samples.
    fn movements(&self, movements: &[Movement], said: &mut Vec<String>) {
        let (Some(first), Some(last)) = (movements.first(), movements.last()) else {
            return said.push("no movements".to_owned());
        };
        let ends = (first.from_sample, last.to_sample);
        if Some(&ends.0) != self.numbers.first() || Some(&ends.1) != self.numbers.last() {
            said.push(format!("movements from {} to {} do not cover the run", ends.0, ends.1));
        }
        if movements.windows(2).any(|pair| pair[0].to_sample != pair[1].from_sample) {
            said.push("movements do not join".to_owned());
        }
        for movement in movements {
            let change = movement.change();
            let is_right = match movement.kind {
                MovementKind::Rise => change > 0,
                MovementKind::Fall => change < 0,
                MovementKind::Level => (change.abs() as f64) < 0.05 * self.peak() + 1.0,
            };
            let ends = [movement.from_sample, movement.to_sample].map(|number| self.place(number));
            let bytes = [movement.from_bytes, movement.to_bytes].map(|bytes| bytes as f64);
            let differs = !movement.floor && ends.map(|end| self.total[end]) != bytes;
            let wrong = |(label, change): (&String, i64)| {
                let (_, curve) = &self.bands[label];
                !self.alike && !movement.floor && (curve[ends[1]] - curve[ends[0]]) as i64 != change
            };
            let bands = movement.bands.iter().map(|band| (&band.label, band.change));
            if !is_right || differs || bands.into_iter().any(wrong) {
                said.push(format!("not what the samples have: {movement:?}"));
            }
        }
    }
}

fn highest(curve: &[f64]) -> f64 {
    curve.iter().copied().fold(0.0, f64::max)
}

fn lowest(curve: &[f64]) -> f64 {
    curve.iter().copied().fold(f64::INFINITY, f64::min)
}

/// How often a curve falls by this much from a high, and rises again in between.
fn falls(curve: &[f64], height: f64) -> usize {
    let (mut count, mut extreme, mut is_down) = (0, curve[0], false);
    for &bytes in curve {
        extreme = if is_down { extreme.min(bytes) } else { extreme.max(bytes) };
        let turns = if is_down { bytes > extreme + height } else { bytes < extreme - height };
        if turns {
            count += usize::from(!is_down);
            (is_down, extreme) = (!is_down, bytes);
        }
    }
    count
}

/// The folders in a folder.
fn folders_of(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_dir()).collect()
}

/// All profiles of some folders.
fn profiles(folders: &[PathBuf]) -> Vec<PathBuf> {
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let names = files.map(|file| file.expect("a file").path());
    let is_profile = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        [".eventlog", ".hp"].iter().any(|ending| name.contains(ending))
    };
    names.filter(is_profile).collect()
}

#[test]
fn no_statement_is_contradicted_by_the_samples() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut folders = vec![own, data("leaks"), data("real-runs")];
    if let Some(shared) = shared_folder() {
        folders.extend(
            ["leaks-loaded", "leaks/dev", "leaks/dev/pairs", "real-runs", "real", "dense"]
                .map(|name| shared.join(name)),
        );
        folders.extend(folders_of(&shared.join("stories")));
        folders.extend(folders_of(&shared.join("turn5/real")));
    }
    let (mut judged, mut wrong) = (0, Vec::new());
    for path in profiles(&folders) {
        let profile = read(File::open(&path).expect("a file"), &InputOptions::default());
        let profile = profile.expect("a profile");
        let (heap, slice) = (Heap::of(&profile), Slice::whole(&profile));
        if heap.total.len() < 15 {
            continue;
        }
        judged += 1;
        let said = heap.false_statements(&Analysis::new(&slice, &[]).verdict);
        wrong.extend(said.into_iter().map(|said| format!("{}: {said}", path.display())));
    }
    assert!(judged >= 100, "{judged} profiles");
    assert!(wrong.is_empty(), "{} of {judged} profiles:\n{}", wrong.len(), wrong.join("\n"));
}
