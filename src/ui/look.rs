//! What the reader has set, as far as a link may carry it: tab, measure, filter, how stacks are read, where the flame graph
//! is zoomed to. One reducer changes it ([`Turn`]), and its text stands behind the address's `#`, so that back and
//! forward work and a copied link opens the same view once the same file is dropped.

mod settings;

use std::fmt::Write;
use std::rc::Rc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use yew::Reducible;

pub use self::settings::{Setting, Settings};
use crate::protocol::Question;
use crate::protocol::{Request, View};
use crate::query::filter::{Clause, Filter, Span, When};
use crate::query::flame::Direction;
use crate::query::measure::Measure;
use crate::query::table::{Column, Order};
use crate::query::timeline::By;
use crate::query::tree::{Grain, Label, Place};

#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    pub tab: Tab,
    pub measure: Measure,
    pub chips: Vec<Chip>,
    pub grain: Grain,
    pub fold_recursion: bool,
    pub direction: Direction,
    /// Where the flame graph is zoomed to: from its top, which is left out.
    pub root: Vec<Label>,
    /// What the flame graph and the table are searched for: a regular expression.
    pub search: String,
    /// What the timeline tells apart.
    pub stacked_by: Option<By>,
    pub wall_clock: bool,
    /// The stretch of time that the timeline shows; none: all.
    pub zoom: Option<Span>,
    /// None: the grain's usual.
    pub order: Option<Order>,
    /// What the side panel is about.
    pub selected: Option<Label>,
    /// How the smaller views are set.
    pub settings: Settings,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Summary,
    Flame,
    Table,
    Histograms,
    Leaks,
    Events,
    Compare,
}

/// A clause of the filter that can be switched off without being lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    pub clause: Clause,
    pub is_on: bool,
}

/// What the reader does to the look.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    Tab(Tab),
    Measure(Measure),
    /// Adds a clause, or takes the place of the one of the same kind where two would contradict each other.
    AddClause(Clause),
    SetChip(usize, Clause),
    SwitchChip(usize),
    RemoveChip(usize),
    ClearChips,
    /// All that a question or a finding sets: filter and measure, and the tab if one is named.
    Show {
        filter: Filter,
        measure: Measure,
        tab: Option<Tab>,
    },
    /// What is counted, with the chips that go with it.
    Count {
        measure: Measure,
        chips: Vec<Chip>,
    },
    Grain(Grain),
    FoldRecursion(bool),
    Direction(Direction),
    Zoom(Vec<Label>),
    Search(String),
    StackBy(Option<By>),
    WallClock(bool),
    TimeZoom(Option<Span>),
    Order(Option<Order>),
    Select(Option<Label>),
    /// How one of the smaller views is set; an empty word: as usual.
    Set(Setting, String),
    /// The address changed: back, forward, or a link.
    Arrive(Box<Look>),
}

impl Default for Look {
    fn default() -> Look {
        Look {
            tab: Tab::default(),
            measure: Measure::Live(When::Peak),
            chips: Vec::new(),
            grain: Grain::default(),
            fold_recursion: false,
            direction: Direction::default(),
            root: Vec::new(),
            search: String::new(),
            stacked_by: Some(By::Grain(Grain::Module)),
            wall_clock: false,
            zoom: None,
            order: None,
            selected: None,
            settings: Settings::default(),
        }
    }
}

impl Look {
    /// The clauses that are switched on.
    pub fn filter(&self) -> Filter {
        let on = self.chips.iter().filter(|chip| chip.is_on);
        Filter { clauses: on.map(|chip| chip.clause.clone()).collect() }
    }

    pub fn view(&self) -> View {
        View { filter: self.filter(), measure: self.measure, grain: self.grain, fold_recursion: self.fold_recursion }
    }

    pub fn ask(&self, question: Question) -> Request {
        Request { view: self.view(), question }
    }

    /// The stretch of time that is marked on the timeline: the filter's window of allocation.
    pub fn brush(&self) -> Option<Span> {
        self.filter().clauses.into_iter().find_map(|clause| match clause {
            Clause::Allocated(span) => Some(span),
            _ => None,
        })
    }

