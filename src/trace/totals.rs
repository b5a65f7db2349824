//! Exact sums over a whole trace, counted as it streams and kept apart from the model: however much of the model is
//! thinned to fit into memory, these stay what they are.

use crate::ctf::{Alloc, CodeId, ObjectId, Sink, Source};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub alloc_events: SourceTotals,
    pub alloc_samples: SourceTotals,
    pub n_promotes: u64,
    pub n_collects: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceTotals {
    pub minor: u64,
    pub major: u64,
    pub external: u64,
}

impl SourceTotals {
    pub fn total(&self) -> u64 {
        self.minor + self.major + self.external
    }

    fn add(&mut self, source: Source, n: u64) {
        match source {
            Source::Minor => self.minor += n,
            Source::Major => self.major += n,
            Source::External => self.external += n,
        }
    }
}

impl Sink for Totals {
    #[inline]
    fn alloc(&mut self, alloc: &Alloc, _kept: usize, _fresh: &[CodeId]) {
        self.alloc_events.add(alloc.source, 1);
        self.alloc_samples.add(alloc.source, u64::from(alloc.n_samples));
    }

    #[inline]
    fn promote(&mut self, _time_us: u64, _id: ObjectId) {
        self.n_promotes += 1;
    }

    #[inline]
    fn collect(&mut self, _time_us: u64, _id: ObjectId) {
        self.n_collects += 1;
    }
}
