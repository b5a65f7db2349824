//! Stacks with a weight each: what folded stacks, speedscope and pprof all are made of.
//!
//! Frames are stored once and named by their place, as two of the three formats do.

use rustc_hash::FxHashMap;

use super::anonymise::{hidden_file, hidden_name};
use crate::format::count;
use crate::query::measure::{Measure, Unit};
use crate::query::stacks::StackList;
use crate::query::tree::Label;

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

    /// What was left out of the list stands as one stack, so that the sum is right.
    pub fn of_stacks(list: &StackList, measure: Measure) -> Profile {
        let mut profile = Profile::new(measure.name(), measure.unit());
        let frames: Vec<u32> = list.frames.iter().map(|label| profile.frame(Frame::of_label(label))).collect();
        for (stack, weight) in &list.stacks {
            profile.push(stack.iter().map(|&frame| frames[frame as usize]).collect(), *weight);
        }
        if list.n_left_out > 0 {
            let name = format!("({} lighter stacks)", count(list.n_left_out as u64));
            let rest = profile.frame(Frame { name, file: String::new(), line: 0 });
            profile.push(vec![rest], list.left_out);
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
    fn of_label(label: &Label) -> Frame {
        let line = label.place.map_or(0, |place| place.line);
        Frame { name: label.name.clone(), file: label.file.clone(), line }
    }
}
