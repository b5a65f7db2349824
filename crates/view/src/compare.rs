//! The settings of the comparison, the actions that change them, and their text in links.

use std::fmt;
use std::str::FromStr;

use super::fields::Fields;
use camlscope_engine::query::compare::{Scale, Sum};
use camlscope_engine::query::filter::{Clause, When};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::diff::Width;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareSettings {
    /// The first pair that can be compared if `None`.
    pub pair: Option<ComparePair>,
    /// The side that determines the widths of the boxes in the difference flame graph.
    pub width: Width,
    /// The path to the frame that fills the width. It starts below the root.
    pub root: Vec<Label>,
    /// The objects that count toward a row of the table.
    pub sum: Sum,
    /// The table leaves out changes that are not significant.
    pub is_changed_only: bool,
    pub order: ChangeOrder,
    /// The divisor for the figures of two traces.
    pub scale: Scale,
    /// The curves of two traces are drawn with equal length.
    pub is_stretched: bool,
    /// The trace that was recorded later is the "before" side. Two files that are dropped together are sorted
    /// accordingly.
    pub is_newer_first: bool,
}

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparePair {
    /// The open trace and the second one.
    Traces,
    /// Two points in time of the open trace.
    Times { before: When, after: When },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeOrder {
    pub column: ChangeColumn,
    pub is_descending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeColumn {
    Name,
    Before,
    After,
    /// Sorts by magnitude, regardless of the sign. Changes that are not significant come last.
    Change,
    Samples,
    /// Sorts by relative change. Changes that are not significant come last.
    Verdict,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    Pair(ComparePair),
    Width(Width),
    Zoom(Vec<Label>),
    Sum(Sum),
    ChangedOnly(bool),
    Order(ChangeOrder),
    Scale(Scale),
    Stretched(bool),
    NewerFirst(bool),
}

impl CompareAction {
    /// Whether the user may want to undo it. Moving a compared time isn't a step, as in the timeline.
    pub fn is_step(&self) -> bool {
        let is_moving = matches!(self, CompareAction::Pair(ComparePair::Times { .. }));
        !is_moving && !matches!(self, CompareAction::NewerFirst(_))
    }
}

impl CompareSettings {
    pub(super) fn apply(&mut self, action: CompareAction) {
        match action {
            CompareAction::Pair(pair) => self.pair = Some(pair),
            CompareAction::Width(side) => self.width = side,
            CompareAction::Zoom(root) => self.root = root,
            CompareAction::Sum(sum) => self.sum = sum,
            CompareAction::ChangedOnly(is_changed_only) => self.is_changed_only = is_changed_only,
            CompareAction::Order(order) => self.order = order,
            CompareAction::Scale(scale) => self.scale = scale,
            CompareAction::Stretched(is_stretched) => self.is_stretched = is_stretched,
            CompareAction::NewerFirst(is_newer_first) => self.is_newer_first = is_newer_first,
        }
    }

    pub(super) fn put(&self, fields: &mut Fields) {
        let default = CompareSettings::default();
        if let Some(pair) = self.pair {
            fields.put("versus", &pair.to_string());
        }
        fields.put_unless(self.width == default.width, "versus.width", "before");
        for label in &self.root {
            fields.put_label("versus.root", Some(label));
        }
        fields.put_unless(self.sum == default.sum, "versus.sum", "self");
        fields.put_unless(!self.is_changed_only, "versus.rows", "changed");
        fields.put_unless(self.order == default.order, "versus.order", &self.order.to_string());
        fields.put_unless(self.scale == default.scale, "versus.scale", scale_text(self.scale));
        fields.put_unless(!self.is_stretched, "versus.times", "stretched");
        fields.put_unless(!self.is_newer_first, "versus.first", "newer");
    }

    pub(super) fn read_field(&mut self, key: &str, value: &str) {
        match key {
            "versus" => self.pair = value.parse().ok(),
            "versus.width" if value == "before" => self.width = Width::Before,
            "versus.root" => self.root.push(Label::from_text(value)),
            "versus.sum" if value == "self" => self.sum = Sum::Own,
            "versus.rows" => self.is_changed_only = value == "changed",
            "versus.order" => self.order = value.parse().unwrap_or_default(),
            "versus.scale" => self.scale = SCALES.into_iter().find(|of| scale_text(*of) == value).unwrap_or_default(),
            "versus.times" => self.is_stretched = value == "stretched",
            "versus.first" => self.is_newer_first = value == "newer",
            _ => {}
        }
    }
}

pub const SCALES: [Scale; 3] = [Scale::AsIs, Scale::PerSecond, Scale::PerAllocated];

/// Returns its name in links.
pub fn scale_text(scale: Scale) -> &'static str {
    match scale {
        Scale::AsIs => "as-is",
        Scale::PerSecond => "per-second",
        Scale::PerAllocated => "per-allocated",
    }
}

impl fmt::Display for ComparePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComparePair::Traces => f.write_str("traces"),
            ComparePair::Times { before, after } => write!(f, "{},{}", time_text(*before), time_text(*after)),
        }
    }
}

impl FromStr for ComparePair {
    type Err = ();

    fn from_str(text: &str) -> Result<ComparePair, ()> {
        if text == "traces" {
            return Ok(ComparePair::Traces);
        }
        let (before, after) = text.split_once(',').ok_or(())?;
        Ok(ComparePair::Times { before: parse_time(before).ok_or(())?, after: parse_time(after).ok_or(())? })
    }
}

/// Formats a time as the user types it: `2.5s`, `peak` or `end`.
pub fn time_text(when: When) -> String {
    Clause::LiveAt(when).value()
}

/// Parses a time, or returns `None`.
pub fn parse_time(text: &str) -> Option<When> {
    match Clause::parse("live-at", text.trim()) {
        Ok(Clause::LiveAt(when)) => Some(when),
        _ => None,
    }
}

impl Default for ChangeOrder {
    fn default() -> ChangeOrder {
        ChangeOrder { column: ChangeColumn::Change, is_descending: true }
    }
}

impl ChangeColumn {
    /// Columns from left to right.
    pub const ALL: [ChangeColumn; 6] = [
        ChangeColumn::Name,
        ChangeColumn::Before,
        ChangeColumn::After,
        ChangeColumn::Change,
        ChangeColumn::Samples,
        ChangeColumn::Verdict,
    ];

    /// Returns its name in links.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeColumn::Name => "name",
            ChangeColumn::Before => "before",
            ChangeColumn::After => "after",
            ChangeColumn::Change => "change",
            ChangeColumn::Samples => "samples",
            ChangeColumn::Verdict => "verdict",
        }
    }
}

impl fmt::Display for ChangeOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_descending { "" } else { "-" }, self.column.as_str())
    }
}

impl FromStr for ChangeOrder {
    type Err = ();

    fn from_str(text: &str) -> Result<ChangeOrder, ()> {
        let (name, is_descending) = text.strip_prefix('-').map_or((text, true), |name| (name, false));
        let column = ChangeColumn::ALL.into_iter().find(|column| column.as_str() == name).ok_or(())?;
        Ok(ChangeOrder { column, is_descending })
    }
}
