//! A chart's data as a table, and as text for a spreadsheet.

use yew::prelude::*;

use crate::ui::components::data_table::data_table;
use crate::ui::platform::clipboard;
use camlscope_engine::query::histogram::{BinAmounts, Of};
use camlscope_present::format::{self, Units};
use camlscope_present::layout::histogram::{Column, range_words};

/// A button that copies the text and reports the outcome with `tell`. Empty without text.
pub fn copy_button(text: Option<String>, tell: UseStateSetter<String>) -> Html {
    let Some(text) = text else {
        return Html::default();
    };
    let onclick = Callback::from(move |_: MouseEvent| {
        let (n_lines, tell) = (text.lines().count() as u64, tell.clone());
        clipboard::copy(&text, move |copied| {
            tell.set(match copied {
                Ok(()) => format!("Copied {} rows.", format::count(n_lines)),
                Err(why) => why.words().to_owned(),
            });
        });
    });
    html! { <button class="quiet" {onclick}>{ "Copy as CSV" }</button> }
}

pub fn bars_table(columns: &[Column], part_names: &[String], of: Of, units: Units) -> Html {
    let cells = |figure: &str, amounts: &BinAmounts| {
        let cell = |name: &str, exact: String, text: String| {
            html! { <td data-figure={format!("{figure}.{name}")} data-value={exact}>{ text }</td> }
        };
        html! {
            <>
                { cell("samples", amounts.samples.to_string(), format::count(amounts.samples)) }
                { cell("bytes", amounts.bytes.to_string(), units.bytes(amounts.bytes)) }
                { cell("blocks", amounts.blocks.to_string(), format::count(amounts.blocks.round() as u64)) }
            </>
        }
    };
    let row = |column: &Column| {
        let figure = column.bin.map_or_else(|| "never".to_owned(), |bin| format!("bins.{bin}"));
        html! {
            <tr>
                <th scope="row">{ range_words(of, column, column) }</th>
                { cells(&figure, &column.amounts) }
                { for column.parts.iter().map(|part| html! { <td>{ format::count(part.samples) }</td> }) }
            </tr>
        }
    };
    let of_parts: Vec<String> = part_names.iter().map(|name| format!("samples {}", part_words(name))).collect();
    let mut headings = vec![if of == Of::Size { "size" } else { "lifetime" }, "samples", "bytes", "blocks"];
    headings.extend(of_parts.iter().map(String::as_str));
    data_table("Show as table".to_owned(), &headings, columns.iter().map(row).collect())
}

/// Returns the label for a part of a bar.
pub fn part_words(name: &str) -> &str {
    match name {
        "minor" => "minor heap only",
        "major" => "allocated in the major heap",
        "external" => "outside the heap",
        other => other,
    }
}
