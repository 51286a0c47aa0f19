//! Which colours a terminal has, and which of them are shown for those of a picture.

use anstream::ColorChoice;
use ratatui::style::Color;

use crate::draw::colour::nearest;
use crate::picture::Rgb;

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// None, or so few that bands cannot be told apart by them; old terminals blink where 256 are asked for.
    #[default]
    Few,
    Palette,
    All,
}

/// A part of `TERM` of terminals with all colours: over ssh they do not tell it otherwise.
const WITH_ALL: [&str; 6] = ["-direct", "kitty", "ghostty", "alacritty", "wezterm", "foot"];

/// The strengths of red, green and blue in the cube of xterm's palette, which begins at 16; greys follow it.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];
const FIRST: usize = 16;
const GREYS: u8 = 24;

impl Colours {
    /// The colours that the environment states and `--color` allows.
    pub fn of_terminal() -> Self {
        Colours::of(ColorChoice::global(), |name| std::env::var(name).ok())
    }

    fn of(choice: ColorChoice, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let is_wanted = match choice {
            ColorChoice::Auto => set("NO_COLOR").is_none(),
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Never => false,
        };
        let says_all =
            set("COLORTERM").is_some_and(|value| ["truecolor", "24bit"].contains(&&*value));
        match set("TERM") {
            _ if !is_wanted => Colours::Few,
            Some(term) if term == "dumb" => Colours::Few,
            Some(term) if says_all || WITH_ALL.iter().any(|kind| term.contains(kind)) => {
                Colours::All
            }
            Some(term) if term.contains("256") => Colours::Palette,
            Some(_) => Colours::Few,
            // The console of Windows states no kind.
            None if cfg!(windows) => Colours::All,
            None => Colours::Few,
        }
    }

    /// What is shown for these colours. No two of them become one of the palette.
    pub fn terminal_colours(self, wanted: &[Rgb]) -> Vec<Color> {
        if self != Colours::Palette {
            return wanted.iter().map(|rgb| Color::Rgb(rgb.r, rgb.g, rgb.b)).collect();
        }
        let cube = CUBE.into_iter().flat_map(|r| {
            CUBE.into_iter().flat_map(move |g| CUBE.into_iter().map(move |b| Rgb { r, g, b }))
        });
        let greys =
            (0..GREYS).map(|step| 8 + 10 * step).map(|level| Rgb { r: level, g: level, b: level });
        let palette: Vec<Rgb> = cube.chain(greys).collect();
        let places = nearest(wanted, &palette).into_iter();
        places.map(|place| Color::Indexed((FIRST + place) as u8)).collect()
    }
}

/// Whether the terminal can show a screen: a dumb one, or one of unknown kind, shows lines only.
pub fn has_screen() -> bool {
    match std::env::var("TERM") {
        Ok(term) => !term.is_empty() && term != "dumb",
        Err(_) => cfg!(windows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_only_the_colours_that_it_has() {
        let of = |choice, variables: &[(&str, &str)]| {
            let value = |name: &str| variables.iter().find(|one| one.0 == name).map(|one| one.1);
            Colours::of(choice, |name| value(name).map(str::to_owned))
        };
        let auto = |variables: &[(&str, &str)]| of(ColorChoice::Auto, variables);
        let term = |term| ("TERM", term);
        for kind in ["linux", "vt100", "xterm", "screen", "dumb"] {
            assert_eq!(auto(&[term(kind)]), Colours::Few, "{kind}");
        }
        for kind in ["xterm-256color", "screen-256color", "tmux-256color"] {
            assert_eq!(auto(&[term(kind)]), Colours::Palette, "{kind}");
            assert_eq!(auto(&[term(kind), ("COLORTERM", "truecolor")]), Colours::All);
            assert_eq!(auto(&[term(kind), ("NO_COLOR", "1")]), Colours::Few);
            let no_color = [term(kind), ("NO_COLOR", "1")];
            assert_eq!(of(ColorChoice::Always, &no_color), Colours::Palette);
            assert_eq!(of(ColorChoice::Never, &[term(kind)]), Colours::Few);
        }
        for kind in ["xterm-direct", "xterm-kitty", "foot"] {
            assert_eq!(auto(&[term(kind)]), Colours::All, "{kind}");
        }
    }

    #[test]
    fn the_palette_keeps_colours_apart() {
        let wanted = [0xff0000, 0xfe0101, 0x080808, 0xffffff, 0x5f87af].map(Rgb::hex);
        let shown = Colours::Palette.terminal_colours(&wanted);
        assert_eq!(shown[0], Color::Indexed(196));
        assert_ne!(shown[1], shown[0]);
        assert_eq!(shown[2..], [Color::Indexed(232), Color::Indexed(231), Color::Indexed(67)]);
        assert_eq!(Colours::All.terminal_colours(&wanted)[4], Color::Rgb(0x5f, 0x87, 0xaf));
    }
}