    fn turn(&mut self, turn: Turn) {
        match turn {
            Turn::Tab(tab) => self.tab = tab,
            Turn::Measure(measure) => self.measure = measure,
            Turn::AddClause(clause) => {
                // They make other stacks, which may not have the place that the flame graph was zoomed to.
                if matches!(clause, Clause::Focus(_) | Clause::Hide(_)) {
                    self.root.clear();
                }
                self.add(clause);
            }
            Turn::SetChip(at, clause) => {
                if let Some(chip) = self.chips.get_mut(at) {
                    *chip = Chip { clause, is_on: true };
                }
            }
            Turn::SwitchChip(at) => {
                if let Some(chip) = self.chips.get_mut(at) {
                    chip.is_on = !chip.is_on;
                }
            }
            Turn::RemoveChip(at) => {
                if at < self.chips.len() {
                    self.chips.remove(at);
                }
            }
            Turn::ClearChips => self.chips.clear(),
            Turn::Show { filter, measure, tab } => {
                self.chips = filter.clauses.into_iter().map(|clause| Chip { clause, is_on: true }).collect();
                self.measure = measure;
                self.tab = tab.unwrap_or(self.tab);
                self.root.clear();
            }
            Turn::Count { measure, chips } => {
                self.measure = measure;
                self.chips = chips;
            }
            Turn::Grain(grain) => {
                self.grain = grain;
                // Places and names of one grain mean nothing in another.
                self.root.clear();
                self.order = None;
                self.direction = match self.direction {
                    Direction::Callers(_) | Direction::Callees(_) => Direction::TopDown,
                    ref direction => direction.clone(),
                };
            }
            Turn::FoldRecursion(folds) => {
                self.fold_recursion = folds;
                self.root.clear();
            }
            Turn::Direction(direction) => {
                self.direction = direction;
                self.root.clear();
            }
            Turn::Zoom(root) => self.root = root,
            Turn::Search(text) => self.search = text,
            Turn::StackBy(by) => self.stacked_by = by,
            Turn::WallClock(wall_clock) => self.wall_clock = wall_clock,
            Turn::TimeZoom(zoom) => self.zoom = zoom,
            Turn::Order(order) => self.order = order,
            Turn::Select(label) => self.selected = label,
            Turn::Set(setting, word) => self.settings.set(setting, word),
            Turn::Arrive(look) => *self = *look,
        }
    }

    fn add(&mut self, clause: Clause) {
        let kind = std::mem::discriminant(&clause);
        let stands_alone = matches!(
            clause,
            Clause::Allocated(_)
                | Clause::Collected(_)
                | Clause::LiveAt(_)
                | Clause::LiveWithin(_)
                | Clause::LiveThrough(_)
                | Clause::Size(..)
                | Clause::Lifetime(_)
                | Clause::Heap(_)
                | Clause::Domain(_)
                | Clause::Focus(_)
        );
        let same = self
            .chips
            .iter_mut()
            .find(|chip| chip.clause == clause || stands_alone && std::mem::discriminant(&chip.clause) == kind);
        match same {
            Some(chip) => *chip = Chip { clause, is_on: true },
            None => self.chips.push(Chip { clause, is_on: true }),
        }
    }
}

impl Reducible for Look {
    type Action = Turn;

    fn reduce(self: Rc<Look>, turn: Turn) -> Rc<Look> {
        let mut look = Rc::unwrap_or_clone(self);
        look.turn(turn);
        Rc::new(look)
    }
}

impl Turn {
    /// Whether the reader may want to come back to before it: then the browser's history gets an entry.
    pub fn is_step(&self) -> bool {
        !matches!(
            self,
            Turn::Search(_)
                | Turn::Arrive(_)
                | Turn::Select(_)
                | Turn::Measure(Measure::Live(When::At(_)))
                | Turn::Set(Setting::LeakSite, _)
        )
    }
}

/// What has a meaning of its own in the text of a look.
const ESCAPED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'=').add(b'>').add(b'`');

