//! What an account says is what one sees: its statements are checked against the samples, without the analysis.
//!
//! A statement is false here only if the samples contradict it plainly.

use std::fs::File;
use std::path::{Path, PathBuf};

use heapviz::analysis::{Account, Finding, Leak, Manner, Move, MoveKind, Rise, Who};
use heapviz::compare::{Change, compare};
use heapviz::input::{InputOptions, read};
use heapviz::profile::{BandId, Profile};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::slice::SampleNumber;
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
    fn place(&self, number: SampleNumber) -> usize {
        self.numbers
            .iter()
            .position(|&known| known == number.get())
            .expect("a sample that is not empty")
    }

    /// The curve of a rise, if it is that of the heap or of a band with a label of its own.
    fn curve(&self, rise: &Rise) -> Option<&[f64]> {
        match rise.who {
            Who::Heap => Some(&self.total),
            Who::Band(_) if self.alike => None,
            Who::Band(_) => self.bands.get(&rise.label).map(|(_, curve)| &curve[..]),
            Who::Live | Who::Memory => None,
        }
    }

    fn false_statements(&self, account: &Account) -> Vec<String> {
        let mut said = Vec::new();
        for suspect in &account.suspects {
            let Some(curve) = self.curve(suspect) else { continue };
            let (most, last) = (highest(curve), curve[curve.len() - 1]);
            if last < 0.5 * most {
                said.push(format!("{} grows, but {last} of {most} are left", suspect.label));
            }
            self.goes_on(suspect, curve, &mut said);
        }
        for rise in account.suspects.iter().chain(account.finding.rise()) {
            self.rise(rise, &mut said);
        }
        self.outside(account, &mut said);
        self.found(account, &mut said);
        self.no_leak(account, &mut said);
        self.movements(&account.movements, &mut said);
        said
    }

    /// A rise begins where it rises, does not fall by more than half of its gain on its way, ends higher than it begins,
    /// and is as fast as it says.
    fn rise(&self, rise: &Rise, said: &mut Vec<String>) {
        let Some(curve) = self.curve(rise) else { return };
        let (from, to) = (self.place(rise.since_sample), self.place(rise.until_sample));
        let gain = curve[to] - curve[from];
        let name =
            format!("{} from sample {} to {}", rise.label, rise.since_sample, rise.until_sample);
        // The lows of a sawtooth rise, and the rounds of a heap are its greatest rise.
        if rise.manner == Manner::Floors || to < from + 6 || gain < 0.02 * self.peak() {
            return;
        }
        if gain <= 0.0 {
            said.push(format!("{name} ends no higher than it begins"));
        }
        if deepest_fall(&curve[from..=to]) > 0.5 * gain {
            said.push(format!(
                "{name} gains {gain} and falls by more than half of that on its way"
            ));
        }
        let begins = (from..=to).find(|&at| curve[at] - curve[from] > 0.05 * gain).unwrap_or(to);
        if 3 * (begins - from) > to - from {
            said.push(format!("{name} is level for a third of its time"));
        }
        let (gain, said_gain) = (gain.max(1.0), rise.grew() as f64);
        if !(0.6..=1.6).contains(&(said_gain / gain)) {
            said.push(format!("{name} is said to gain {said_gain}, the samples {gain}"));
        }
    }

    /// What is accused rises in its last quarter, or its lows do.
    fn goes_on(&self, rise: &Rise, curve: &[f64], said: &mut Vec<String>) {
        let (from, to) = (self.place(rise.since_sample), self.place(rise.until_sample));
        let part = &curve[to - (to - from) / 4..=to];
        if part.len() < 8 {
            return;
        }
        let (before, after) = part.split_at(part.len() / 2);
        let gain = (curve[to] - curve[from]).max(1.0);
        let lows = lowest(after) - lowest(before);
        let is_still = median(after) - median(before) < 0.02 * gain && lows < 0.02 * gain;
        if is_still && part[part.len() - 1] - part[0] < 0.1 * gain {
            said.push(format!("{} is said to grow, and stands still at its end", rise.label));
        }
    }

    /// Memory outside of the bands leads where it grew by more than all of them.
    fn outside(&self, account: &Account, said: &mut Vec<String>) {
        let of_bands = account.suspects.iter().any(|rise| rise.row().is_some());
        for rise in account.outside.iter().filter(|_| of_bands) {
            if rise.grew() > 3 * account.grew {
                said.push(format!("{} grew by {} outside of them", rise.label, rise.grew()));
            }
        }
    }

    /// The heights of a headline are those of the samples that it tells.
    fn found(&self, account: &Account, said: &mut Vec<String>) {
        if !account.excused.is_empty() {
            return;
        }
        let judged = &self.total[..self.total.len() - self.total.len().div_ceil(16)];
        let height =
            |rise: &Rise| self.curve(rise).map(|curve| curve[self.place(rise.until_sample)]);
        let is = |rise: &Rise, bytes: f64| height(rise).is_none_or(|height| height == bytes);
        // One height is what the heap usually is. Some of its beginning and of its exit may differ.
        let is_level = |part: &[f64], (low, high): (f64, f64)| {
            let slack = if low == high { 0.1 * high } else { 0.0 };
            let far = part.iter().filter(|&&bytes| bytes < low - slack || bytes > high + slack);
            10 * far.count() <= part.len()
        };
        let is_true = match &account.finding {
            Finding::Grows | Finding::CannotTell(_) => true,
            Finding::LowsRise { from, to, bursts, .. } => from < to && *bursts > 2,
            // It goes on where the exit begins, or after a spike.
            Finding::GrewToExit { rise, to } | Finding::Climbs { rise, to } => {
                let since = self.place(rise.since_sample);
                rise.who != Who::Heap || is(rise, *to) || *to == highest(&self.total[since..])
            }
            Finding::Peak { rise, high, end } => is(rise, *high) && end <= high,
            Finding::Bursts { rise, high, low } => {
                is(rise, *high) && low < high && falls(&self.total, 0.49 * high) > 0
            }
            Finding::Fills { rise, low, high } => {
                let rest = &judged[self.place(rise.until_sample).min(judged.len() - 1)..];
                is_level(rest, (*low, *high))
            }
            Finding::Falls { from, to } => to < from && *from <= self.peak(),
            Finding::Level { low, high } => is_level(judged, (*low, *high)),
        };
        if !is_true {
            said.push(format!("\"{}\" is not what the samples have", account.headline()));
        }
    }

    /// "No leak" neither stands over a heap that climbs to its last sample, nor hides a mountain.
    fn no_leak(&self, account: &Account, said: &mut Vec<String>) {
        if account.leak != Leak::None || !account.excused.is_empty() {
            return;
        }
        let (n, peak, last) = (self.total.len(), self.peak(), self.last());
        let late = &self.total[n - (n * 2 / 5).max(3)..];
        let climb = last - lowest(late);
        let before = falls(&self.total[..n - (n / 10).max(2)], 0.5 * climb);
        let headline = account.headline().to_string();
        let words = [
            "peak of",
            "until the program ended",
            "climbs",
            "then level at",
            "then between",
            "then up to",
        ];
        let is_told = words.iter().any(|words| headline.contains(words));
        let climbs = climb > 0.25 * peak && last > 0.9 * highest(late) && before < 2;
        if climbs && !is_told {
            said.push(format!("\"{headline}\" over a heap that climbs by {climb} of {peak}"));
        }
        let top = self.total.iter().position(|&bytes| bytes == peak).expect("a peak");
        let is_mountain = top > 2
            && last < 0.3 * peak
            && lowest(&self.total[..top]) < 0.5 * peak
            && falls(&self.total, 0.5 * peak) == 1;
        if is_mountain && !is_told {
            said.push(format!("\"{headline}\" hides that {peak} were built up and freed"));
        }
    }

    /// Movements join, cover the run, go in their direction, and have the bytes of the samples.
    fn movements(&self, movements: &[Move], said: &mut Vec<String>) {
        let (Some(first), Some(last)) = (movements.first(), movements.last()) else {
            return said.push("no movements".to_owned());
        };
        let ends = (first.from_sample.get(), last.to_sample.get());
        if Some(&ends.0) != self.numbers.first() || Some(&ends.1) != self.numbers.last() {
            said.push(format!("movements from {} to {} do not cover the run", ends.0, ends.1));
        }
        if movements.windows(2).any(|pair| pair[0].to_sample != pair[1].from_sample) {
            said.push("movements do not join".to_owned());
        }
        for movement in movements.iter().filter(|movement| !movement.floor) {
            let [from, to] = [movement.from_sample, movement.to_sample].map(|one| self.place(one));
            let part = &self.total[from..=to];
            let change = self.total[to] - self.total[from];
            let is_right = match movement.kind {
                MoveKind::Rise => {
                    change > 0.0 && deepest_fall(part) <= 0.5 * change.max(0.1 * self.peak())
                }
                MoveKind::Fall => change < 0.0,
                MoveKind::Level => true,
            };
            let bytes =
                [movement.from_bytes, movement.to_bytes, movement.low_bytes, movement.high_bytes];
            let seen = [self.total[from], self.total[to], lowest(part), highest(part)];
            let wrong = |(label, change): (&String, i64)| {
                let curve = self.bands.get(label).filter(|_| !self.alike);
                curve.is_some_and(|(_, curve)| (curve[to] - curve[from]) as i64 != change)
            };
            let mut bands = movement.bands.iter().map(|band| (&band.label, band.change));
            if !is_right || bytes.map(|bytes| bytes as f64) != seen || bands.any(wrong) {
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

fn median(curve: &[f64]) -> f64 {
    let mut curve = curve.to_vec();
    curve.sort_by(f64::total_cmp);
    curve[curve.len() / 2]
}

fn deepest_fall(curve: &[f64]) -> f64 {
    let (mut top, mut fall) = (0.0f64, 0.0f64);
    for &bytes in curve {
        top = top.max(bytes);
        fall = fall.max(top - bytes);
    }
    fall
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
        folders.extend(["bugs", "eyes", "review"].map(|name| shared.join("turn6").join(name)));
    }
    let (mut judged, mut wrong) = (0, Vec::new());
    for path in profiles(&folders) {
        let profile = read(File::open(&path).expect("a file"), &InputOptions::default());
        let profile = profile.expect("a profile");
        let (heap, options) = (Heap::of(&profile), ViewOptions::default());
        let run = ProfileView::new(&profile, &options).expect("all of it");
        if heap.total.len() < 15 {
            continue;
        }
        judged += 1;
        let mut said = heap.false_statements(run.account());
        let itself = compare(&[&run], &[&run]).expect("one break-down");
        let differs = itself.bands.rows.iter().find(|row| row.change != Change::Same);
        if itself.change != Change::Same || differs.is_some() {
            said.push(format!("compared with itself: {:?}, {differs:?}", itself.change));
        }
        wrong.extend(said.into_iter().map(|said| format!("{}: {said}", path.display())));
    }
    assert!(judged >= 100, "{judged} profiles");
    assert!(wrong.is_empty(), "{} of {judged} profiles:\n{}", wrong.len(), wrong.join("\n"));
}
