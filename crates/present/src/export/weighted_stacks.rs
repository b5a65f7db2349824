//! Stacks with weights, the common input of folded stacks, speedscope and pprof.
//!
//! Frames are stored once and referred to by index, as in two of the three formats. Stacks are not stored at all. Each
//! writer reads them from their source, as often as its format needs.

use std::fmt;

use super::anonymize::Anonymizer;
use crate::format::{count, percent};
use camlscope_engine::query::frame_names::frame_names;
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_engine::query::stacks::{Merged, StackNode, StackSource};
use camlscope_engine::query::tree::Label;

pub struct WeightedStacks<'a> {
    /// A name for the weights: `allocated bytes`, `live at the peak`.
    pub title: String,
    pub unit: Unit,
    /// The distinct frames of all stacks. Call sites on one line stay separate. If they were one frame, its stacks
    /// would no longer be adjacent in tree order.
    pub frames: Vec<Label>,
    stacks: &'a dyn StackSource,
}

impl<'a> WeightedStacks<'a> {
    pub fn new(stacks: &'a dyn StackSource, measure: Measure) -> WeightedStacks<'a> {
        let frames = stacks.head().frames.clone();
        WeightedStacks { title: measure.name().to_owned(), unit: measure.unit(), frames, stacks }
    }

    /// Anonymizes the frames.
    pub fn anonymized(self, anonymizer: &mut Anonymizer) -> WeightedStacks<'a> {
        let frames = self.frames.iter().map(|Label { name, file, place }| Label {
            name: anonymizer.name(name),
            file: anonymizer.file(name, file),
            place: place.map(|place| anonymizer.place(name, file, place)),
        });
        WeightedStacks { frames: frames.collect(), ..self }
    }

    /// Returns a distinct text for each of [`WeightedStacks::frames`], because readers of these files merge frames with
    /// equal text.
    pub fn frame_names(&self) -> Vec<String> {
        frame_names(&self.frames)
    }

    /// The sum of all weights.
    pub fn total(&self) -> f64 {
        self.stacks.head().total
    }

    pub fn merged(&self) -> Merged {
        self.stacks.head().merged
    }

    /// Describes what was merged, as a sentence without its period. `None` if every stack is included.
    pub fn merged_words(&self) -> Option<String> {
        let merged = self.merged();
        let what = match merged.is_inverted {
            false => "merged into their callers",
            true => "shown without their outer callers",
        };
        (merged.n_stacks > 0).then(|| {
            format!(
                "{} stacks below {}% of the total, {} together, are {what}",
                count(merged.n_stacks),
                100.0 * merged.least_share,
                percent(merged.weight / self.total()),
            )
        })
    }

    /// Returns all nodes. A node's frame is an index into [`WeightedStacks::frames`].
    pub(super) fn nodes(&self) -> impl Iterator<Item = StackNode> + '_ {
        self.stacks.nodes()
    }

    /// Visits every stack with a nonzero weight. The visitor gets indices into [`WeightedStacks::frames`], outermost
    /// first, and the weight. Stops at the first error.
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

impl fmt::Debug for WeightedStacks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeightedStacks")
            .field("title", &self.title)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

/// Returns a frame's line and column, starting from 1, or `None` for what isn't known.
pub(super) fn line_and_column(frame: &Label) -> (Option<u32>, Option<u32>) {
    let Some(place) = frame.place.filter(|place| place.line > 0) else {
        return (None, None);
    };
    (Some(place.line), (place.end_char > 0).then_some(u32::from(place.start_char) + 1))
}

/// Rounds a sequence of weights so that the error of the sum is less than one. Each weight takes over the remainder of
/// the previous ones.
#[derive(Debug, Default)]
pub(super) struct Rounding {
    /// Between -0.5 and 0.5.
    left: f64,
}

impl Rounding {
    pub(super) fn round(&mut self, weight: f64) -> i64 {
        let exact = weight + self.left;
        let whole = (exact + 0.5).floor();
        self.left = exact - whole;
        whole as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_and_fractions_add_up() {
        let mut rounding = Rounding::default();
        assert_eq!([3.0, 0.0, 7.0].map(|weight| rounding.round(weight)), [3, 0, 7]);
        let rounded: i64 = (0..1000).map(|_| rounding.round(0.3)).sum();
        assert_eq!(rounded, 300);
        let mut rounding = Rounding::default();
        assert_eq!([0.5, 1e-20, 0.4, 0.1].map(|weight| rounding.round(weight)), [1, 0, 0, 0]);
    }
}
