//! The differential flame graph on the screen, and what the pointer and the keyboard do with it.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::query::SharedAnswer;
use crate::ui::shared::Shared;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::CompareAction;
use camlscope_engine::query::compare::{DiffBox, DiffFlame};
use camlscope_engine::query::filter::NameMatcher;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::Units;
use camlscope_present::layout::diff::DiffPicture;
use camlscope_present::layout::flame::{self, Stage};

/// A search. Two are equal if their texts are equal.
#[derive(Clone)]
pub struct Matcher {
    pub text: String,
    pub names: Rc<NameMatcher>,
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Matcher) -> bool {
        self.text == other.text
    }
}

/// The current graph and what it is drawn with.
#[derive(Clone, PartialEq)]
pub struct DiffScene {
    pub answer: SharedAnswer,
    pub picture: Shared<DiffPicture>,
    pub stage: Stage,
    pub unit: Unit,
    pub units: Units,
    /// The suffix of an amount, such as `/s`.
    pub suffix: &'static str,
    /// Whether the figures are exact, as in a profile.
    pub is_exact: bool,
    /// The path to the frame that fills the width.
    pub root: Vec<Label>,
    /// Whether the response for the current root has arrived.
    pub is_fresh: bool,
    pub dispatch: Callback<ViewAction>,
}

impl DiffScene {
    pub fn diff_box(&self, place: usize) -> Option<&DiffBox> {
        self.diff()?.boxes.get(*self.picture.places.get(place)?)
    }

    pub fn size(&self) -> (f64, f64) {
        (self.stage.width, self.stage.height)
    }

    pub fn diff(&self) -> Option<&DiffFlame> {
        self.answer.get()
    }

    pub fn label(&self, place: usize) -> Option<&Label> {
        let flame = &self.picture.flame;
        Some(&flame.names.get(flame.boxes.get(place)?.name as usize)?.label)
    }

    /// Whether a box is part of the collapsed row.
    pub fn is_collapsed(&self, place: usize) -> bool {
        self.picture.flame.boxes.get(place).is_some_and(|flame_box| self.stage.collapsed.holds(flame_box.depth))
    }

    /// Zooms to a box, or if it already fills the width, to its parent.
    pub fn zoom_to(&self, place: usize) {
        // Indices of an outdated graph are meaningless in the next one.
        if !self.is_fresh {
            return;
        }
        let path = flame::path_to(&self.picture.flame, place);
        let is_out = path == self.root;
        let root = if is_out { path[..path.len().saturating_sub(1)].to_vec() } else { path };
        if root != self.root {
            self.dispatch.emit(ViewAction::Compare(CompareAction::Zoom(root)));
        }
    }
}
