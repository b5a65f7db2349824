//! Cells of the table: figures with their bars, and names with their indentation.

use yew::prelude::*;

use crate::ui::components::location::Location;
use crate::ui::store::view::Capabilities;
use camlscope_engine::query::flame::Branch;
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_engine::query::table::{Column, Row};
use camlscope_engine::query::tree::Label;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::names;

/// Deeper lines are not indented any further.
const MAX_INDENT: usize = 24;
const INDENT_PX: usize = 14;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// `None` for the share, because sorting by it is the same as sorting by the total.
    pub column: Option<Column>,
    pub title: &'static str,
    pub hint: &'static str,
}

const fn heading(column: Column, title: &'static str, hint: &'static str) -> Heading {
    Heading { column: Some(column), title, hint }
}

const NAME: Heading = heading(Column::Name, "name", "Hover for the full name");
const FILE: Heading = heading(Column::File, "file", "Source file");
const BLOCKS: Heading = heading(Column::Blocks, "blocks", "Number of blocks");
const SAMPLES: Heading = heading(Column::TotalSamples, "samples", "Number of samples");
const ERROR: Heading = heading(Column::Error, "±", "95% confidence interval of the total. Sorts by relative error.");

const OF_OBJECTS: [Heading; 10] = [
    NAME,
    FILE,
    heading(Column::SelfBytes, "self", "Bytes allocated by the function itself"),
    heading(Column::TotalBytes, "total", "Bytes including everything it calls"),
    ERROR,
    BLOCKS,
    SAMPLES,
    heading(Column::MeanLifetime, "lifetime", "Mean, weighted by bytes. Uncollected objects count until the end."),
    heading(Column::PromotedBytes, "% promoted", "Bytes promoted to the major heap, and their share"),
    heading(Column::EndBytes, "at end", "Bytes never freed"),
];

/// Objects that were never freed have no lifetime, and all of them are live at the end.
const OF_GROWTH: [Heading; 8] = [
    NAME,
    FILE,
    heading(Column::SelfBytes, "self", "Bytes per second allocated by the function itself"),
    heading(Column::TotalBytes, "total", "Bytes per second including everything it calls"),
    ERROR,
    SHARE,
    heading(Column::Blocks, "blocks", "Blocks per second"),
    SAMPLES,
];

const SHARE: Heading = Heading { column: None, title: "share", hint: "Share of the total" };

/// Returns the columns from left to right.
pub fn headings(capabilities: Capabilities, measure: Measure) -> Vec<Heading> {
    if capabilities.has_objects {
        return if measure.is_growth() { OF_GROWTH.to_vec() } else { OF_OBJECTS.to_vec() };
    }
    let mut headings = vec![
        NAME,
        heading(Column::File, "location", "File, line and columns"),
        heading(Column::SelfBytes, "self", "Bytes allocated by the function itself"),
        heading(Column::TotalBytes, "total", "Bytes including everything it calls"),
        SHARE,
    ];
    // Allocation and growth are counted only in words, so there are no blocks.
    headings.extend((measure != Measure::Allocated && !measure.is_growth()).then_some(BLOCKS));
    let calls = heading(Column::SelfCalls, "calls", "Number of calls it made since the program started");
    headings.extend(capabilities.has_calls.then_some(calls));
    headings
}

/// The cells after the name. `is_promised` highlights the row's own amount, which a finding linked to.
pub fn cells(headings: &[Heading], row: &Row, all_bytes: f64, is_promised: bool, (unit, units): (Unit, Units)) -> Html {
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let cell = |heading: &Heading| match heading.column {
        Some(Column::File) => file(row.label()),
        Some(Column::SelfBytes) => {
            bytes("self_bytes", row.self_bytes, Some(share(row.self_bytes, all_bytes)), is_promised, (unit, units))
        }
        Some(Column::TotalBytes) => {
            bytes("total_bytes", row.total_bytes, Some(share(row.total_bytes, all_bytes)), false, (unit, units))
        }
        None => {
            let share = share(row.total_bytes, all_bytes);
            figure("share", share, format::percent(share))
        }
        Some(Column::Blocks) if unit.is_per_second() => {
            figure("blocks", row.blocks, units.amount(Unit::BlocksPerSecond, row.blocks))
        }
        Some(Column::Blocks) => figure("blocks", row.blocks, format::count(row.blocks.round() as u64)),
        Some(Column::TotalSamples) => samples(row.total_samples),
        Some(Column::Error) => error((unit, units), row.total_bytes, row.error),
        Some(Column::MeanLifetime) => row
            .mean_lifetime_us
            .map_or_else(blank, |us| figure("mean_lifetime_us", us, format::duration_us(us.round() as u64))),
        Some(Column::PromotedBytes) => promoted(row.promoted_bytes, share(row.promoted_bytes, row.total_bytes), units),
        Some(Column::EndBytes) => bytes("end_bytes", row.end_bytes, None, false, (unit, units)),
        Some(Column::SelfCalls) => {
            let calls = row.self_calls.unwrap_or_default();
            figure("self_calls", calls as f64, format::count(calls))
        }
        Some(Column::Name | Column::SelfSamples | Column::SelfBlocks | Column::ByteSeconds | Column::Calls) => blank(),
    };
    headings[1..].iter().map(cell).collect()
}

