//! What a heap did, in one of ten ways: each is a form of headline. Heights are those of the heap, in bytes, so that a
//! reader finds them on the axis.

use super::rise::Rise;

/// What a heap did. Each rise is that of the heap, or of a band that rises while the heap falls.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// What is accused grows.
    Grows,
    /// The lows between bursts rise; if they are enough, who makes them rise is accused.
    LowsRise {
        /// The rise from the first low to the last.
        rise: Rise,
        /// The first low.
        from: f64,
        /// The last low.
        to: f64,
        /// How often it falls.
        bursts: usize,
    },
    /// It rises until the program ends, which frees it.
    GrewToExit {
        /// The rise.
        rise: Rise,
        /// How high it leads.
        to: f64,
    },
    /// It rises up to the last sample, for too short a time to judge it.
    Climbs {
        /// The rise.
        rise: Rise,
        /// How high it leads.
        to: f64,
    },
    /// Of what it built up, less than three quarters are left at the end.
    Peak {
        /// The rise to the peak.
        rise: Rise,
        /// The peak.
        high: f64,
        /// The heap in its last sample, or in the last before an exit that frees it.
        end: f64,
    },
    /// It rises and falls, three times at least.
    Bursts {
        /// The rise to the highest of them.
        rise: Rise,
        /// The highest of them.
        high: f64,
        /// The highest to which it falls between them.
        low: f64,
    },
    /// It rises to a level, and stays there.
    Fills {
        /// The rise to the level.
        rise: Rise,
        /// The lowest after that; where it is level, what it usually is.
        low: f64,
        /// The highest after that; where it is level, what it usually is.
        high: f64,
    },
    /// It only falls.
    Falls {
        /// Its highest.
        from: f64,
        /// The heap in its last sample.
        to: f64,
    },
    /// It hardly moves.
    Level {
        /// The lowest that it is most of the time; where that is one height, what it usually is.
        low: f64,
        /// The highest that it is most of the time; where that is one height, what it usually is.
        high: f64,
    },
    /// It cannot be judged.
    CannotTell(Unjudged),
}

/// Why a heap cannot be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unjudged {
    /// It has too few samples.
    #[default]
    FewSamples,
    /// The samples of two processes are in it, in turn.
    TwoProcesses,
}

impl Default for Finding {
    fn default() -> Self {
        Finding::CannotTell(Unjudged::default())
    }
}

impl Finding {
    /// Whether the heap is level, or always comes back: nothing happened that a reader should look at.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Finding::Bursts { .. }
            | Finding::Fills { .. }
            | Finding::Falls { .. }
            | Finding::Level { .. } => true,
            Finding::Grows
            | Finding::LowsRise { .. }
            | Finding::GrewToExit { .. }
            | Finding::Climbs { .. }
            | Finding::Peak { .. }
            | Finding::CannotTell(_) => false,
        }
    }

    /// The rise that it is about, if nothing is accused.
    pub fn rise(&self) -> Option<&Rise> {
        match self {
            Finding::GrewToExit { rise, .. }
            | Finding::Climbs { rise, .. }
            | Finding::Peak { rise, .. }
            | Finding::Bursts { rise, .. }
            | Finding::LowsRise { rise, .. }
            | Finding::Fills { rise, .. } => Some(rise),
            Finding::Grows
            | Finding::Falls { .. }
            | Finding::Level { .. }
            | Finding::CannotTell(_) => None,
        }
    }
}
