//! Stacks with a weight each: what folded stacks, speedscope and pprof all are made of.
//!
//! Frames are stored once and named by their place, as two of the three formats do. Stacks are not stored at all: each
//! writer reads them from their source, as often as its format needs.

use std::fmt;

use rustc_hash::FxHashMap;

use super::anonymise::Anonymiser;
use crate::format::{count, percent};
use crate::query::measure::{Measure, Unit};
use crate::query::stacks::{Merged, StackNode, StackSource};
use crate::query::tree::Label;

pub struct Profile<'a> {
    /// What the weights are, for people: `allocated bytes`, `live at the peak`.
    pub title: String,
    pub unit: Unit,
    pub frames: Vec<Frame>,
    stacks: &'a dyn StackSource,
    /// By frame of `stacks`: its place in `frames`. Call sites of one line share a frame.
    places: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub name: String,
    /// Empty where it is not known.
    pub file: String,
    /// 0 where it is not known, or where the frame is a function and no place in it.
    pub line: u32,
}

impl<'a> Profile<'a> {
    pub fn new(stacks: &'a dyn StackSource, measure: Measure) -> Profile<'a> {
        let mut frames = Vec::new();
        let mut known: FxHashMap<Frame, u32> = FxHashMap::default();
        let labels = stacks.head().frames.iter();
        let places = labels.map(|label| {
            let frame = Frame::of_label(label);
            *known.entry(frame.clone()).or_insert_with(|| {
                frames.push(frame);
                frames.len() as u32 - 1
            })
        });
        let places = places.collect();
        Profile { title: measure.name().to_owned(), unit: measure.unit(), frames, stacks, places }
    }

    /// The same stacks without the names that they had.
    pub fn anonymised(self, anonymiser: &mut Anonymiser) -> Profile<'a> {
        let frames = self.frames.iter().map(|Frame { name, file, line }| Frame {
            name: anonymiser.name(name),
            file: anonymiser.file(file),
            line: anonymiser.place(file, (*line, 0, 0)).0,
        });
        Profile { frames: frames.collect(), ..self }
    }

    /// The weight of all stacks together.
    pub fn total(&self) -> f64 {
        self.stacks.head().total
    }

    pub fn merged(&self) -> Merged {
        self.stacks.head().merged
    }

    /// What was left out, as a sentence without its full stop; none where every stack is there.
    pub fn merged_words(&self) -> Option<String> {
        let merged = self.merged();
        let what = match merged.is_inverted {
            false => "added to their callers",
            true => "shown without their outer callers",
        };
        (merged.n_stacks > 0).then(|| {
            format!(
                "{} stacks below {} % of the whole, {} together, are {what}",
                count(merged.n_stacks),
                100.0 * merged.least_share,
                percent(merged.weight / self.total()),
            )
        })
    }

    /// Every node, with its place in [`Profile::frames`].
    pub(super) fn nodes(&self) -> impl Iterator<Item = StackNode> + '_ {
        self.stacks.nodes().map(|node| StackNode { frame: self.places[node.frame as usize], ..node })
    }

    /// Visits every stack that weighs anything: places in [`Profile::frames`], the outermost first, and the weight. Ends
    /// with the first error.
    pub fn for_each_stack<E>(&self, mut visit: impl FnMut(&[u32], f64) -> Result<(), E>) -> Result<(), E> {
        let mut path = Vec::new();
        for node in self.nodes() {
            path.truncate(node.depth as usize);
            path.push(node.frame);
            if node.own > 0.0 {
                visit(&path, node.own)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Profile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile").field("title", &self.title).field("frames", &self.frames).finish_non_exhaustive()
    }
}

impl Frame {
    fn of_label(label: &Label) -> Frame {
        let line = label.place.map_or(0, |place| place.line);
        Frame { name: label.name.clone(), file: label.file.clone(), line }
    }
}

/// Rounds weights one after the other so that the sum of all is off by less than one: each takes over what the ones
/// before it lost.
#[derive(Debug, Default)]
pub(super) struct Rounding {
    /// Between -0.5 and 0.5.
    left: f64,
}

impl Rounding {
    pub(super) fn round(&mut self, weight: f64) -> u64 {
        let exact = weight + self.left;
        let whole = (exact + 0.5).floor();
        self.left = exact - whole;
        whole as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_stay_and_fractions_sum_up() {
        let mut rounding = Rounding::default();
        assert_eq!([3.0, 0.0, 7.0].map(|weight| rounding.round(weight)), [3, 0, 7]);
        let rounded: u64 = (0..1000).map(|_| rounding.round(0.3)).sum();
        assert_eq!(rounded, 300);
        let mut rounding = Rounding::default();
        assert_eq!([0.5, 1e-20, 0.4, 0.1].map(|weight| rounding.round(weight)), [1, 0, 0, 0]);
    }
}
