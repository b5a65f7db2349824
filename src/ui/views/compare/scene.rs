//! The difference flame graph that is on the screen: the picture in hand, and what pointer and keys do with it.

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

/// A search; two are equal if they search for the same text.
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

/// The picture in hand, and what it is drawn with.
#[derive(Clone, PartialEq)]
pub struct DiffScene {
    pub answer: SharedAnswer,
    pub picture: Shared<DiffPicture>,
    pub stage: Stage,
    pub unit: Unit,
    pub units: Units,
    /// What is behind an amount: `/s`.
    pub suffix: &'static str,
    /// The figures are a profile's.
    pub is_exact: bool,
    /// What fills the width.
    pub root: Vec<Label>,
    /// The answer for the newest root is there.
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

    /// Whether a box is drawn as part of the row that frames share.
    pub fn is_collapsed(&self, place: usize) -> bool {
        self.picture.flame.boxes.get(place).is_some_and(|flame_box| self.stage.collapsed.holds(flame_box.depth))
    }

    /// Fills the width with a box; of what fills it already, with its parent.
    pub fn zoom_to(&self, place: usize) {
        // Places of an older picture lead nowhere in the one that is on its way.
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
