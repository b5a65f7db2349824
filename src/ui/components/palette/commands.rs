//! The palette's entries: what the page's menus and controls offer, and what choosing a name does.

use super::{Entry, PaletteChoice, PaletteSource};
use crate::ui::commands::export::Export;
use crate::ui::components::filter_bar::{measure_actions, unit_actions};
use crate::ui::components::more_menu::More;
use crate::ui::components::share_menu::{SOURCE_REPORT, Share};
use crate::ui::platform::host;
use crate::ui::store::view::settings::Layers;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use crate::ui::views::timeline::pins::pin_action;
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, When, WhichFrame};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::name_search::FoundName;
use camlscope_engine::query::tree::Grain;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::names;
use camlscope_present::layout::timeline::Pin;
use camlscope_view::page::platform::theme::Theme;

pub fn commands(source: &PaletteSource, units: Units, theme: Theme) -> Vec<Entry> {
    let PaletteSource { view_state, loaded, .. } = source;
    let capabilities = loaded.main.capabilities;
    let mut entries = tabs(view_state, capabilities);
    entries.extend(share(view_state, capabilities));
    entries.extend(
        source.has_sources.then(|| entry(SOURCE_REPORT, "export: report", PaletteChoice::Share(Share::SourceReport))),
    );
    entries.extend(measures(source));
    entries.extend(groupings(view_state, capabilities));
    entries.extend(views(view_state, capabilities));
    entries.extend(notes(source));
    entries.extend(More::all(true, loaded.other.is_some()).into_iter().filter(|more| *more != More::Palette).map(
        |more| {
            let item = more.item(units, theme);
            let is_current = item.is_checked == Some(true);
            Entry { is_current, ..entry(item.text.to_string(), item.group, PaletteChoice::More(more)) }
        },
    ));
    entries
}

fn entry(text: impl Into<String>, hint: impl Into<String>, choice: PaletteChoice) -> Entry {
    Entry { text: text.into(), place: String::new(), hint: hint.into(), is_current: false, choice }
}

fn view(text: impl Into<String>, hint: &str, is_current: bool, action: ViewAction) -> Entry {
    Entry { is_current, ..entry(text, hint, PaletteChoice::View(vec![action])) }
}

fn tabs(view_state: &ViewState, capabilities: Capabilities) -> Vec<Entry> {
    let tab = |&tab: &Tab| view(tab.title(), "tab", tab == view_state.tab, ViewAction::Tab(tab));
    capabilities.tabs().iter().map(tab).collect()
}

fn share(view_state: &ViewState, capabilities: Capabilities) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !host::is_there() {
        entries.push(entry("Open a file…", "", PaletteChoice::More(More::Open)));
        entries.push(entry("Copy link", "Share", PaletteChoice::Share(Share::CopyLink)));
    }
    entries.push(entry("Notes for the report…", "Share", PaletteChoice::Share(Share::Notes)));
    let picture = view_state.picture_name();
    let exports = Export::available(capabilities, picture.is_some(), !view_state.filter().clauses.is_empty());
    entries.extend(exports.into_iter().map(|export| {
        let hint = format!("export: {}", export.group().to_ascii_lowercase());
        entry(export.title(capabilities, picture), hint, PaletteChoice::Share(Share::Export(export)))
    }));
    entries
}

/// The Leaks tab always shows growth.
fn measures(source: &PaletteSource) -> Vec<Entry> {
    let PaletteSource { view_state, loaded, .. } = source;
    if view_state.tab == Tab::Leaks {
        return Vec::new();
    }
    let measures = measure_actions(view_state, loaded).into_iter();
    let measures = measures.map(|(text, is_current, action)| view(text, "measure", is_current, action));
    let units = unit_actions(view_state, loaded.main.capabilities).into_iter();
    let units = units.map(|(text, is_current, action)| view(format!("Count {text}"), "unit", is_current, action));
    measures.chain(units).collect()
}

