//! Takes one log after another, and decides which belong to one run and which run becomes the
//! profile.

use super::runs::{EarlierRuns, EndedRun};
use super::{BandId, Process, Profile, ProfileBuilder, RunChoice, RunPlace, Source, Succession};
use crate::base::units::{Bytes, Nanos};

impl ProfileBuilder {
    /// Chooses the run that becomes the profile if the input has several.
    pub fn choose_run(&mut self, choice: RunChoice) {
        self.runs.choice = choice;
    }

    /// Ends the log so far and begins another. From here on, bands have other numbers.
    pub fn begin_log(&mut self) {
        let fresh = ProfileBuilder::with_limits(self.source, self.limits.clone());
        let log = std::mem::replace(self, fresh);
        self.end_log(log);
    }

    fn end_log(&mut self, mut log: ProfileBuilder) {
        log.discard_open_sample();
        let mut runs = std::mem::take(&mut log.runs);
        if let Some(run) = runs.previous.as_mut().filter(|_| log.is_silent()) {
            if log.incidents.losses().end.is_loss() {
                run.log.incidents.absorb(log.incidents);
            }
            self.runs = runs;
            return;
        }
        match (log.succession(runs.previous()), &mut runs.previous) {
            (Succession::SameRun | Succession::Unknown, Some(run)) => {
                run.log.absorb(log);
            }
            _ => {
                runs.retire(ProfileBuilder::has_samples);
                let number = runs.over + 1;
                runs.previous = Some(EndedRun { number, log: Box::new(log) });
            }
        }
        self.runs = runs;
    }

    /// Joins the current log to the run that it continues, or separates it from the previous run,
    /// as soon as that is certain. Returns which of them it was; after [`Succession::SameRun`],
    /// bands have other numbers.
    pub fn join_or_part(&mut self) -> Succession {
        let succession = self.succession(self.runs.previous());
        match succession {
            Succession::Unknown | Succession::First => {}
            Succession::NewRun => self.runs.retire(ProfileBuilder::has_samples),
            Succession::SameRun => {
                let mut runs = std::mem::take(&mut self.runs);
                if let Some(run) = runs.previous.take() {
                    let later = std::mem::replace(self, *run.log);
                    self.absorb(later);
                }
                self.runs = runs;
            }
        }
        if self.runs.choice == RunChoice::Last && self.has_samples() {
            self.runs.kept = None;
        }
        succession
    }

    /// How many runs there are before the current one, including one that it may turn out to
    /// continue.
    pub fn runs_before(&self) -> usize {
        self.runs.over + usize::from(self.runs.previous.is_some())
    }

    /// The run to show while more may arrive: the last that has samples.
    pub fn last_with_samples(&self) -> &ProfileBuilder {
        let earlier = self.runs.previous.iter().chain(&self.runs.kept).map(|run| &*run.log);
        let mut all = std::iter::once(self).chain(earlier);
        all.find(|run| run.has_samples()).unwrap_or(self)
    }

    /// Whether the log has any contents beyond its header.
    pub fn says_something(&self) -> bool {
        !self.is_silent() || self.metadata.job.is_some()
    }

    fn succession(&self, earlier: Option<&ProfileBuilder>) -> Succession {
        let Some(earlier) = earlier else { return Succession::First };
        let (process, before) = (&self.metadata.process, &earlier.metadata.process);
        let Some(begun) = process.dated.or(self.samples.times().first().copied()) else {
            return Succession::Unknown;
        };
        let differ = |a: Option<&str>, b: Option<&str>| a.zip(b).is_some_and(|(a, b)| a != b);
        let other_program = self.source == Source::Hp
            || process.id.zip(before.id).is_some_and(|(a, b)| a != b)
            || differ(self.metadata.rts.as_deref(), earlier.metadata.rts.as_deref())
            || differ(self.metadata.job.as_deref(), earlier.metadata.job.as_deref());
        let last = earlier.samples.times().last().copied().or(before.dated);
        let goes_on = last.is_none_or(|last| begun >= last);
        // A process that began after the last sample of another is a different one, even if it has
        // the same number, as it may in a container. A smaller difference means that the clock was
        // set.
        let began_later = process.epoch_ns.zip(before.epoch_ns).is_some_and(|(epoch, before)| {
            epoch > before + i128::from(last.unwrap_or(Nanos::ZERO).as_nanos().max(CLOCK_GRAIN))
        });
        match goes_on && !other_program && !began_later {
            true => Succession::SameRun,
            false => Succession::NewRun,
        }
    }

