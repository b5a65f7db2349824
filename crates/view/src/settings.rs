//! The settings of each view. Links leave out defaults.

use std::str::FromStr;

use super::capabilities::Capabilities;
use super::compare::{parse_time, time_text};
use camlscope_engine::query::events::{Kind, Start};
use camlscope_engine::query::filter::{Span, When};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of, Split};
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::Order;
use camlscope_engine::query::timeline::By;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::layout::timeline::Pin;

/// The file and the line in the Source tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSettings {
    /// The file's path in the trace. `None` shows the file with the largest total.
    pub file: Option<String>,
    /// The selected line of this file.
    pub line: Option<u32>,
}

impl SourceSettings {
    pub fn at(file: &str, line: Option<u32>) -> SourceSettings {
        SourceSettings { file: Some(file.to_owned()), line }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineSettings {
    pub layers: Layers,
    pub wall_clock: bool,
    /// The visible time range, or all if `None`.
    pub zoom: Option<Span>,
    /// The user's notes, at most one per time, in order of time.
    pub pins: Vec<Pin>,
    /// The time of the note being edited, which may not have any text yet. It isn't in links.
    pub edited_pin: Option<u64>,
}

impl TimelineSettings {
    /// A link with more notes than anyone pins can't make the page slow.
    const MAX_PINS: usize = 100;

    /// Pins a note to its time, or removes the one at this time if it has no text.
    pub fn put_pin(&mut self, pin: Pin) {
        let place = self.pins.binary_search_by_key(&pin.at_us, |other| other.at_us);
        match (place, pin.text.is_empty()) {
            (Ok(at), true) => drop(self.pins.remove(at)),
            (Ok(at), false) => self.pins[at] = pin,
            (Err(at), false) if self.pins.len() < TimelineSettings::MAX_PINS => self.pins.insert(at, pin),
            (Err(_), _) => {}
        }
    }

    /// Removes all notes, which are about one trace and may contain names.
    pub fn leave_pins(&mut self) {
        (self.pins, self.edited_pin) = (Vec::new(), None);
    }

    /// Returns the text of the note at this time.
    pub fn pin_text(&self, at_us: u64) -> &str {
        self.pins.iter().find(|pin| pin.at_us == at_us).map_or("", |pin| pin.text.as_str())
    }

    /// Returns all notes, including a new one that is being written.
    pub fn shown_pins(&self) -> Vec<Pin> {
        let mut shown = self.clone();
        if let Some(at_us) = self.edited_pin.filter(|at_us| self.pin_text(*at_us).is_empty()) {
            shown.put_pin(Pin::new(at_us, "New note"));
        }
        shown.pins
    }
}

/// How the timeline is stacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layers {
    /// Modules, or call sites for a profile.
    #[default]
    Usual,
    /// Only the total is drawn.
    Total,
    By(By),
}

impl Layers {
    /// `None` if only the total is drawn.
    pub fn by(self, capabilities: Capabilities) -> Option<By> {
        match self {
            Layers::Usual if capabilities.has_snapshots => Some(By::Grain(Grain::Site)),
            Layers::Usual => Some(By::Grain(Grain::Module)),
            Layers::Total => None,
            Layers::By(by) => Some(by),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameSettings {
    pub direction: Direction,
    /// The path to the frame that fills the width. It starts below the root.
    pub root: Vec<Label>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableSettings {
    /// The default if `None`, see [`super::ViewState::table_order`].
    pub order: Option<Order>,
}

/// The chart in the Histograms tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chart {
    #[default]
    Sizes,
    Lifetimes,
    SizeAndLifetime,
    TimeAndLifetime,
}

impl Chart {
    pub const ALL: [Chart; 4] = [Chart::Sizes, Chart::Lifetimes, Chart::SizeAndLifetime, Chart::TimeAndLifetime];

    pub fn as_str(self) -> &'static str {
        match self {
            Chart::Sizes => "sizes",
            Chart::Lifetimes => "lifetimes",
            Chart::SizeAndLifetime => "size-lifetime",
            Chart::TimeAndLifetime => "time-lifetime",
        }
    }

    pub fn is_heat_map(self) -> bool {
        matches!(self, Chart::SizeAndLifetime | Chart::TimeAndLifetime)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramSettings {
    pub chart: Chart,
    pub weight: Counted,
    pub split: Option<Split>,
    /// The default bins of the chart if `None`.
    pub bins: Option<Bins>,
    /// Whether heights are logarithmic.
    pub is_log: bool,
}

impl Default for HistogramSettings {
    fn default() -> HistogramSettings {
        let (chart, split) = (Chart::default(), Some(Split::Heap));
        HistogramSettings { chart, weight: Counted::Bytes, split, bins: None, is_log: false }
    }
}

impl HistogramSettings {
    pub fn of(&self) -> Of {
        if self.chart == Chart::Lifetimes { Of::Lifetime } else { Of::Size }
    }

    /// Returns the bins. Each chart has two kinds to choose from.
    pub fn bins(&self) -> Bins {
        match (self.of(), self.bins) {
            (Of::Lifetime, Some(Bins::Log10)) => Bins::Log10,
            (Of::Lifetime, _) | (Of::Size, Some(Bins::Log2)) => Bins::Log2,
            (Of::Size, _) => Bins::Classic,
        }
    }

    pub fn config(&self) -> HistogramConfig {
        HistogramConfig { of: self.of(), bins: self.bins(), split: self.split, weight: self.weight }
    }
}

/// How the Leaks tab shows growth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeakView {
    #[default]
    Flame,
    Table,
}

impl LeakView {
    pub const ALL: [LeakView; 2] = [LeakView::Flame, LeakView::Table];

    pub fn as_str(self) -> &'static str {
        match self {
            LeakView::Flame => "flame",
            LeakView::Table => "table",
        }
    }
}

/// The finding that the view was opened from.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedFinding {
    /// All objects that pass the filter if `None`.
    pub function: Option<Label>,
    /// Whether the view still shows the finding's figure. If so, the figure is highlighted.
    pub shows_figure: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventSettings {
    /// The kind of events to list, or all if `None`.
    pub kind: Option<Kind>,
    /// The position that the user has jumped to.
    pub from: Option<EventTarget>,
}

/// A position in the list of events: a time (`1.5s`, `20ms`, `peak`), an object (`#123`), or an event of an object
/// (`#123 promoted`, `#123 collected`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTarget {
    Time(When),
    Object(u32, Kind),
}

impl EventTarget {
    pub fn to_text(self) -> String {
        match self {
            EventTarget::Time(when) => time_text(when),
            EventTarget::Object(object, Kind::Alloc) => format!("#{object}"),
            EventTarget::Object(object, Kind::Promote) => format!("#{object} promoted"),
            EventTarget::Object(object, Kind::Collect) => format!("#{object} collected"),
        }
    }

