//! Groups of arguments. A verb takes the groups it needs with `#[command(flatten)]`, so that a flag means
//! the same in every verb and is documented once. Which outputs a flag has an effect on is in
//! [`flags`](super::flags).

pub mod band_flags;
pub mod input_flags;
pub mod output_flags;
pub mod picture_flags;
pub mod stack_flags;
