//! Maps object ids to rows while the trace streams.
//!
//! Ids ascend by one within a packet, and mostly continue from packet to packet of a domain. So runs of ids are stored
//! instead of every object. The n-th allocation of the file has the ordinal n. Rows are ordinals until the model is
//! downsampled. After that, one bit per ordinal says which were kept.

use std::collections::BTreeMap;

use super::ids::ObjectRow;
use super::ranked_bits::RankedBits;
use camlscope_formats::ctf::ObjectId;

/// The n-th allocation event of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ordinal(pub u64);

#[derive(Debug, Default)]
pub struct ObjectMap {
    /// Keyed by first id. Ids may repeat in a damaged file: then the later run wins.
    runs: BTreeMap<u64, Run>,
    /// The run that grows. Most lookups hit it.
    current: Run,
    /// The older run used last: objects that die together were often allocated together.
    recent: Run,
    /// The start of each run and its first id, in order of ordinals.
    starts: Vec<(Ordinal, ObjectId)>,
    n: u64,
    /// The ordinals that are still in the model. `None` while all are.
    kept: Option<RankedBits>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    first_id: u64,
    first_ordinal: u64,
    len: u64,
}

impl Run {
    #[inline(always)]
    pub fn ordinal(&self, id: ObjectId) -> Option<Ordinal> {
        let place = id.0.wrapping_sub(self.first_id);
        (place < self.len).then(|| Ordinal(self.first_ordinal + place))
    }
}

impl ObjectMap {
    /// Records the next allocation.
    #[inline(always)]
    pub fn push(&mut self, id: ObjectId) -> Ordinal {
        self.push_run(id, 1)
    }

    /// Records the next allocations, whose ids ascend by one. Returns the ordinal of the first.
    pub fn push_run(&mut self, first: ObjectId, len: u64) -> Ordinal {
        let ordinal = Ordinal(self.n);
        self.n += len;
        if first.0 == self.current.first_id.wrapping_add(self.current.len) && self.current.len > 0 {
            self.current.len += len;
        } else {
            self.start_run(first, ordinal, len);
        }
        ordinal
    }

    #[cold]
    fn start_run(&mut self, first: ObjectId, ordinal: Ordinal, len: u64) {
        if self.current.len > 0 {
            self.runs.insert(self.current.first_id, self.current);
        }
        // `recent` may just have been replaced.
        self.recent = Run::default();
        self.current = Run { first_id: first.0, first_ordinal: ordinal.0, len };
        self.starts.push((ordinal, first));
    }

    /// The run that grows. Most lookups hit it.
    #[inline(always)]
    pub fn newest_run(&self) -> Run {
        self.current
    }

    #[inline(always)]
    pub fn ordinal(&mut self, id: ObjectId) -> Option<Ordinal> {
        self.current.ordinal(id).or_else(|| self.recent.ordinal(id)).or_else(|| self.ordinal_of_older(id))
    }

    #[cold]
    fn ordinal_of_older(&mut self, id: ObjectId) -> Option<Ordinal> {
        let (_, run) = self.runs.range(..=id.0).next_back()?;
        let ordinal = run.ordinal(id)?;
        self.recent = *run;
        Some(ordinal)
    }

    /// Returns the row of an ordinal. `None` if downsampling dropped it.
    #[inline(always)]
    pub fn row(&self, ordinal: Ordinal) -> Option<ObjectRow> {
        match &self.kept {
            None => Some(ObjectRow(ordinal.0 as u32)),
            Some(kept) => kept.rank(ordinal.0).map(ObjectRow),
        }
    }

    /// Records that the newest allocation is in the model. Once downsampled, allocations that aren't recorded here are
    /// not in it.
    #[inline(always)]
    pub fn keep(&mut self, newest: Ordinal) {
        if let Some(kept) = &mut self.kept {
            kept.append(newest.0);
        }
    }

    /// Drops the ordinals for which `keep` returns false. It is called in order with their ids and rows.
    #[inline(always)]
    pub fn retain(&mut self, mut keep: impl FnMut(ObjectId, ObjectRow) -> bool) {
        let mut kept = self.kept.take().unwrap_or_else(|| RankedBits::ones(self.n));
        let mut runs = self.starts.iter().peekable();
        let (mut first_ordinal, mut first_id) = (0, 0);
        let mut row = 0;
        kept.retain(|ordinal| {
            while let Some(&&(Ordinal(start), ObjectId(id))) = runs.peek()
                && start <= ordinal
            {
                (first_ordinal, first_id) = (start, id);
                runs.next();
            }
            let is_kept = keep(ObjectId(first_id.wrapping_add(ordinal - first_ordinal)), ObjectRow(row));
            row += 1;
            is_kept
        });
        self.kept = Some(kept);
    }

    pub fn heap_bytes(&self) -> usize {
        self.runs.len() * (size_of::<(u64, Run)>() + 8)
            + self.starts.capacity() * size_of::<(Ordinal, ObjectId)>()
            + self.kept.as_ref().map_or(0, RankedBits::heap_bytes)
    }
}
