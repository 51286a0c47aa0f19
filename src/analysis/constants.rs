//! Every number of the judgement, with its reason. `docs/diagnosis.md` shows them as a table, which a test compares
//! with this file.

/// The least score of a rise: by chance, one in 1 100.
pub const SCORE: f64 = 7.0;
/// The share of the samples for which a rise lasts; what is shorter is an event.
pub const LASTS: f64 = 0.4;
/// With fewer samples nothing is judged.
pub const FEW: usize = 11;
/// With fewer samples only what rises in each of them is judged.
pub const SOME: usize = 15;
/// The samples for `likely`, for a slow rise, and for a heap without a culprit; a noisy curve is condensed to so many, too.
pub const MANY: usize = 30;
/// The evidence that a curve approaches a bound, as a natural logarithm.
pub const BOUND: f64 = 2.0;
/// A small part of the samples, one in so many: the exit, the ends of a curve, and the time for which it stands still.
pub const PART: usize = 16;
/// Falls by this share of the range of a curve are teeth: its lows and highs are judged.
pub const TOOTH: f64 = 0.3;
/// Lows that rise from each to the next are a leak if there are so many of them: by chance, one in 120.
pub const TEETH: usize = 5;
/// A tooth has so many samples at least, a step of a staircase twice as many.
pub const SAMPLES_A_TOOTH: usize = 3;
/// A curve is condensed to so many medians or lows.
pub const POINTS: usize = 120;
/// Within this share of a move, a value is as good as its end. Of the run: what stops for so long before an end that
/// nobody saw no longer climbs.
pub const NEAR: f64 = 0.03;
/// What gains less than this share of it in the first third of its time begins later.
pub const BEGINS: f64 = 0.05;
/// Of the run: what is level for so long, by every clock, is level. Of the peak: a program lets go of so much at its exit, or so
/// much changes hands at once; a band that lost so much is not held. Of the mean heap, and of what grew: who gains less is possible,
/// and not likely, or is not named.
pub const FIFTH: f64 = 0.2;
/// Of the peak: a smaller move is not told. Of a move: so little that is lost, or wavers, is nothing. Of the run: what
/// stops for so long before its exit no longer climbs.
pub const WORTH: f64 = 0.1;
/// Of the peak: a heap that moves less is level. Of a rise: so much that is lost is freed. Of the heap's gain: what grows
/// by less is told beside it.
pub const TOLD: f64 = 0.25;
/// A fair part: of what the heap gained, and of a move. Of a mean step: what moves by less stands still.
pub const HALF: f64 = 0.5;
/// Of the mean heap: what moves by less, or by less than the bytes below, is not looked at.
pub const LEAST: f64 = 0.001;
/// The bytes by which a curve moves at least.
pub const LEAST_BYTES: f64 = 8192.0;
/// What gains less than this share in the second half of its time is possible, and not likely.
pub const LATE: f64 = 0.33;
/// Of the mean heap: what gains less is slow. Of all that grows: what gains less is not named.
pub const SLOW: f64 = 0.02;
/// The most steps of a staircase.
pub const STEPS: usize = 12;
/// A staircase makes this share of its gain in its steps.
pub const IN_STEPS: f64 = 0.8;
/// The least and the greatest factor of a step that doubles.
pub const DOUBLES: [f64; 2] = [1.6, 2.4];
/// A collector holds at most so many times the live data; live data are at most so many times the bands.
pub const BEYOND: f64 = 4.0;
/// Memory of the process that grows by less is the run-time system's own.
pub const MUCH_MEMORY: f64 = (8 << 20) as f64;
/// The powers of time that stand for curves without a bound.
pub const POWERS: [f64; 4] = [0.5, 0.7, 1.0, 1.5];
/// The paces of logarithms, which slow down and do not stop: ln(1 + pace · time).
pub const PACES: [f64; 1] = [20.0];
/// The time constants of curves that approach a bound, as shares of their time.
pub const TAUS: [f64; 6] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7];
/// The shares of their time after which curves have reached a bound.
pub const ENDS: [f64; 3] = [0.4, 0.6, 0.8];
/// What divides a growth by this is a repair, whatever is left.
pub const REPAIR: f64 = 10.0;
/// Two runs of one program can differ by this factor.
pub const CHANCE: f64 = 1.5;
