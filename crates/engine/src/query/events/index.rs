//! The order of events, computed once per selection, and lists of all events or of one kind. A binary search finds any
//! position among tens of millions.

use super::{Kind, Start};
use crate::query::selection::Selection;
use crate::trace::{GcTimeId, ObjectRow, Trace, partition_point};

/// The order of all events of the selected objects.
#[derive(Debug)]
pub struct EventIndex {
    /// The selected rows, ascending. `None` if all rows are selected.
    selected: Option<Vec<ObjectRow>>,
    n_rows: u32,
    /// The GC times at which a selected object was promoted or collected, in order.
    steps: Vec<Step>,
    /// By GC time, then by row.
    promoted: Vec<ObjectRow>,
    ended: Vec<ObjectRow>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    gc_time: GcTimeId,
    /// How many selected rows, and entries of `promoted` and `ended`, come before this GC time.
    rows_before: u32,
    promoted_before: u32,
    ended_before: u32,
}

/// An event, as the model identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRef {
    Alloc(ObjectRow),
    Promote(ObjectRow, GcTimeId),
    Collect(ObjectRow, GcTimeId),
}

impl EventIndex {
    /// Takes one pass over the objects, and memory for one row number per promotion and end.
    pub fn new(trace: &Trace, selection: &Selection) -> EventIndex {
        let selected = (!selection.is_all()).then(|| {
            let mut rows = Vec::with_capacity(selection.len());
            selection.for_each(&trace.columns, |chunk, place| rows.push(ObjectRow(chunk.first() + place as u32)));
            rows
        });
        let n_rows = selection.len() as u32;
        let row_at = |rank: u32| selected.as_ref().map_or(ObjectRow(rank), |rows| rows[rank as usize]);

        let promotions = || trace.promotions.iter().filter(|&(row, _)| selection.contains(row));
        let ends = || (0..n_rows).map(row_at).map(|row| (row, trace.columns.end(row)));
        let (promoted, promoted_before) = by_gc_time(trace, promotions);
        let (ended, ended_before) = by_gc_time(trace, ends);

        let mut steps = Vec::new();
        let mut rows_before = 0;
        for gc_time in 0..trace.gc_times.len() {
            let is_idle = promoted_before[gc_time] == promoted_before[gc_time + 1]
                && ended_before[gc_time] == ended_before[gc_time + 1];
            if is_idle {
                continue;
            }
            let id = GcTimeId(gc_time as u32);
            let limit = trace.gc_times.rows_before(id);
            match &selected {
                None => rows_before = limit,
                Some(rows) => {
                    rows_before += rows[rows_before as usize..].partition_point(|row| row.0 < limit) as u32;
                }
            }
            let (promoted_before, ended_before) = (promoted_before[gc_time], ended_before[gc_time]);
            steps.push(Step { gc_time: id, rows_before, promoted_before, ended_before });
        }
        EventIndex { selected, n_rows, steps, promoted, ended }
    }

    /// Returns an upper bound for the memory of an index.
    pub fn most_bytes(trace: &Trace, selection: &Selection) -> usize {
        let n_rows = if selection.is_all() { selection.len() } else { 2 * selection.len() };
        (n_rows + trace.promotions.len()) * size_of::<ObjectRow>() + trace.gc_times.len() * size_of::<Step>()
    }

    /// The number of events.
    pub fn len(&self) -> u64 {
        u64::from(self.n_rows) + self.promoted.len() as u64 + self.ended.len() as u64
    }

