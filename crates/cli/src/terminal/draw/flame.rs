//! The Flame screen: boxes as wide as their share, callers above callees, and the figures of the selected box.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::{lines, missing, nothing};
use crate::UNITS;
use crate::terminal::app::App;
use crate::terminal::flame::Grid;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::flame::{Direction, FlameBox};
use camlscope_engine::query::statistics;
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_present::layout::color::Tint;
use camlscope_present::layout::flame::{self, short_title, tint, title};
use camlscope_present::layout::names;
use camlscope_present::terminal_text::{clean, cut_middle};

/// The left edge of each box, which separates it from the one before.
const EDGE: &str = "▏";
/// Between two names of the path.
const ARROW: &str = " › ";

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let rows = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(Tab::Flame.words_rows())];
    let [above, middle, below] = Layout::vertical(rows).areas(area);
    lines(frame, above, vec![path(app, theme)]);
    let Some(grid) = Grid::new(&app.state, &app.answers, app.size) else {
        return missing(app, &requests::flame(&app.state, app.size), theme, frame, middle);
    };
    let Some(selected) = grid.selected(&app.state) else {
        let words = match app.state.flame.root.is_empty() {
            true => nothing(&app.state),
            false => "This frame has no data. Press 0 to show all.",
        };
        return lines(frame, middle, vec![Line::styled(words, theme.faint())]);
    };
    let found = requests::find(&app.state).map(|request| match app.answers.ok(&request) {
        Some(Answer::Find(found)) => found.keys.as_slice(),
        _ => &[],
    });
    let first = grid.first_row(&app.state);
    let last = grid.n_rows().min(first + usize::from(middle.height));
    let look = Look { app, grid, theme, selected, found };
    lines(frame, middle, (first..last).map(|row| look.row(row)).collect());
    lines(frame, below, figures(app, &grid, selected, theme));
}

/// How boxes are drawn.
struct Look<'a> {
    app: &'a App,
    grid: Grid<'a>,
    theme: Theme,
    selected: usize,
    /// The keys of the names that the search found.
    found: Option<&'a [u32]>,
}

impl Look<'_> {
    fn row(&self, row: usize) -> Line<'static> {
        let mut spans = Vec::new();
        let mut end = 0;
        for (place, of) in self.grid.row(row) {
            let columns = self.grid.columns(of);
            if columns.is_empty() || columns.start < end {
                continue;
            }
            spans.push(Span::raw(" ".repeat(columns.start - end)));
            end = columns.end;
            // The terminal's own colors, reversed, differ from any module's color on any background.
            let style = match place == self.selected {
                true => self.theme.selected().patch(self.theme.heading()),
                false => self.style(of),
            };
            spans.push(Span::styled(self.text(of, columns.len()), style));
        }
        Line::from(spans)
    }

    fn is_shared(&self, of: &FlameBox) -> bool {
        self.grid.collapsed.holds(of.depth)
    }

    fn style(&self, of: &FlameBox) -> Style {
        let name = self.grid.flame.names.get(of.name as usize);
        let is_found = |key: u32| self.found.is_none_or(|keys| keys.binary_search(&key).is_ok());
        let is_top = of.depth == 0 && self.app.state.flame.root.is_empty();
        match name {
            _ if self.is_shared(of) => {
                let mut shared = self.grid.collapsed.boxes(self.grid.flame);
                let names = &self.grid.flame.names;
                let is_any = shared.any(|of| names.get(of.name as usize).is_some_and(|name| is_found(name.key)));
                if is_any { self.theme.filled(Tint::Library) } else { self.faded() }
            }
            Some(name) if is_found(name.key) && !is_top && of.n_merged == 0 => {
                let style = self.theme.filled(tint(&name.label, flame::Colors::Module, &self.app.modules));
                if self.found.is_some() { style.add_modifier(Modifier::BOLD) } else { style }
            }
            _ if self.found.is_some() || of.n_merged > 0 => self.faded(),
            _ => self.theme.outlined(),
        }
    }

    fn faded(&self) -> Style {
        self.theme.outlined().patch(self.theme.faint())
    }

    /// Returns the name of a box, as much of it as fits, and at least its edge.
    fn text(&self, of: &FlameBox, width: usize) -> String {
        let room = width.saturating_sub(1);
        let fits = |words: &str| words.chars().count() <= room;
        let words = match self.grid.label(of) {
            _ if of.n_merged > 0 => {
                let words = format!("{} frame{}", of.n_merged, if of.n_merged == 1 { "" } else { "s" });
                Some(if fits(&words) { words } else { "░".repeat(room) })
            }
            _ if self.is_shared(of) => self.grid.collapsed.words(self.grid.flame, fits),
            _ if of.depth == 0 && self.app.state.flame.root.is_empty() => Some("all".to_owned()),
            Some(label) => short_title(&title(label), fits),
            None => None,
        };
        let words = words.unwrap_or_default();
        format!("{EDGE}{:<room$}", clean(&words))
    }
}