    pub fn start(self, summary: &Summary) -> Start {
        match self {
            EventTarget::Time(When::At(us)) => Start::Time(us),
            EventTarget::Time(When::Peak) => Start::Time(summary.peak.at_us),
            EventTarget::Time(When::End) => Start::Time(summary.end_us),
            EventTarget::Object(object, Kind::Alloc) => Start::Object(object),
            EventTarget::Object(object, kind) => Start::Happening(object, kind),
        }
    }
}

impl FromStr for EventTarget {
    type Err = ();

    fn from_str(text: &str) -> Result<EventTarget, ()> {
        let text = text.trim();
        let (number, event) =
            text.strip_prefix('#').unwrap_or(text).split_once(' ').unwrap_or((text.trim_start_matches('#'), ""));
        if let Ok(object) = number.replace(',', "").parse() {
            let kind = match event.trim() {
                "" | "allocated" => Kind::Alloc,
                "promoted" => Kind::Promote,
                "collected" => Kind::Collect,
                _ => return Err(()),
            };
            return Ok(EventTarget::Object(object, kind));
        }
        parse_time(text).map(EventTarget::Time).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_objects_parse_as_users_write_them() {
        let read = |text: &str| text.parse::<EventTarget>().ok();
        assert_eq!(read(" 1.5s "), Some(EventTarget::Time(When::At(1_500_000))));
        assert_eq!(read("peak"), Some(EventTarget::Time(When::Peak)));
        assert_eq!(read("#12"), Some(EventTarget::Object(12, Kind::Alloc)));
        assert_eq!(read("1,234"), Some(EventTarget::Object(1234, Kind::Alloc)));
        assert_eq!(read("#12 collected"), Some(EventTarget::Object(12, Kind::Collect)));
        assert_eq!(read("soon"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn event_targets_survive_a_round_trip() {
        for text in ["#12", "#12 promoted", "#12 collected", "peak", "1.5s"] {
            let target: EventTarget = text.parse().expect(text);
            assert_eq!(target.to_text().parse(), Ok(target), "{text}");
        }
    }

    #[test]
    fn there_is_one_note_per_time_and_one_without_text_is_removed() {
        let mut timeline = TimelineSettings::default();
        for (at_us, text) in [(7, "b"), (3, "a"), (7, "c"), (9, ""), (5, "gone"), (5, "")] {
            timeline.put_pin(Pin::new(at_us, text));
        }
        assert_eq!(timeline.pins, [Pin::new(3, "a"), Pin::new(7, "c")]);
        timeline.edited_pin = Some(4);
        assert_eq!(timeline.shown_pins()[1], Pin::new(4, "New note"));
        timeline.edited_pin = Some(7);
        assert_eq!(timeline.shown_pins(), timeline.pins);
    }

    #[test]
    fn the_bins_of_one_chart_do_not_affect_another() {
        let settings = HistogramSettings { bins: Some(Bins::Log10), ..HistogramSettings::default() };
        assert_eq!(settings.bins(), Bins::Classic);
        assert_eq!(HistogramSettings { chart: Chart::Lifetimes, ..settings }.bins(), Bins::Log10);
    }
}
