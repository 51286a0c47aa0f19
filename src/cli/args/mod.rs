//! Groups of arguments, one file each. A verb takes the groups it needs with `#[command(flatten)]`,
//! so that a flag means the same in every verb and is documented once.

pub mod bands;
pub mod figures;
pub mod given;
pub mod grouping;
pub mod limits;
pub mod measure;
pub mod paper;
pub mod picture;
pub mod privacy;
pub mod reading;
pub mod selection;
pub mod slice;
pub mod stacks;
pub mod units;
pub mod voice;
pub mod window;
