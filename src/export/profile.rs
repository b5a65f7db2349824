//! Stacks with a weight each: what folded stacks, speedscope and pprof all are made of.
//!
//! Frames are stored once and named by their place, as two of the three formats do.

use rustc_hash::FxHashMap;

use super::anonymise::{hidden_file, hidden_name};
use crate::query::measure::{Measure, Unit};
use crate::query::tree::{GroupId, Label, ShapedTree};
use crate::trace::Trace;

#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// What the weights are, for people: `allocated bytes`, `live at the peak`.
    pub title: String,
    pub unit: Unit,
    pub frames: Vec<Frame>,
    pub stacks: Vec<Stack>,
    places: FxHashMap<Frame, u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub name: String,
    /// Empty where it is not known.
    pub file: String,
    /// 0 where it is not known, or where the frame is a function and no place in it.
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Places in [`Profile::frames`], from main to the allocation point.
    pub frames: Vec<u32>,
    pub weight: f64,
}

impl Profile {
    pub fn new(title: &str, unit: Unit) -> Profile {
        Profile { title: title.to_owned(), unit, frames: Vec::new(), stacks: Vec::new(), places: FxHashMap::default() }
    }

    /// The place of a frame, which is added if it is new.
    pub fn frame(&mut self, frame: Frame) -> u32 {
        if let Some(&place) = self.places.get(&frame) {
            return place;
        }
        let place = self.frames.len() as u32;
        self.frames.push(frame.clone());
        self.places.insert(frame, place);
        place
    }

    /// `frames` from main to the allocation point.
    pub fn push(&mut self, frames: Vec<u32>, weight: f64) {
        self.stacks.push(Stack { frames, weight });
    }

    /// The stacks of a call tree, the heaviest first, of the weights that its groups have themselves ([`ShapedTree::weigh`]).
    pub fn of_tree(trace: &Trace, tree: &ShapedTree, weights: &[f64], measure: Measure) -> Profile {
        let (groups, keys) = (tree.groups(), tree.keys());
        let mut profile = Profile::new(measure.name(), measure.unit());
        let frames: Vec<u32> =
            keys.iter().map(|(id, _)| profile.frame(Frame::of_label(keys.label(trace, id)))).collect();
        let mut heavy: Vec<GroupId> = groups.iter().filter(|group| weights[group.0 as usize] > 0.0).collect();
        heavy.sort_by(|one, two| weights[two.0 as usize].total_cmp(&weights[one.0 as usize]).then(one.cmp(two)));
        for group in heavy {
            let mut stack = Vec::new();
            let mut at = group;
            while at != GroupId::ROOT {
                stack.push(frames[groups.key(at).0 as usize]);
                at = groups.parent(at);
            }
            stack.reverse();
            profile.push(stack, weights[group.0 as usize] * measure.scale(trace));
        }
        profile
    }

    /// The same stacks without the names that they had.
    pub fn anonymised(&self) -> Profile {
        let hide =
            |frame: &Frame| Frame { name: hidden_name(&frame.name), file: hidden_file(&frame.file), line: frame.line };
        Profile { frames: self.frames.iter().map(hide).collect(), places: FxHashMap::default(), ..self.clone() }
    }
}

impl Frame {
    fn of_label(label: Label) -> Frame {
        Frame { name: label.name, file: label.file, line: label.place.map_or(0, |place| place.line) }
    }
}
