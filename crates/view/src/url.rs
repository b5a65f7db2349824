//! The view as text in the URL's fragment, so that back and forward work, and a copied link opens the same view once
//! the same file is dropped.

use std::str::FromStr;

use super::fields::{self, Fields};
use super::settings::{Chart, FollowedFinding, HistogramSettings, Layers, LeakView};
use super::state::{Chip, Tab, ViewState};
use camlscope_engine::query::filter::presets::library;
use camlscope_engine::query::filter::{Clause, When};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::histogram::{Bins, Counted, Split};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::Label;

impl ViewState {
    pub fn to_hash(&self) -> String {
        self.to_fields().into_text()
    }

    /// Returns only what differs from the default, to keep links short.
    pub(crate) fn to_fields(&self) -> Fields {
        let default = ViewState::default();
        let mut fields = Fields::default();
        fields.put_unless(self.tab == default.tab, "tab", self.tab.as_str());
        match self.measure {
            Measure::Live(when @ When::At(_)) => fields.put("show", &Clause::LiveAt(when).value()),
            Measure::Temporary(_) => fields.put("show", &self.measure.to_string()),
            measure => fields.put_unless(measure == default.measure, "show", measure.name()),
        }
        fields.put_unless(self.grain == default.grain, "by", self.grain.as_str());
        fields.put_unless(!self.fold_recursion, "recursion", "folded");
        fields.put_unless(!self.is_library_for_callers, "library", "callers");
        if let Some(followed) = &self.finding {
            fields.put("finding", &followed.function.as_ref().map_or_else(String::new, Label::to_text));
            fields.put_unless(followed.shows_figure, "finding.figure", "changed");
        }
        self.put_flame(&mut fields);
        fields.put_unless(self.search.is_empty(), "search", &self.search);
        self.put_timeline(&mut fields);
        if let Some(order) = self.table.order {
            fields.put("order", &order.to_string());
        }
        fields.put_label("selected", self.selected.as_ref());
        self.put_histograms(&mut fields);
        fields.put_unless(self.leak_view == LeakView::default(), "leak.view", self.leak_view.as_str());
        fields.put_unless(self.leak_grain == default.leak_grain, "leak.by", self.leak_grain.as_str());
        if let Some(kind) = self.events.kind {
            fields.put("events", kind.as_str());
        }
        if let Some(from) = self.events.from {
            fields.put("events.from", &from.to_text());
        }
        if let Some(file) = &self.source.file {
            fields.put("source", file);
        }
        if let Some(line) = self.source.line {
            fields.put("source.line", &line.to_string());
        }
        self.compare.put(&mut fields);
        for chip in &self.chips {
            let off = if chip.is_on { "" } else { "off." };
            fields.put(&format!("{off}{}", chip.clause.key()), &chip.clause.value());
        }
        fields
    }

    fn put_flame(&self, fields: &mut Fields) {
        match &self.flame.direction {
            Direction::TopDown => {}
            Direction::Inverted => fields.put("way", "up"),
            Direction::Callers(_) => fields.put("way", "callers"),
            Direction::Callees(_) => fields.put("way", "callees"),
        }
        fields.put_label("of", self.flame.direction.function());
        for label in &self.flame.root {
            fields.put_label("root", Some(label));
        }
    }

    fn put_timeline(&self, fields: &mut Fields) {
        match self.timeline.layers {
            Layers::Usual => {}
            Layers::Total => fields.put("stack", "total"),
            Layers::By(by) => fields.put("stack", by.as_str()),
        }
        fields.put_unless(!self.timeline.wall_clock, "clock", "wall");
        if let Some(zoom) = self.timeline.zoom {
            fields.put("zoom", &Clause::Allocated(zoom).value());
        }
        self.timeline.pins.iter().for_each(|pin| fields.put("pin", &pin.to_string()));
    }

    fn put_histograms(&self, fields: &mut Fields) {
        let (settings, default) = (self.histograms, HistogramSettings::default());
        fields.put_unless(settings.chart == default.chart, "bars", settings.chart.as_str());
        fields.put_unless(settings.weight == default.weight, "bars.count", settings.weight.as_str());
        fields.put_unless(settings.split == default.split, "bars.split", settings.split.map_or("none", Split::as_str));
        match settings.bins {
            Some(Bins::Log2) => fields.put("bars.cuts", "log2"),
            Some(Bins::Log10) => fields.put("bars.cuts", "log10"),
            _ => {}
        }
        fields.put_unless(!settings.is_log, "bars.height", "log");
    }

