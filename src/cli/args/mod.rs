//! Groups of arguments. A verb takes the groups it needs with `#[command(flatten)]`, so that a flag means
//! the same in every verb and is documented once. Which outputs a flag has an effect on is in
//! [`flags`](super::flags).

pub mod band_flags;
pub mod input_flags;
pub mod output_flags;
pub mod picture_flags;
pub mod stack_flags;

use band_flags::{BandArgs, OrderArgs};
use clap::{Args, Command};
use input_flags::SliceArgs;
use picture_flags::{PictureArgs, ViewArgs};

/// All flags of a view of bands.
pub fn of_a_view() -> Command {
    let view = ViewArgs::augment_args(Command::new("view"));
    let view = SliceArgs::augment_args(OrderArgs::augment_args(BandArgs::augment_args(view)));
    PictureArgs::augment_args(view)
}