    pub fn heap_bytes(&self) -> usize {
        let n_rows = self.selected.as_ref().map_or(0, Vec::len) + self.promoted.len() + self.ended.len();
        n_rows * size_of::<ObjectRow>() + self.steps.len() * size_of::<Step>()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the event with this number.
    pub fn at(&self, number: u64) -> Option<EventRef> {
        if number >= self.len() {
            return None;
        }
        let next = self.steps.partition_point(|step| step.events_before() <= number);
        let Some(at) = next.checked_sub(1) else {
            return Some(EventRef::Alloc(self.row(number as u32)));
        };
        let step = self.steps[at];
        let (promoted_end, ended_end) = self.ends_of(at);
        let place = (number - step.events_before()) as u32;
        let n_promoted = promoted_end - step.promoted_before;
        let n_ended = ended_end - step.ended_before;
        Some(if place < n_promoted {
            EventRef::Promote(self.promoted[(step.promoted_before + place) as usize], step.gc_time)
        } else if place < n_promoted + n_ended {
            EventRef::Collect(self.ended[(step.ended_before + place - n_promoted) as usize], step.gc_time)
        } else {
            EventRef::Alloc(self.row(step.rows_before + place - n_promoted - n_ended))
        })
    }

    /// Returns all events in order. Faster than calling [`EventIndex::at`] for each.
    pub fn iter(&self) -> impl Iterator<Item = EventRef> + '_ {
        let rows_between = move |from: u32, to: u32| (from..to).map(move |rank| EventRef::Alloc(self.row(rank)));
        let mut row = 0;
        let at_steps = self.steps.iter().enumerate().flat_map(move |(at, step)| {
            let (promoted_end, ended_end) = self.ends_of(at);
            let rows = rows_between(std::mem::replace(&mut row, step.rows_before), step.rows_before);
            let promoted = &self.promoted[step.promoted_before as usize..promoted_end as usize];
            let ended = &self.ended[step.ended_before as usize..ended_end as usize];
            let promotes = promoted.iter().map(|&row| EventRef::Promote(row, step.gc_time));
            rows.chain(promotes).chain(ended.iter().map(|&row| EventRef::Collect(row, step.gc_time)))
        });
        let last = self.steps.last().map_or(0, |step| step.rows_before);
        at_steps.chain(rows_between(last, self.n_rows))
    }

    /// Returns where the entries of a step in `promoted` and `ended` end.
    fn ends_of(&self, at: usize) -> (u32, u32) {
        let ends = (self.promoted.len() as u32, self.ended.len() as u32);
        self.steps.get(at + 1).map_or(ends, |next| (next.promoted_before, next.ended_before))
    }

    fn row(&self, rank: u32) -> ObjectRow {
        self.selected.as_ref().map_or(ObjectRow(rank), |rows| rows[rank as usize])
    }

    /// Returns the number of an object's allocation, or of the next selected object's. If only allocations are listed,
    /// this is its rank.
    fn number_of_object(&self, object: u32, kind: Option<Kind>) -> u64 {
        let rank = match &self.selected {
            None => object.min(self.n_rows),
            Some(rows) => rows.partition_point(|row| row.0 < object) as u32,
        };
        if kind.is_some() {
            return u64::from(rank);
        }
        let steps = self.steps.partition_point(|step| step.rows_before <= rank);
        let (promoted, ended) = steps.checked_sub(1).map_or((0, 0), |at| self.ends_of(at));
        u64::from(rank) + u64::from(promoted) + u64::from(ended)
    }

    /// Returns the number of an object's promotion or collection. `None` if that never happened or the object isn't
    /// selected.
    fn number_at(&self, gc_time: GcTimeId, row: ObjectRow, happened: Kind, kind: Option<Kind>) -> Option<u64> {
        let at = self.steps.binary_search_by_key(&gc_time.0, |step| step.gc_time.0).ok()?;
        let step = self.steps[at];
        let (promoted_end, ended_end) = self.ends_of(at);
        let (rows, before, ahead) = match happened {
            Kind::Promote => (&self.promoted[..promoted_end as usize], step.promoted_before, 0),
            _ => (&self.ended[..ended_end as usize], step.ended_before, promoted_end - step.promoted_before),
        };
        let place = rows[before as usize..].binary_search_by_key(&row.0, |row| row.0).ok()? as u64;
        Some(match kind {
            None => step.events_before() + u64::from(ahead) + place,
            Some(_) => u64::from(before) + place,
        })
    }
}

/// All events, or those of one kind.
pub(super) struct List<'a> {
    pub index: &'a EventIndex,
    pub kind: Option<Kind>,
}