    /// Parses a link. Fields that can't be parsed keep their default, so links from later versions still open.
    pub fn from_hash(hash: &str) -> ViewState {
        let mut view = ViewState::default();
        let (mut direction, mut function) = (String::new(), None);
        for (key, value) in fields::read(hash) {
            match key {
                "way" => direction = value,
                "of" => function = Some(Label::from_text(&value)),
                _ => view.read_field(key, &value),
            }
        }
        view.flame.direction = match (direction.as_str(), function) {
            ("up", _) => Direction::Inverted,
            ("callers", Some(function)) => Direction::Callers(function),
            ("callees", Some(function)) => Direction::Callees(function),
            _ => Direction::TopDown,
        };
        view
    }

    fn read_field(&mut self, key: &str, value: &str) {
        match key {
            "tab" => self.tab = named(Tab::ALL, Tab::as_str, value),
            "show" => self.measure = read_measure(value).unwrap_or(self.measure),
            "by" => self.grain = value.parse().unwrap_or(self.grain),
            "recursion" => self.fold_recursion = value == "folded",
            "library" => self.is_library_for_callers = value == "callers",
            "finding" => {
                let function = (!value.is_empty()).then(|| Label::from_text(value));
                self.finding = Some(FollowedFinding { function, shows_figure: true });
            }
            "finding.figure" => self.change_figure(),
            "root" => self.flame.root.push(Label::from_text(value)),
            // Links from earlier versions have a separate search for the table.
            "search" | "table.search" => self.search = value.to_owned(),
            "stack" if value == "total" => self.timeline.layers = Layers::Total,
            "stack" => self.timeline.layers = value.parse().map_or(self.timeline.layers, Layers::By),
            "clock" => self.timeline.wall_clock = value == "wall",
            "zoom" => {
                if let Ok(Clause::Allocated(span)) = Clause::parse("allocated", value) {
                    self.timeline.zoom = Some(span);
                }
            }
            "pin" => value.parse().into_iter().for_each(|pin| self.timeline.put_pin(pin)),
            "order" => self.table.order = value.parse().ok(),
            "selected" => self.selected = Some(Label::from_text(value)),
            "bars" => self.histograms.chart = named(Chart::ALL, Chart::as_str, value),
            "bars.count" => {
                self.histograms.weight = Counted::from_str(value).unwrap_or(HistogramSettings::default().weight);
            }
            "bars.split" if value == "none" => self.histograms.split = None,
            "bars.split" => self.histograms.split = value.parse().ok().or(self.histograms.split),
            "bars.cuts" => {
                self.histograms.bins = match value {
                    "log2" => Some(Bins::Log2),
                    "log10" => Some(Bins::Log10),
                    _ => None,
                };
            }
            "bars.height" => self.histograms.is_log = value == "log",
            "leak.by" => self.leak_grain = value.parse().unwrap_or(self.leak_grain),
            "leak.view" => self.leak_view = named(LeakView::ALL, LeakView::as_str, value),
            "events" => self.events.kind = value.parse().ok(),
            "events.from" => self.events.from = value.parse().ok(),
            "source" => self.source.file = (!value.is_empty()).then(|| value.to_owned()),
            "source.line" => self.source.line = value.parse().ok(),
            key if key.starts_with("versus") => self.compare.read_field(key, value),
            _ => {
                let (key, is_on) = key.strip_prefix("off.").map_or((key, true), |key| (key, false));
                match Clause::parse(key, value) {
                    // Links from earlier versions have a chip for what is a setting now.
                    Ok(clause) if clause == library() => self.is_library_for_callers |= is_on,
                    Ok(clause) => self.chips.push(Chip { clause, is_on }),
                    Err(_) => {}
                }
            }
        }
    }
}

fn named<T: Copy + Default, const N: usize>(all: [T; N], name: fn(T) -> &'static str, text: &str) -> T {
    all.into_iter().find(|value| name(*value) == text).unwrap_or_default()
}

fn read_measure(text: &str) -> Option<Measure> {
    text.parse().ok().or_else(|| match Clause::parse("live-at", text) {
        Ok(Clause::LiveAt(when)) => Some(Measure::Live(when)),
        _ => None,
    })
}