/// The cells of a caller or callee. Columns that only apply to rows stay empty.
pub fn branch_cells(
    headings: &[Heading],
    branch: &Branch,
    all_bytes: f64,
    is_callee: bool,
    (unit, units): (Unit, Units),
) -> Html {
    let share = |part: f64| (all_bytes > 0.0).then(|| part / all_bytes);
    let cell = |heading: &Heading| match heading.column {
        Some(Column::File) => file(branch.label.clone()),
        Some(Column::SelfBytes) if is_callee => {
            bytes("self_bytes", branch.own, share(branch.own), false, (unit, units))
        }
        Some(Column::TotalBytes) => bytes("total_bytes", branch.total, share(branch.total), false, (unit, units)),
        None => share(branch.total).map_or_else(blank, |share| figure("share", share, format::percent(share))),
        Some(Column::TotalSamples) => samples(branch.samples),
        Some(Column::Error) => error((unit, units), branch.total, branch.error),
        _ => blank(),
    };
    headings[1..].iter().map(cell).collect()
}

pub fn blank_cells(headings: &[Heading]) -> Html {
    headings[1..].iter().map(|_| blank()).collect()
}

/// Shows a name as written in the source, with the full name as the tooltip. If it doesn't fit, outer modules are cut
/// first.
pub fn name(name: &str, n_letters: usize) -> Html {
    let plain = names::plain(name);
    let text = names::fitting(&plain, |text| text.chars().count() <= n_letters).unwrap_or(plain);
    html! { <span class="name" title={name.to_owned()}>{ text }</span> }
}

/// Returns how many letters of a name fit in a cell of this width. `em` is the font size.
pub fn n_letters(cell_px: f64, em: f64, level: usize) -> usize {
    /// The space before and after the name.
    const AROUND_PX: f64 = 38.0;
    /// Slightly wider than the average letter.
    const LETTER_EM: f64 = 0.55;
    let indent_px = (level.saturating_sub(1).min(MAX_INDENT) * INDENT_PX) as f64;
    ((cell_px - AROUND_PX - indent_px) / (LETTER_EM * em)).max(0.0) as usize
}

/// The space before a name. Its width depends on data and inline styles are forbidden, so it is an SVG attribute.
pub fn indent(level: usize) -> Html {
    let width = level.min(MAX_INDENT) * INDENT_PX;
    html! { <svg class="indent" width={width.to_string()} height="1" aria-hidden="true"></svg> }
}

fn file(label: Label) -> Html {
    let text = label.exact_location();
    html! {
        <div role="gridcell" class="cell-file" title={text.clone()}><span><Location {label} {text} is_in_table=true /></span></div>
    }
}

fn bytes(name: &'static str, bytes: f64, share: Option<f64>, is_promised: bool, (unit, units): (Unit, Units)) -> Html {
    let noun = if unit.is_per_second() { "bytes per second" } else { "bytes" };
    let title = match share {
        Some(share) => format!("{} {noun}, {} of total", bytes.round(), format::percent(share)),
        None => format!("{} {noun}", bytes.round()),
    };
    html! {
        <div role="gridcell" class="cell-figure" data-cell={name} data-value={bytes.to_string()} {title}>
            if let Some(share) = share.filter(|share| *share > 0.0) {
                <svg class="bar" aria-hidden="true"><rect width={format!("{:.2}%", share * 100.0)} height="100%" /></svg>
            }
            <span class={classes!(is_promised.then_some("promised"))}>{ nothing_or(bytes, (unit, units)) }</span>
        </div>
    }
}

fn promoted(bytes: f64, share: f64, units: Units) -> Html {
    html! {
        <div role="gridcell" class="cell-figure" data-cell="promoted_bytes" data-value={bytes.to_string()}
            title={format!("{} bytes", bytes.round())}>
            if bytes > 0.0 {
                <span class="aside">{ format::percent(share) }</span>{ " " }
            }
            { nothing_or(bytes, (Unit::Bytes, units)) }
        </div>
    }
}

fn nothing_or(bytes: f64, (unit, units): (Unit, Units)) -> String {
    if bytes > 0.0 { units.amount(unit, bytes) } else { "–".to_owned() }
}

fn samples(n: u64) -> Html {
    figure("total_samples", n as f64, format::count(n))
}

fn error((unit, units): (Unit, Units), total: f64, error: Option<f64>) -> Html {
    let text = error.map_or_else(|| "–".to_owned(), |error| units.margin(unit, total, error * total));
    html! { <div role="gridcell" class="cell-figure">{ text.trim_start() }</div> }
}

fn figure(name: &'static str, value: f64, text: String) -> Html {
    html! { <div role="gridcell" class="cell-figure" data-cell={name} data-value={value.to_string()}>{ text }</div> }
}

fn blank() -> Html {
    html! { <div role="gridcell"></div> }
}