impl List<'_> {
    pub fn len(&self) -> u64 {
        let EventIndex { n_rows, promoted, ended, .. } = self.index;
        match self.kind {
            None => self.index.len(),
            Some(Kind::Alloc) => u64::from(*n_rows),
            Some(Kind::Promote) => promoted.len() as u64,
            Some(Kind::Collect) => ended.len() as u64,
        }
    }

    pub fn at(&self, number: u64) -> Option<EventRef> {
        let index = self.index;
        if self.kind.is_none() || number >= self.len() {
            return index.at(number).filter(|_| self.kind.is_none());
        }
        // The last step that begins at or before this event is the one that contains it.
        let step_of = |before: fn(&Step) -> u32| {
            let next = index.steps.partition_point(|step| u64::from(before(step)) <= number);
            next.checked_sub(1).map(|at| index.steps[at].gc_time)
        };
        match self.kind {
            Some(Kind::Promote) => step_of(|step| step.promoted_before)
                .map(|gc_time| EventRef::Promote(index.promoted[number as usize], gc_time)),
            Some(Kind::Collect) => step_of(|step| step.ended_before)
                .map(|gc_time| EventRef::Collect(index.ended[number as usize], gc_time)),
            _ => Some(EventRef::Alloc(index.row(number as u32))),
        }
    }

    pub fn number_of(&self, trace: &Trace, start: Start) -> u64 {
        match start {
            Start::Event(number) => number,
            Start::Time(time_us) => {
                let is_earlier =
                    |number: usize| self.at(number as u64).is_some_and(|event| event.time_us(trace) < time_us);
                partition_point(self.len() as usize, is_earlier) as u64
            }
            Start::Object(object) => match self.kind {
                None | Some(Kind::Alloc) => self.index.number_of_object(object, self.kind),
                Some(kind) => self.number_of(trace, Start::Happening(object, kind)),
            },
            Start::Happening(object, _) if object as usize >= trace.columns.len() => self.len(),
            Start::Happening(object, happened) => {
                let row = ObjectRow(object);
                let gc_time = match happened {
                    Kind::Alloc => None,
                    Kind::Promote => trace.promotions.of(row),
                    Kind::Collect => Some(trace.columns.end(row)).filter(|&gc_time| gc_time != GcTimeId::NEVER),
                };
                let is_listed = self.kind.is_none_or(|kind| kind == happened);
                let number = match (gc_time, happened) {
                    _ if !is_listed => None,
                    (_, Kind::Alloc) => Some(self.index.number_of_object(object, self.kind)),
                    (gc_time, _) => gc_time.and_then(|gc_time| self.index.number_at(gc_time, row, happened, self.kind)),
                };
                let time_us = || gc_time.map_or(trace.columns.alloc_us(row), |gc_time| trace.gc_times.time_us(gc_time));
                number.unwrap_or_else(|| self.number_of(trace, Start::Time(time_us())))
            }
        }
    }
}

impl Step {
    fn events_before(&self) -> u64 {
        u64::from(self.rows_before) + u64::from(self.promoted_before) + u64::from(self.ended_before)
    }
}

impl EventRef {
    pub fn time_us(self, trace: &Trace) -> u64 {
        match self {
            EventRef::Alloc(row) => trace.columns.alloc_us(row),
            EventRef::Promote(_, gc_time) | EventRef::Collect(_, gc_time) => trace.gc_times.time_us(gc_time),
        }
    }
}

/// Returns rows sorted by GC time, then by row, and the number of rows before each GC time and at the end.
fn by_gc_time<I>(trace: &Trace, entries: impl Fn() -> I) -> (Vec<ObjectRow>, Vec<u32>)
where
    I: Iterator<Item = (ObjectRow, GcTimeId)>,
{
    let mut before = vec![0u32; trace.gc_times.len() + 1];
    let mut n = 0;
    for (_, gc_time) in entries().filter(|&(_, gc_time)| gc_time != GcTimeId::NEVER) {
        before[gc_time.0 as usize] += 1;
        n += 1;
    }
    let mut sum = 0;
    for count in &mut before {
        sum += std::mem::replace(count, sum);
    }
    let mut sorted = vec![ObjectRow(0); n];
    for (row, gc_time) in entries().filter(|&(_, gc_time)| gc_time != GcTimeId::NEVER) {
        let place = &mut before[gc_time.0 as usize];
        sorted[*place as usize] = row;
        *place += 1;
    }
    // Each entry now points to where the next GC time begins.
    before.rotate_right(1);
    before[0] = 0;
    (sorted, before)
}