fn groupings(view_state: &ViewState, capabilities: Capabilities) -> Vec<Entry> {
    let grain = |grain: Grain| {
        let text = format!("Group by {}", capabilities.frame_noun(grain));
        view(text, "grouping", grain == view_state.grain, ViewAction::Grain(grain))
    };
    let mut entries: Vec<Entry> = Grain::ALL.into_iter().map(grain).collect();
    let (folds, is_library) = (view_state.fold_recursion, view_state.is_library_for_callers);
    entries.push(view("Fold recursion", "stacks", folds, ViewAction::FoldRecursion(!folds)));
    let library = ViewAction::CountLibraryForCallers(!is_library);
    entries.push(view("Attribute library code to callers", "stacks", is_library, library));
    entries
}

/// Directions of the flame graph, times and layers of the timeline, and ways back from a narrow view.
fn views(view_state: &ViewState, capabilities: Capabilities) -> Vec<Entry> {
    let direction = |text, direction: Direction| {
        let is_current = view_state.flame.direction == direction;
        let actions = vec![ViewAction::Direction(direction), ViewAction::Tab(Tab::Flame)];
        Entry { is_current, ..entry(text, "flame graph", PaletteChoice::View(actions)) }
    };
    let mut entries = vec![
        direction("Show stacks top-down", Direction::TopDown),
        direction("Show stacks bottom-up", Direction::Inverted),
    ];
    let peak = match capabilities.has_snapshots {
        true => ViewAction::MoveTime(When::Peak),
        false => ViewAction::Measure(Measure::Live(When::Peak)),
    };
    entries.push(view("Go to the peak", "timeline", false, peak));
    if view_state.timeline.zoom.is_some() {
        entries.push(view("Reset timeline zoom", "timeline", false, ViewAction::TimeZoom(None)));
    }
    let is_total = view_state.timeline.layers == Layers::Total;
    let layers = if is_total { Layers::Usual } else { Layers::Total };
    entries.push(view("Show only the total", "timeline", is_total, ViewAction::StackBy(layers)));
    if !view_state.chips.is_empty() {
        entries.push(view("Clear all filters", "filter", false, ViewAction::ClearChips));
    }
    if view_state.selected.is_some() {
        entries.push(view("Deselect", "selection", false, ViewAction::Select(None)));
    }
    entries
}

/// The notes on the timeline, and the one that can be added.
fn notes(PaletteSource { view_state, loaded, .. }: &PaletteSource) -> Vec<Entry> {
    let go_to = |pin: &Pin| {
        let action = match loaded.main.capabilities.has_snapshots {
            true => ViewAction::MoveTime(When::At(pin.at_us)),
            false => ViewAction::Measure(Measure::Live(When::At(pin.at_us))),
        };
        view(pin.text.clone(), &format!("go to {}", format::elapsed_us(pin.at_us)), false, action)
    };
    let add =
        pin_action(view_state, loaded).map(|action| view("Pin a note to the timeline", "timeline", false, action));
    add.into_iter().chain(view_state.timeline.pins.iter().map(go_to)).collect()
}

/// A function is selected, next to a view that shows selections. A module or a file becomes a filter.
pub fn of_name(found: &FoundName, view_state: &ViewState, capabilities: Capabilities) -> Entry {
    let FoundName { part, label } = found;
    let noun = match part {
        FrameField::Function => capabilities.frame_noun(Grain::Function),
        FrameField::File => "file",
        FrameField::Module => "module",
        FrameField::Line => "line",
    };
    let (hint, actions) = match part {
        FrameField::Function => {
            let select = ViewAction::Select(Some(label.clone()));
            match matches!(view_state.tab, Tab::Flame | Tab::Table | Tab::Histograms) {
                true => (format!("select {noun}"), vec![select]),
                false => ("show in flame graph".to_owned(), vec![select, ViewAction::Tab(Tab::Flame)]),
            }
        }
        FrameField::File | FrameField::Module | FrameField::Line => {
            let name = NameTest::is(&label.name);
            let test = FrameTest { part: *part, name, not: false, which: WhichFrame::Any };
            (format!("filter by {noun}"), vec![ViewAction::AddClause(Clause::Frame(test))])
        }
    };
    let text = match part {
        FrameField::File | FrameField::Line => label.name.clone(),
        FrameField::Function | FrameField::Module => names::plain(&label.name),
    };
    let place = label.file.clone();
    Entry { text, place, hint, is_current: false, choice: PaletteChoice::View(actions) }
}
