//! Which bands belong to which row.

use std::borrow::Cow;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::Serialize;

use crate::profile::BandId;

/// A row of a slice, numbered by the first appearance of its bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RowId(u32);

impl RowId {
    /// The row at a position, as a sentence names it.
    pub(crate) fn at(index: usize) -> RowId {
        RowId(to_u32(index))
    }

    /// Position among the slice's rows.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The row of a band where every band is its own row.
    #[inline]
    pub(super) fn of_band(band: BandId) -> RowId {
        RowId(band.number())
    }
}

#[derive(Clone, Debug)]
pub(super) struct RowTable {
    count: u32,
    /// `None` where every band is its own row, numbered alike.
    mapped: Option<Mapped>,
    /// By row; `None` when all take part.
    excluded: Option<Vec<bool>>,
}

#[derive(Clone, Debug)]
struct Mapped {
    /// By band. Bands without a row do not appear in any sample of the slice, and are never looked
    /// up.
    row_of: Vec<RowId>,
    /// Where each row's members begin in `members`; one more at the end.
    starts: Vec<usize>,
    members: Vec<BandId>,
    /// By row: what its bands were grouped under.
    names: Vec<Option<String>>,
}

impl RowTable {
    /// Every band is its own row.
    pub(super) fn identity(bands: usize) -> RowTable {
        RowTable { count: to_u32(bands), mapped: None, excluded: None }
    }

    /// The rows of some bands: bands with the same group are one row, and a band without a group is
    /// a separate row. `order` has each band once.
    pub(super) fn grouped(
        bands: usize,
        order: &[BandId],
        mut group: impl FnMut(BandId) -> Option<String>,
    ) -> RowTable {
        let mut by_group: IndexMap<String, RowId, RandomState> = IndexMap::default();
        let mut row_of = vec![RowId(0); bands];
        let mut names: Vec<Option<String>> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        for &band in order {
            let fresh = RowId(to_u32(names.len()));
            let name = group(band);
            let row = match &name {
                Some(name) => *by_group.entry(name.clone()).or_insert(fresh),
                None => fresh,
            };
            if row == fresh {
                names.push(name);
                sizes.push(0);
            }
            sizes[row.index()] += 1;
            row_of[band.index()] = row;
        }
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let mut next = starts.clone();
        let mut members = order.to_vec();
        for &band in order {
            let place = &mut next[row_of[band.index()].index()];
            members[*place] = band;
            *place += 1;
        }
        let count = to_u32(names.len());
        RowTable { count, mapped: Some(Mapped { row_of, starts, members, names }), excluded: None }
    }

    /// Says which rows do not take part, by row.
    pub(super) fn exclude(&mut self, excluded: Vec<bool>) {
        self.excluded = Some(excluded);
    }

    pub(super) fn ids(&self) -> impl ExactSizeIterator<Item = RowId> + use<> {
        (0..self.count as usize).map(|index| RowId(index as u32))
    }

    pub(super) fn is_selected(&self, row: RowId) -> bool {
        self.excluded.as_ref().is_none_or(|excluded| !excluded[row.index()])
    }

    pub(super) fn members(&self, row: RowId) -> Cow<'_, [BandId]> {
        match &self.mapped {
            None => Cow::Owned(vec![BandId::of(row.0)]),
            Some(mapped) => {
                let range = mapped.starts[row.index()]..mapped.starts[row.index() + 1];
                Cow::Borrowed(&mapped.members[range])
            }
        }
    }

    /// The first band of a row.
    pub(super) fn first(&self, row: RowId) -> BandId {
        match &self.mapped {
            None => BandId::of(row.0),
            Some(mapped) => mapped.members[mapped.starts[row.index()]],
        }
    }

    pub(super) fn group_name(&self, row: RowId) -> Option<&str> {
        self.mapped.as_ref()?.names[row.index()].as_deref()
    }

    /// The row of each band, by band; `None` where every band is its own row.
    #[inline]
    pub(super) fn row_of(&self) -> Option<&[RowId]> {
        self.mapped.as_ref().map(|mapped| mapped.row_of.as_slice())
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).expect("the builder's band limit is below 2^32")
}