impl Look {
    /// Only what is not as usual, so that links are short. Empty for the usual look.
    pub fn to_hash(&self) -> String {
        let usual = Look::default();
        let mut hash = Hash::default();
        hash.put("tab", self.tab.word(), self.tab == usual.tab);
        match self.measure {
            Measure::Live(When::At(_)) => hash.put("show", &Clause::LiveAt(self.when()).value(), false),
            measure => hash.put("show", measure.name(), measure == usual.measure),
        }
        hash.put("by", grain_word(self.grain), self.grain == usual.grain);
        hash.put("recursion", "folded", !self.fold_recursion);
        let (way, function) = match &self.direction {
            Direction::TopDown => ("down", None),
            Direction::Inverted => ("up", None),
            Direction::Callers(function) => ("callers", Some(function)),
            Direction::Callees(function) => ("callees", Some(function)),
        };
        hash.put("way", way, self.direction == Direction::TopDown);
        hash.put_label("of", function);
        for label in &self.root {
            hash.put_label("root", Some(label));
        }
        hash.put("search", &self.search, self.search.is_empty());
        hash.put("stack", by_word(self.stacked_by), self.stacked_by == usual.stacked_by);
        hash.put("clock", "wall", !self.wall_clock);
        if let Some(zoom) = self.zoom {
            hash.put("zoom", &Clause::Allocated(zoom).value(), false);
        }
        if let Some(order) = self.order {
            let direction = if order.descending { "" } else { "-" };
            hash.put("order", &format!("{direction}{}", column_word(order.column)), false);
        }
        hash.put_label("selected", self.selected.as_ref());
        for (setting, word) in self.settings.iter() {
            hash.put(setting.key(), word, false);
        }
        for chip in &self.chips {
            let off = if chip.is_on { "" } else { "off." };
            hash.put(&format!("{off}{}", chip.clause.key()), &chip.clause.value(), false);
        }
        hash.0
    }

    /// What cannot be read is left as usual: a link made by a later version still opens.
    pub fn from_hash(hash: &str) -> Look {
        let mut look = Look::default();
        let mut of = None;
        let mut way = String::new();
        for part in hash.trim_start_matches('#').split('&') {
            let Some((key, value)) = part.split_once('=') else {
                continue;
            };
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            match key {
                "tab" => look.tab = Tab::ALL.into_iter().find(|tab| tab.word() == value).unwrap_or_default(),
                "show" => look.measure = measure_of(&value).unwrap_or(look.measure),
                "by" => look.grain = GRAINS.into_iter().find(|grain| grain_word(*grain) == value).unwrap_or_default(),
                "recursion" => look.fold_recursion = value == "folded",
                "way" => way = value,
                "of" => of = Some(label_of(&value)),
                "root" => look.root.push(label_of(&value)),
                "search" => look.search = value,
                "stack" => {
                    look.stacked_by = BYS.into_iter().find(|by| by_word(*by) == value).unwrap_or(look.stacked_by)
                }
                "clock" => look.wall_clock = value == "wall",
                "zoom" => {
                    if let Ok(Clause::Allocated(span)) = Clause::parse("allocated", &value) {
                        look.zoom = Some(span);
                    }
                }
                "order" => look.order = order_of(&value),
                "selected" => look.selected = Some(label_of(&value)),
                _ => {
                    if let Some(setting) = Setting::of_key(key) {
                        look.settings.set(setting, value);
                        continue;
                    }
                    let (key, is_on) = key.strip_prefix("off.").map_or((key, true), |key| (key, false));
                    if let Ok(clause) = Clause::parse(key, &value) {
                        look.chips.push(Chip { clause, is_on });
                    }
                }
            }
        }
        look.direction = match (way.as_str(), of) {
            ("up", _) => Direction::Inverted,
            ("callers", Some(function)) => Direction::Callers(function),
            ("callees", Some(function)) => Direction::Callees(function),
            _ => Direction::TopDown,
        };
        look
    }

    fn when(&self) -> When {
        match self.measure {
            Measure::Live(when) => when,
            _ => When::Peak,
        }
    }
}

#[derive(Default)]
struct Hash(String);

impl Hash {
    fn put(&mut self, key: &str, value: &str, is_usual: bool) {
        if is_usual {
            return;
        }
        if !self.0.is_empty() {
            self.0.push('&');
        }
        // Writing into a string cannot fail.
        let _ = write!(self.0, "{key}={}", utf8_percent_encode(value, ESCAPED));
    }

