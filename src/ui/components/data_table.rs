//! A chart's data as a table.

use yew::prelude::*;

/// Renders a table that is collapsed at first.
pub fn data_table(words: String, headings: &[&str], rows: Html) -> Html {
    html! {
        <details class="behind">
            <summary>{ words }</summary>
            <div class="behind-scroll" tabindex="0" role="region" aria-label="Table">
                <table>
                    <thead><tr>{ for headings.iter().map(|name| html! { <th scope="col">{ *name }</th> }) }</tr></thead>
                    <tbody>{ rows }</tbody>
                </table>
            </div>
        </details>
    }
}
