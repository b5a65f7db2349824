//! The boxes of the difference flame graph and their figures.

use camlscope_engine::query::compare::{DiffBox, DiffFlame};
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::Units;
use camlscope_present::layout::diff::DiffPicture;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::shared::Shared;

#[derive(Clone, PartialEq)]
pub struct Difference {
    pub answer: SharedAnswer,
    pub picture: Shared<DiffPicture>,
    pub unit: Unit,
    pub units: Units,
    /// The suffix of an amount, such as `/s`.
    pub suffix: &'static str,
    /// Whether the figures are exact, as in a profile.
    pub is_exact: bool,
}

impl Difference {
    pub fn flame(&self) -> Option<&DiffFlame> {
        self.answer.get()
    }

    /// Returns the figures of a box of the picture.
    pub fn diff_box(&self, place: usize) -> Option<&DiffBox> {
        self.flame()?.boxes.get(*self.picture.places.get(place)?)
    }

    pub fn label(&self, place: usize) -> Option<&Label> {
        let flame = &self.picture.flame;
        Some(&flame.names.get(flame.boxes.get(place)?.name as usize)?.label)
    }
}
