//! The names that trees are made of.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::profile::{CostCentre, Frame, Pseudo};

/// What a frame of a tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameKind {
    /// The root of all stacks.
    Root,
    /// A cost centre of the program, or the name of a band that is not a stack.
    Plain,
    /// A cost centre that collects top-level values.
    Caf,
    /// Not a part of the program.
    Pseudo(Pseudo),
    /// A heading over several roots: all CAFs, the run-time system.
    Heading,
}

/// A frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TreeFrame {
    /// The name without its module.
    pub name: Arc<str>,
    /// The module, if any.
    pub module: Arc<str>,
    /// The place in the source, if known.
    pub place: Arc<str>,
    /// The id of the cost centre; two can have the same name, module and place. `None` for frames
    /// without an id and for frames that were merged by text.
    pub id: Option<u32>,
    /// What the frame stands for.
    pub kind: FrameKind,
}

impl TreeFrame {
    pub(super) fn main() -> TreeFrame {
        TreeFrame { module: "MAIN".into(), ..Self::named("MAIN", FrameKind::Root) }
    }

    pub(crate) fn named(name: &str, kind: FrameKind) -> TreeFrame {
        let (module, place) = Default::default();
        TreeFrame { name: name.into(), module, place, id: None, kind }
    }

    pub(super) fn of_centre(id: u32, centre: Option<&CostCentre>) -> TreeFrame {
        let Some(centre) = centre else {
            let unknown = Self::named(&format!("?{id}"), FrameKind::Plain);
            return TreeFrame { id: Some(id), ..unknown };
        };
        let kind = match centre.pseudo() {
            Some(pseudo) => FrameKind::Pseudo(pseudo),
            None if centre.is_caf => FrameKind::Caf,
            None => FrameKind::Plain,
        };
        TreeFrame {
            name: Arc::clone(&centre.label),
            module: Arc::clone(&centre.module),
            place: Arc::clone(&centre.location),
            id: Some(id),
            kind,
        }
    }

    pub(super) fn of_frame(frame: &Frame) -> TreeFrame {
        let is_caf = frame.name == "CAF" || frame.name.starts_with("CAF:");
        TreeFrame {
            name: frame.name.as_str().into(),
            module: frame.module.as_str().into(),
            place: frame.place.as_str().into(),
            id: None,
            kind: if is_caf { FrameKind::Caf } else { FrameKind::Plain },
        }
    }

    /// `Module.name`, or the name alone.
    pub fn qualified(&self) -> String {
        match self.module.is_empty() {
            true => self.name.to_string(),
            false => format!("{}.{}", self.module, self.name),
        }
    }

    /// The order of two by what [`TreeFrame::qualified`] makes of them, which it does not make.
    pub(super) fn cmp_qualified(&self, other: &TreeFrame) -> Ordering {
        if self.module == other.module {
            return self.name.cmp(&other.name);
        }
        fn bytes(frame: &TreeFrame) -> impl Iterator<Item = u8> + '_ {
            let dot = if frame.module.is_empty() { "" } else { "." };
            frame.module.bytes().chain(dot.bytes()).chain(frame.name.bytes())
        }
        bytes(self).cmp(bytes(other))
    }
}
