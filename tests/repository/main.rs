//! What the repository promises about itself: its documents, its architecture, its file names.

mod architecture;
mod examples;
