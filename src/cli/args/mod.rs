//! Groups of arguments. A verb takes the groups it needs with `#[command(flatten)]`, so that a flag means
//! the same in every verb and is documented once. Which outputs a flag has an effect on is in
//! [`flags`](super::flags).

mod band_flags;
mod input_flags;
mod output_flags;
mod picture_flags;
mod stack_flags;

use clap::{Args, Command};

pub use band_flags::BandArgs;
pub use input_flags::{KeptArgs, LIMIT_HINT, ReadingArgs, SliceArgs};
pub use output_flags::{FigureArgs, LabelArgs, OpenArgs, PageSourceArgs, SourceLineArgs};
pub use picture_flags::{
    PaintArgs, PictureArgs, SizeArgs, UnitArgs, ViewArgs, ViewChoice, activity,
};
pub use stack_flags::StackArgs;

/// All flags of a view of bands.
pub fn of_a_view() -> Command {
    let view = ViewArgs::augment_args(Command::new("view"));
    let view = SliceArgs::augment_args(BandArgs::augment_args(view));
    PictureArgs::augment_args(view)
}
