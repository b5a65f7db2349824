//! Cells of the table: figures with their bars, names with what opens below them.

use yew::prelude::*;

use crate::format;
use crate::layout::names;
use crate::query::flame::Branch;
use crate::query::table::{Column, Row};

/// Deeper lines are not moved further to the right.
const MAX_INDENT: usize = 24;
const INDENT_PX: usize = 14;

pub struct Heading {
    pub column: Column,
    pub title: &'static str,
    pub hint: &'static str,
}

pub const HEADINGS: [Heading; 10] = [
    Heading { column: Column::Name, title: "name", hint: "Full names on hover" },
    Heading { column: Column::File, title: "file", hint: "Where it is defined" },
    Heading { column: Column::SelfBytes, title: "self", hint: "Bytes that it allocated itself" },
    Heading { column: Column::TotalBytes, title: "total", hint: "Bytes that it and all that it calls allocated" },
    Heading { column: Column::Blocks, title: "blocks", hint: "How many blocks these bytes are" },
    Heading { column: Column::TotalSamples, title: "samples", hint: "What the row's figures are estimated from" },
    Heading { column: Column::Error, title: "±", hint: "Standard error of the total" },
    Heading {
        column: Column::MeanLifetime,
        title: "lifetime",
        hint: "Mean, by bytes; what was never freed counts with its age",
    },
    Heading {
        column: Column::PromotedBytes,
        title: "promoted",
        hint: "Bytes that survived the minor heap, and their share",
    },
    Heading { column: Column::EndBytes, title: "at end", hint: "Bytes that were never freed" },
];

/// Behind the name.
pub fn cells(row: &Row, all_bytes: f64) -> Html {
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let place = names::exact_place(&row.label());
    html! {
        <>
            { file(&place) }
            { bytes("self_bytes", row.self_bytes, Some(share(row.self_bytes, all_bytes))) }
            { bytes("total_bytes", row.total_bytes, Some(share(row.total_bytes, all_bytes))) }
            { figure("blocks", row.blocks, format::count(row.blocks.round() as u64)) }
            { samples(row.total_samples) }
            { error(row.error) }
            { lifetime(row.mean_lifetime_us) }
            <div role="gridcell" class="cell-figure" data-cell="promoted_bytes" data-value={row.promoted_bytes.to_string()}
                title={format!("{} bytes", row.promoted_bytes.round())}>
                if row.promoted_bytes > 0.0 {
                    <span class="aside">{ format::percent(share(row.promoted_bytes, row.total_bytes)) }</span>{ " " }
                }
                { nothing_or(row.promoted_bytes) }
            </div>
            { bytes("end_bytes", row.end_bytes, None) }
        </>
    }
}

/// The cells of a caller or callee; what only rows have is left empty.
pub fn branch_cells(branch: &Branch, all_bytes: f64, is_callee: bool) -> Html {
    let share = |part: f64| (all_bytes > 0.0).then(|| part / all_bytes);
    html! {
        <>
            { file(&names::exact_place(&branch.label)) }
            if is_callee {
                { bytes("self_bytes", branch.own, share(branch.own)) }
            } else {
                { blank() }
            }
            { bytes("total_bytes", branch.total, share(branch.total)) }
            { blank() }
            { samples(branch.samples) }
            { error(branch.error) }
            { blank() }{ blank() }{ blank() }
        </>
    }
}

pub fn blank_cells() -> Html {
    (1..HEADINGS.len()).map(|_| blank()).collect()
}

/// A name as its author wrote it, whole on hover. Where it has no room, its outer modules go first.
pub fn name(name: &str, n_letters: usize) -> Html {
    let plain = names::plain(name);
    let text = names::fitting(&plain, |text| text.chars().count() <= n_letters).unwrap_or(plain);
    html! { <span class="name" title={name.to_owned()}>{ text }</span> }
}

/// How many letters of a name have room in a cell of this width, `em` being the size of the font.
pub fn n_letters(cell_px: f64, em: f64, level: usize) -> usize {
    /// What stands before and behind the name.
    const AROUND_PX: f64 = 38.0;
    /// A little wider than letters are on average.
    const LETTER_EM: f64 = 0.55;
    let indent_px = (level.saturating_sub(1).min(MAX_INDENT) * INDENT_PX) as f64;
    ((cell_px - AROUND_PX - indent_px) / (LETTER_EM * em)).max(0.0) as usize
}

/// The room before a name. A length that depends on data cannot be a style, so it is a picture's width.
pub fn indent(level: usize) -> Html {
    let width = level.min(MAX_INDENT) * INDENT_PX;
    html! { <svg class="indent" width={width.to_string()} height="1" aria-hidden="true"></svg> }
}

fn file(place: &str) -> Html {
    html! { <div role="gridcell" class="cell-file" title={place.to_owned()}><span>{ place }</span></div> }
}

fn bytes(name: &'static str, bytes: f64, share: Option<f64>) -> Html {
    let title = match share {
        Some(share) => format!("{} bytes, {} of all", bytes.round(), format::percent(share)),
        None => format!("{} bytes", bytes.round()),
    };
    html! {
        <div role="gridcell" class="cell-figure" data-cell={name} data-value={bytes.to_string()} {title}>
            if let Some(share) = share.filter(|share| *share > 0.0) {
                <svg class="bar" aria-hidden="true"><rect width={format!("{:.2}%", share * 100.0)} height="100%" /></svg>
            }
            <span>{ nothing_or(bytes) }</span>
        </div>
    }
}

fn nothing_or(bytes: f64) -> String {
    if bytes > 0.0 { format::bytes(bytes) } else { "–".to_owned() }
}

fn samples(n: u64) -> Html {
    html! {
        <div role="gridcell" class="cell-figure" data-cell="total_samples" data-value={n.to_string()}>{ format::count(n) }</div>
    }
}

fn error(error: Option<f64>) -> Html {
    let text = error.map_or_else(|| "–".to_owned(), |error| format!("±{}", format::percent(error)));
    html! { <div role="gridcell" class="cell-figure">{ text }</div> }
}

fn lifetime(us: Option<f64>) -> Html {
    match us {
        Some(us) => figure("mean_lifetime_us", us, format::duration_us(us.round() as u64)),
        None => blank(),
    }
}

fn figure(name: &'static str, value: f64, text: String) -> Html {
    html! { <div role="gridcell" class="cell-figure" data-cell={name} data-value={value.to_string()}>{ text }</div> }
}

fn blank() -> Html {
    html! { <div role="gridcell"></div> }
}