    fn put_label(&mut self, key: &str, label: Option<&Label>) {
        if let Some(label) = label {
            self.put(key, &label_word(label), false);
        }
    }
}

/// `name@file` or `name@file@line:start-end`; neither names nor files have an `@`.
pub fn label_word(Label { name, file, place }: &Label) -> String {
    let place =
        place.map_or_else(String::new, |place| format!("@{}:{}-{}", place.line, place.start_char, place.end_char));
    format!("{name}@{file}{place}")
}

pub fn label_of(text: &str) -> Label {
    let mut parts = text.splitn(3, '@').map(str::to_owned);
    let (name, file) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let place = parts.next().and_then(|place| {
        let (line, chars) = place.split_once(':')?;
        let (start, end) = chars.split_once('-')?;
        Some(Place { line: line.parse().ok()?, start_char: start.parse().ok()?, end_char: end.parse().ok()? })
    });
    Label { name, file, place }
}

fn measure_of(word: &str) -> Option<Measure> {
    Measure::named(word).or_else(|| match Clause::parse("live-at", word) {
        Ok(Clause::LiveAt(when)) => Some(Measure::Live(when)),
        _ => None,
    })
}

impl Tab {
    /// In the order in which they stand.
    pub const ALL: [Tab; 7] =
        [Tab::Summary, Tab::Flame, Tab::Table, Tab::Histograms, Tab::Leaks, Tab::Events, Tab::Compare];

    pub fn word(self) -> &'static str {
        match self {
            Tab::Summary => "summary",
            Tab::Flame => "flame",
            Tab::Table => "table",
            Tab::Histograms => "histograms",
            Tab::Leaks => "leaks",
            Tab::Events => "events",
            Tab::Compare => "compare",
        }
    }

    /// What stands on it.
    pub fn title(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Flame => "Flame graph",
            Tab::Table => "Table",
            Tab::Histograms => "Histograms",
            Tab::Leaks => "Leaks",
            Tab::Events => "Events",
            Tab::Compare => "Compare",
        }
    }
}

pub const GRAINS: [Grain; 4] = [Grain::Function, Grain::Site, Grain::File, Grain::Module];

pub fn grain_word(grain: Grain) -> &'static str {
    match grain {
        Grain::Function => "function",
        Grain::Site => "site",
        Grain::File => "file",
        Grain::Module => "module",
    }
}

pub const BYS: [Option<By>; 7] = [
    None,
    Some(By::Grain(Grain::Module)),
    Some(By::Grain(Grain::Function)),
    Some(By::Grain(Grain::Site)),
    Some(By::Grain(Grain::File)),
    Some(By::Heap),
    Some(By::Domain),
];

pub fn by_word(by: Option<By>) -> &'static str {
    match by {
        None => "total",
        Some(By::Grain(grain)) => grain_word(grain),
        Some(By::Heap) => "heap",
        Some(By::Domain) => "domain",
    }
}

const COLUMNS: [Column; 13] = [
    Column::Name,
    Column::File,
    Column::SelfBytes,
    Column::TotalBytes,
    Column::SelfSamples,
    Column::TotalSamples,
    Column::Error,
    Column::SelfBlocks,
    Column::Blocks,
    Column::ByteSeconds,
    Column::MeanLifetime,
    Column::PromotedBytes,
    Column::EndBytes,
];

pub fn column_word(column: Column) -> &'static str {
    match column {
        Column::Name => "name",
        Column::File => "file",
        Column::SelfBytes => "self",
        Column::TotalBytes => "total",
        Column::SelfSamples => "self-samples",
        Column::TotalSamples => "samples",
        Column::Error => "error",
        Column::SelfBlocks => "self-blocks",
        Column::Blocks => "blocks",
        Column::ByteSeconds => "byte-seconds",
        Column::MeanLifetime => "lifetime",
        Column::PromotedBytes => "promoted",
        Column::EndBytes => "end",
    }
}

fn order_of(text: &str) -> Option<Order> {
    let (word, descending) = text.strip_prefix('-').map_or((text, true), |word| (word, false));
    let column = COLUMNS.into_iter().find(|column| column_word(*column) == word)?;
    Some(Order { column, descending })
}

#[cfg(test)]
mod tests;