/// Returns the zoomed path, with the direction at the right.
fn path(app: &App, theme: Theme) -> Line<'static> {
    let direction = match app.state.flame.direction {
        Direction::Inverted => "from sites to their callers",
        _ => "from main to sites",
    };
    let width = usize::from(app.size.width);
    let crumbs = crumbs(app);
    let n_columns: usize = crumbs.iter().map(|(words, _)| words.chars().count()).sum();
    let room = width.saturating_sub(n_columns + 2);
    let direction = if direction.len() <= room { direction } else { "" };
    let last = crumbs.len().saturating_sub(1);
    let crumb = |(at, (words, _)): (usize, (String, Vec<Label>))| {
        Span::styled(words, if at == last { theme.heading() } else { theme.faint() })
    };
    let space = " ".repeat(width.saturating_sub(n_columns + direction.len()));
    let end = [Span::raw(space), Span::styled(direction, theme.faint())];
    crumbs.into_iter().enumerate().map(crumb).chain(end).collect::<Vec<_>>().into()
}

/// Returns the zoomed path in words, each with the path up to it. Leaves out frames in the middle if it's too long.
fn crumbs(app: &App) -> Vec<(String, Vec<Label>)> {
    let root = &app.state.flame.root;
    let named = |at: usize| (format!("{ARROW}{}", clean(&title(&root[at]))), root[..=at].to_vec());
    let all = ("all".to_owned(), Vec::new());
    let width = usize::from(app.size.width);
    let n_columns =
        |crumbs: &[(String, Vec<Label>)]| crumbs.iter().map(|(words, _)| words.chars().count()).sum::<usize>();
    let mut shown: Vec<(String, Vec<Label>)> = Vec::new();
    for at in (0..root.len()).rev() {
        shown.insert(0, named(at));
        // Room for the start and the dots.
        if n_columns(&shown) + 8 > width && at + 1 < root.len() {
            shown[0] = (format!("{ARROW}…"), root[..=at].to_vec());
            break;
        }
    }
    if let [(words, _)] = shown.as_mut_slice() {
        let room = width.saturating_sub(8);
        let short = names::fitting(words.trim_start_matches(ARROW), |words| words.chars().count() <= room);
        *words = cut_middle(
            &format!("{ARROW}{}", short.as_deref().unwrap_or(words.trim_start_matches(ARROW))),
            width.saturating_sub(3),
        )
        .into_owned();
    }
    [all].into_iter().chain(shown).collect()
}

/// Returns the path that a click on the path's line zooms to.
pub fn crumb_at(app: &App, column: u16) -> Option<Vec<Label>> {
    let mut right = 0;
    crumbs(app).into_iter().find_map(|(words, path)| {
        right += words.chars().count();
        (usize::from(column) < right).then_some(path)
    })
}

/// Returns the name and the figures of the selected box.
fn figures(app: &App, grid: &Grid<'_>, selected: usize, theme: Theme) -> Vec<Line<'static>> {
    let of = &grid.flame.boxes[selected];
    let width = usize::from(app.size.width);
    let label = grid.label(of);
    let is_shared = grid.collapsed.holds(of.depth);
    let name = match label {
        _ if is_shared => grid.collapsed.words(grid.flame, |words| words.chars().count() <= width).unwrap_or_default(),
        _ if of.depth == 0 && app.state.flame.root.is_empty() => "all".to_owned(),
        Some(label) => title(label),
        None => String::new(),
    };
    // The title has the line.
    let file = label.filter(|label| !is_shared && !name.contains(&label.file)).map_or("", |label| &label.file);
    let whole = format!("{}  {}", clean(&name), clean(file));
    let name = if whole.chars().count() <= width { whole } else { cut_middle(&clean(&name), width).into_owned() };
    vec![
        Line::styled(name, theme.heading()),
        Line::raw(cut_middle(&amounts(app, grid, of, is_shared), width).into_owned()),
    ]
}

fn amounts(app: &App, grid: &Grid<'_>, of: &FlameBox, is_shared: bool) -> String {
    let unit = app.state.view.measure.unit();
    let rate = app.state.summary.as_ref().map_or(1.0, |summary| summary.kept_rate());
    let margin = of.total * statistics::relative_margin(of.samples, rate).unwrap_or_default();
    let mut words = UNITS.amount_with_margin(unit, of.total, margin);
    let share = if grid.flame.all > 0.0 { of.total / grid.flame.all } else { 0.0 };
    words += &format!(" · {} of all", format::percent(share));
    if !is_shared {
        words += &format!(" · self {}", UNITS.amount(unit, of.own));
    }
    if !app.state.is_profile() {
        words += &format!(" · {} sample{}", format::count(of.samples), if of.samples == 1 { "" } else { "s" });
    }
    words
}
