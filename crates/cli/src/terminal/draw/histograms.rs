//! The Histograms screen: sizes or lifetimes as bars with figures, statistics next to them, and where the objects of the
//! selected bar come from.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::list::{self, Row};
use super::theme::Theme;
use super::{lines, missing, nothing};
use crate::UNITS;
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::histogram::sites::Which;
use camlscope_engine::query::histogram::{Counted, Histogram, Of};
use camlscope_engine::query::statistics::relative_margin;
use camlscope_engine::query::table::has_few_samples;
use camlscope_present::format;
use camlscope_present::layout::flame::title;
use camlscope_present::layout::histogram::{Column, columns, range_words, sum, weigh, weight_words};
use camlscope_present::terminal_text::{bar, wrapped};
use camlscope_present::words::histogram::statistics;

/// The width of the names of statistics.
const NAME: usize = 20;
/// The width of the statistics, and of terminals that have room for them.
const STATISTICS: u16 = 35;
const LEAST_WIDTH: u16 = 76;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let request = requests::histogram(&app.state);
    let Some(Answer::Histogram(histogram)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let columns = columns(histogram, app.state.histogram.bins());
    if sum(&columns).samples == 0 {
        return lines(frame, area, vec![Line::styled(nothing(&app.state), theme.faint())]);
    }
    let rows = [Constraint::Min(2), Constraint::Length(Tab::Histograms.words_rows())];
    let [above, below] = Layout::vertical(rows).areas(area);
    let right = if area.width < LEAST_WIDTH { 0 } else { STATISTICS };
    let [left, right] = Layout::horizontal([Constraint::Min(1), Constraint::Length(right)]).areas(above);
    let selected = app.state.selected().min(columns.len().saturating_sub(1));
    bars(app, &columns, selected, theme, frame, left);
    if right.width > 0 {
        lines(frame, right, figures(app, histogram, theme));
    }
    if let Some(column) = columns.get(selected) {
        lines(frame, below, readout(app, column, &columns, usize::from(area.width), theme));
    }
}

fn bars(app: &App, columns: &[Column], selected: usize, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let settings = &app.state.histogram;
    let weight = |column: &Column| weigh(&column.amounts, settings.weight);
    let range = |column: &Column| short_range(settings.of, column);
    let all = weigh(&sum(columns), settings.weight);
    let largest = columns.iter().map(weight).fold(0.0, f64::max);
    let ranges = columns.iter().map(|column| range(column).chars().count());
    let heading = if settings.of == Of::Size { "words" } else { "lifetime" };
    let range_width = ranges.max().unwrap_or(0).max(heading.len());
    let page = list::page(selected, columns.len(), app.size.list_rows(Tab::Histograms));
    let more = match columns.len() - page.end {
        0 => String::new(),
        n => format!("↓ {n} more"),
    };
    let headings = [(heading, range_width), (settings.weight.as_str(), 10), ("share", 6), (more.as_str(), 0)];
    let fixed: usize = headings.iter().map(|(_, width)| width + 1).sum();
    let bar_width = usize::from(area.width).saturating_sub(fixed + 1);
    let row = |column: &Column| Row {
        cells: vec![
            (range(column), theme.plain()),
            (amount(weight(column), settings.weight), theme.plain()),
            (if all > 0.0 { format::percent(weight(column) / all) } else { String::new() }, theme.bar()),
        ],
        name: bar(weight(column) / largest, bar_width),
        file: String::new(),
    };
    let first = page.start;
    list::draw(&headings, columns[page].iter().map(row).collect(), Some(selected - first), theme, frame, area);
}

/// `8–15` words, or a range of times.
fn short_range(of: Of, column: &Column) -> String {
    match (of, column.which) {
        (Of::Size, Which::Values { from, to }) if !column.is_open && to > from + 1 => {
            format!("{}–{}", format::count(from), format::count(to - 1))
        }
        (Of::Size, Which::Values { from, .. }) if !column.is_open => format::count(from),
        _ => range_words(of, column, column),
    }
}

fn amount(weight: f64, counted: Counted) -> String {
    match counted {
        Counted::Bytes => UNITS.bytes(weight),
        Counted::Samples | Counted::Blocks => format::count(weight.round() as u64),
    }
}

fn figures(app: &App, histogram: &Histogram, theme: Theme) -> Vec<Line<'static>> {
    let settings = &app.state.histogram;
    let heading = match settings.of {
        Of::Size => "Sizes without headers",
        Of::Lifetime => "Lifetimes of collected objects",
    };
    let statistics = statistics(&histogram.stats, settings.of, settings.weight, UNITS).into_iter().map(|statistic| {
        let name = format!("  {:<NAME$}", statistic.name);
        Line::from(vec![Span::styled(name, theme.faint()), Span::raw(statistic.text)])
    });
    [Line::styled(format!("  {heading}"), theme.heading())].into_iter().chain(statistics).collect()
}

/// Describes the selected bar.
fn readout(app: &App, column: &Column, columns: &[Column], width: usize, theme: Theme) -> Vec<Line<'static>> {
    let settings = &app.state.histogram;
    let samples = column.amounts.samples;
    let (weight, all) = (weigh(&column.amounts, settings.weight), weigh(&sum(columns), settings.weight));
    let rate = app.state.summary.as_ref().map_or(1.0, |summary| summary.kept_rate());
    let margin = relative_margin(samples, rate).map_or(0.0, |margin| margin * weight);
    let margin = match settings.weight {
        Counted::Bytes => UNITS.margin_of_bytes(weight, margin),
        _ if margin > 0.0 => format!(" ±{}", format::count(margin.ceil() as u64)),
        _ => String::new(),
    };
    let mut words = format!(
        "{}: {}{margin}",
        range_words(settings.of, column, column),
        weight_words(weight, settings.weight, UNITS)
    );
    if all > 0.0 {
        words += &format!(" · {} of total", format::percent(weight / all));
    }
    if settings.weight != Counted::Samples {
        words += &format!(" · {}", weight_words(samples as f64, Counted::Samples, UNITS));
    }
    if rate < 1.0 && samples > 0 && has_few_samples(samples) {
        words += " · not enough samples";
    }
    if let Some(Answer::Sites(sites)) =
        requests::sites_of_bar(&app.state, &app.answers).and_then(|it| app.answers.ok(&it))
        && !sites.is_empty()
    {
        let share = |part: u64| format::percent(part as f64 / samples.max(1) as f64);
        let names: Vec<String> =
            sites.iter().map(|site| format!("{} {}", title(&site.label), share(site.samples))).collect();
        words += &format!(" · mostly from {}", names.join(", "));
    }
    wrapped(&words, width).into_iter().map(|line| Line::styled(line, theme.heading())).collect()
}