    fn has_samples(&self) -> bool {
        self.sample_count() > 0
    }

    /// Whether the log does not identify its run.
    fn is_silent(&self) -> bool {
        self.sample_count() == 0
            && self.metadata.process == Process::default()
            && self.markers.is_empty()
            && self.latest_message.time.is_none()
    }

    /// Adds the contents of a later log of the same run, including its open sample.
    fn absorb(&mut self, mut later: ProfileBuilder) {
        self.discard_open_sample();
        self.breakdown = self.breakdown.or(later.breakdown);
        self.biographical |= later.biographical;
        self.metadata.fill_from(later.metadata);
        later.cost_centres.into_iter().for_each(|(id, centre)| self.define_cost_centre(id, centre));
        for (address, fields) in later.info_tables.iter() {
            self.define_info_table(address, fields);
        }
        // What the limits refuse here has been refused by the decoder's own calls before.
        let bands: Vec<_> =
            later.bands.ids().map(|id| self.band(later.bands.key(id).as_ref()).ok()).collect();
        let copy = |to: &mut ProfileBuilder, points: &mut dyn Iterator<Item = (BandId, Bytes)>| {
            for (band, size) in points {
                if let Some(band) = bands[band.index()] {
                    to.point(band, size);
                }
            }
        };
        for (sample, &time) in later.samples.times().iter().enumerate() {
            copy(self, &mut later.samples.points(sample));
            self.seal_sample(time);
        }
        copy(self, &mut later.samples.unsealed_points());
        later.markers.into_iter().for_each(|m| self.marker(m.time, m.label, m.kind));
        self.absorb_latest_message(&later.latest_message);
        self.heap.absorb(later.heap);
        self.absorb_threads(std::mem::take(&mut later.runtime.threads));
        self.runtime.absorb(later.runtime);
        self.calls.absorb(later.calls);
        self.incidents.absorb(later.incidents);
        self.log_size = later.log_size;
    }

    /// The profile of the chosen run. Points of a sample that was never sealed are left out.
    pub fn finish(self) -> Profile {
        let (chosen, run) = self.chosen_run();
        chosen.finish_run(run)
    }

    /// The run to draw, with its place among all runs.
    fn chosen_run(self) -> (ProfileBuilder, RunPlace) {
        if self.runs_before() == 0 {
            return (self, RunPlace::ONLY);
        }
        let mut all = ProfileBuilder::with_limits(self.source, self.limits.clone());
        all.end_log(self);
        let EarlierRuns { choice, over, kept, previous } = all.runs;
        let of = over + usize::from(previous.is_some());
        let has_samples = |run: &EndedRun<ProfileBuilder>| run.log.has_samples();
        let chosen = match (choice, kept, previous) {
            (RunChoice::Last, Some(kept), Some(last)) if !has_samples(&last) => {
                if has_samples(&kept) { kept } else { last }
            }
            (RunChoice::Number(_), Some(kept), _) => kept,
            (_, _, Some(last)) | (_, Some(last), None) => last,
            (_, None, None) => unreachable!("the log that was read is one of them"),
        };
        (*chosen.log, RunPlace { number: chosen.number, of })
    }
}

/// The wall clock is read in microseconds; two connections of one run differ by less than one.
const CLOCK_GRAIN: i64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::super::RunChoice;
    use super::*;

    /// A log of process 7 with samples at these seconds.
    fn log(samples: &[i64]) -> ProfileBuilder {
        let mut log = ProfileBuilder::new(Source::Eventlog);
        log.metadata.process.id = Some(7);
        add(&mut log, samples);
        log
    }

    fn add(log: &mut ProfileBuilder, samples: &[i64]) {
        for &second in samples {
            log.sample(seconds(second).as_nanos(), [("a", 8)]);
        }
    }

    fn seconds(second: i64) -> Nanos {
        Nanos::from_nanos(1_000_000_000 * second)
    }

    #[test]
    fn threads_that_got_their_label_in_the_log_before_end_in_the_next() {
        let (mut run, mut next) = (log(&[1]), log(&[2]));
        (1..4).for_each(|thread| run.label_thread(seconds(1), thread, "worker"));
        next.end_thread(seconds(5), 2);
        // One that ends before its label, and one that does not.
        next.end_thread(seconds(5), 8);
        (7..9).for_each(|thread| next.label_thread(seconds(4), thread, "worker"));
        run.absorb(next);
        let at = |second| run.runtime.threads.most_alive(seconds(second));
        assert_eq!(
            [3, 4, 5].map(at),
            [(3, 3), (5, 5), (3, 5)].map(|(a, b)| Some(("worker", a, b)))
        );
    }

    #[test]
    fn a_log_continues_a_run_unless_something_shows_that_it_does_not() {
        let after = |change: &dyn Fn(&mut ProfileBuilder, &mut ProfileBuilder)| {
            let (mut earlier, mut later) = (log(&[1, 5]), log(&[5, 9]));
            change(&mut earlier, &mut later);
            later.succession(Some(&earlier))
        };
        assert_eq!(log(&[5]).succession(None), Succession::First);
        assert_eq!(log(&[]).succession(Some(&log(&[1]))), Succession::Unknown);
        assert_eq!(after(&|_, _| {}), Succession::SameRun);
        let (same, new) = (Succession::SameRun, Succession::NewRun);
        let dated =
            |second| after(&|_, later| later.metadata.process.dated = Some(seconds(second)));
        assert_eq!((dated(5), dated(4)), (same, new));
        let without_samples = |second| {
            after(&|earlier, _| {
                *earlier = log(&[]);
                earlier.metadata.process.dated = Some(seconds(second));
            })
        };
        assert_eq!((without_samples(5), without_samples(6)), (same, new));
        assert_eq!(after(&|_, later| later.source = Source::Hp), new);
        assert_eq!(after(&|_, later| later.metadata.process.id = Some(8)), new);
        assert_eq!(after(&|_, later| later.metadata.process.id = None), same);
        let text = |text: &str| Some(text.to_owned());
        for rts in [true, false] {
            let named = |earlier: Option<String>, later: Option<String>| {
                let set = |log: &mut ProfileBuilder, text: &Option<String>| {
                    *(if rts { &mut log.metadata.rts } else { &mut log.metadata.job }) =
                        text.clone();
                };
                after(&|a, b| {
                    set(a, &earlier);
                    set(b, &later);
                })
            };
            assert_eq!(named(text("p"), text("p")), same);
            assert_eq!(named(text("p"), text("q")), new);
            assert_eq!(named(text("p"), None), same);
        }
        // The second process may have begun where the first one had its last sample.
        let began = |last: i64, later_by: i128| {
            after(&|earlier, later| {
                *earlier = log(&[0, last]);
                earlier.metadata.process.epoch_ns = Some(50);
                later.metadata.process.epoch_ns = Some(50 + later_by);
            })
        };
        assert_eq!((began(5, 5_000_000_000), began(5, 5_000_000_001)), (same, new));
        assert_eq!(
            (began(0, CLOCK_GRAIN.into()), began(0, 1 + i128::from(CLOCK_GRAIN))),
            (same, new)
        );
        assert_eq!(began(5, -9_000_000_000), same);
    }

    /// Runs of 1, 2 and 3 samples, and one without any.
    fn four_runs(choice: RunChoice) -> ProfileBuilder {
        let mut all = log(&[1]);
        all.choose_run(choice);
        for (id, samples) in [(8, &[1, 2][..]), (9, &[1, 2, 3]), (10, &[])] {
            all.begin_log();
            all.metadata.process.id = Some(id);
            all.metadata.process.dated = Some(Nanos::ZERO);
            add(&mut all, samples);
            all.join_or_part();
        }
        all
    }

    #[test]
    fn the_last_run_with_samples_is_drawn_or_the_one_that_was_asked_for() {
        let chosen = |choice| {
            let profile = four_runs(choice).finish();
            (profile.run.number, profile.run.of, profile.samples.len())
        };
        assert_eq!(chosen(RunChoice::Last), (3, 4, 3));
        for number in 1..=4 {
            let choice = RunChoice::Number(number.try_into().unwrap());
            assert_eq!(chosen(choice), (number, 4, number % 4));
        }
        let running = four_runs(RunChoice::Last);
        assert_eq!((running.runs_before(), running.last_with_samples().sample_count()), (3, 3));
        assert_eq!(log(&[1]).finish().run, RunPlace::ONLY);
    }
}
