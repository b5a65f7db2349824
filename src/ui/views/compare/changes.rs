//! The table of changes: each function before and after, and whether the difference is significant.
//!
//! The page holds all rows, so sorting and searching need no query. Only visible rows are rendered.

use std::cmp::Ordering;
use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::components::search::{Matcher, use_matcher};
use crate::ui::components::virtual_list::{use_scroll, use_scroll_height};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::download::save_bytes;
use crate::ui::query::use_query;
use crate::ui::store::view::compare::{ChangeColumn, ChangeOrder, CompareAction, ComparePair};
use crate::ui::store::view::{Capabilities, ViewAction};
use camlscope_engine::protocol::Question;
use camlscope_engine::query::compare::{Comparison, Row, Sum};
use camlscope_engine::query::tree::Grain;
use camlscope_present::export::changes_csv;
use camlscope_present::format;
use camlscope_present::layout::flame;
use camlscope_view::page::components::comparison;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::views::compare::words;

/// The maximum number of rows in the page. They include the largest changes.
const MAX_ROWS: usize = 10_000;
/// The line height before the first layout.
const LINE_PX: f64 = 28.0;

#[derive(Properties, PartialEq)]
pub struct ChangesProps {
    pub pair: ComparePair,
}

#[component]
pub fn Changes(props: &ChangesProps) -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, .. } = use_workspace();
    let settings = &view_state.compare;
    let config = comparison::config(&view_state, props.pair, settings.sum, MAX_ROWS);
    let question = Question::Compare { versus: comparison::versus(&view_state, props.pair), config };
    let query = use_query(Some(comparison::request(&view_state, props.pair, question)));
    // An invalid search hides nothing.
    let matcher = use_matcher(&view_state).ok().flatten();
    let rows = use_memo(
        (query.answer.clone(), settings.order, settings.is_changed_only, matcher),
        |(answer, order, is_changed_only, matcher)| {
            answer.as_ref().map_or_else(Vec::new, |answer| shown(answer, *order, *is_changed_only, matcher.as_ref()))
        },
    );
    let Some(comparison) = query.get::<Comparison>() else {
        return match &query.error {
            Some(error) => {
                html! { <p class="compare-words" role="alert">{ format!("{} {}", error.text, error.advice) }</p> }
            }
            None => html! { <p class="compare-words" role="status">{ "Comparing…" }</p> },
        };
    };
    let answer = query.answer.clone();
    html! {
        <section class="changes" aria-label="Changes">
            <div class="changes-bar">
                <h2>{ headline(comparison, capabilities.frame_noun(view_state.grain), capabilities.has_samples) }</h2>
                <span class="changes-rest">{ rest(comparison, capabilities.has_samples) }</span>
                <div class="changes-ways">
                    { only_switch(settings.is_changed_only, &dispatch) }
                    { sum_switch(settings.sum, &dispatch) }
                    { csv_button(comparison, loaded.compared_file_name("changes.csv")) }
                </div>
            </div>
            if let Some(answer) = answer {
                <Lines {answer} {rows} />
            }
        </section>
    }
}

/// Such as `4 functions changed significantly`, or without samples `4 lines changed`.
fn headline(comparison: &Comparison, noun: &str, has_samples: bool) -> Html {
    let n = comparison.n_changed;
    let count = if n == 0 { "No".to_owned() } else { format::count(n as u64) };
    let plural = if n > 1 { "s" } else { "" };
    let by = if has_samples { " significantly" } else { "" };
    let words = format!("{count} {noun}{plural} changed{by}");
    html! { <span data-figure="compare.n_changed" data-value={n.to_string()}>{ words }</span> }
}

fn rest(comparison: &Comparison, has_samples: bool) -> String {
    let n_rest = comparison.n_rows - comparison.n_changed;
    let why = if has_samples { ", or have too few samples" } else { "" };
    let mut words = format!("{} didn't{why}", format::count(n_rest as u64));
    if comparison.n_rows > comparison.rows.len() {
        words += &format!("; showing the {} largest changes", format::count(comparison.rows.len() as u64));
    }
    words
}

fn only_switch(is_on: bool, dispatch: &Callback<ViewAction>) -> Html {
    let onchange = dispatch.reform(|event: Event| {
        ViewAction::Compare(CompareAction::ChangedOnly(event.target_unchecked_into::<HtmlInputElement>().checked()))
    });
    html! { <label class="quiet flame-check"><input type="checkbox" checked={is_on} {onchange} />{ "Changed only" }</label> }
}

fn sum_switch(sum: Sum, dispatch: &Callback<ViewAction>) -> Html {
    let button = |of: Sum, text: &'static str, title: &'static str| {
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Compare(CompareAction::Sum(of)));
        html! { <button class="quiet" aria-pressed={(sum == of).to_string()} {title} {onclick}>{ text }</button> }
    };
    html! {
        <span class="switch" role="group" aria-label="Self or total">
            { button(Sum::Own, "self", "Allocated by the function itself") }
            { button(Sum::Total, "total", "Including everything it calls") }
        </span>
    }
}

fn csv_button(comparison: &Comparison, name: String) -> Html {
    let comparison = Rc::new(comparison.clone());
    // A browser without memory for a file of one megabyte reports that itself.
    let onclick = Callback::from(move |_: MouseEvent| {
        let _ = save_bytes(&name, changes_csv(&comparison).as_bytes());
    });
    html! { <button class="quiet" {onclick} title="Save all rows with exact values">{ "CSV" }</button> }
}

/// Returns the indices of the visible rows, in display order.
fn shown(answer: &SharedAnswer, order: ChangeOrder, is_changed_only: bool, matcher: Option<&Matcher>) -> Vec<usize> {
    let Some(comparison) = answer.get::<Comparison>() else { return Vec::new() };
    let is_shown = |row: &Row| {
        (!is_changed_only || row.change.verdict.is_significant())
            && matcher.is_none_or(|matcher| matcher.finds(&row.label))
    };
    let rows = &comparison.rows;
    let mut places: Vec<usize> = (0..rows.len()).filter(|&place| is_shown(&rows[place])).collect();
    if order.column == ChangeColumn::Name {
        // Sort by displayed name, not by the compiler's name. Descending means from A to Z.
        places.sort_by_cached_key(|&place| flame::title(&rows[place].label).to_lowercase());
        if !order.is_descending {
            places.reverse();
        }
        return places;
    }
    places.sort_by(|&one, &two| {
        let by = compare_rows(&rows[one], &rows[two], order.column);
        let by = if order.is_descending { by.reverse() } else { by };
        // Ties keep the engine's order, largest change first.
        by.then(one.cmp(&two))
    });
    places
}

fn compare_rows(one: &Row, two: &Row, column: ChangeColumn) -> Ordering {
    let (a, b) = (&one.change, &two.change);
    let by_sureness = || a.verdict.is_significant().cmp(&b.verdict.is_significant());
    match column {
        ChangeColumn::Name => Ordering::Equal,
        ChangeColumn::Before => a.before.total_cmp(&b.before),
        ChangeColumn::After => a.after.total_cmp(&b.after),
        ChangeColumn::Change => by_sureness().then(a.change.abs().total_cmp(&b.change.abs())),
        ChangeColumn::Samples => (a.samples_before + a.samples_after).cmp(&(b.samples_before + b.samples_after)),
        ChangeColumn::Verdict => by_sureness().then(factor(one).total_cmp(&factor(two))),
    }
}

/// Returns the ratio of the larger side to the smaller one.
fn factor(row: &Row) -> f64 {
    let (before, after) = (row.change.before, row.change.after);
    before.max(after) / before.min(after).max(f64::MIN_POSITIVE)
}

#[derive(Properties, PartialEq)]
struct LinesProps {
    answer: SharedAnswer,
    rows: Rc<Vec<usize>>,
}

#[component]
fn Lines(props: &LinesProps) -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, capabilities, .. } = &workspace;
    let scroll = use_scroll(LINE_PX);
    let window = scroll.window(props.rows.len());
    use_scroll_height(&scroll.body, &window);
    let Some(comparison) = props.answer.get::<Comparison>() else {
        return Html::default();
    };
    let order = view_state.compare.order;
    let n_rows = props.rows.len() + 1;
    let lines = window.lines.clone().filter_map(|at| {
        let row = comparison.rows.get(*props.rows.get(at)?)?;
        Some(line(&workspace, comparison, row, at + 2))
    });
    html! {
        <div ref={scroll.scroller} class="changes-scroll" tabindex="0" role="region" aria-label="Changes, by function"
            onscroll={scroll.onscroll}>
            <div class={classes!("changes-table", (!capabilities.has_samples).then_some("is-profile"))} role="table" aria-rowcount={n_rows.to_string()} aria-label="Changes">
                <div role="rowgroup" class="changes-head">
                    <div ref={scroll.head} role="row" class="changes-line" aria-rowindex="1">
                        { for ChangeColumn::ALL
                            .into_iter()
                            .filter(|column| capabilities.has_samples || *column != ChangeColumn::Samples)
                            .map(|column| heading(column, order, *capabilities, dispatch)) }
                    </div>
                </div>
                <div ref={scroll.body} role="rowgroup" class="changes-body">{ for lines }</div>
            </div>
            if props.rows.is_empty() {
                <p class="compare-words">{ "No matching rows. Change the search, or include unchanged rows." }</p>
            }
        </div>
    }
}

fn heading(
    column: ChangeColumn,
    order: ChangeOrder,
    capabilities: Capabilities,
    dispatch: &Callback<ViewAction>,
) -> Html {
    let text = match column {
        ChangeColumn::Name => capabilities.frame_noun(Grain::Function),
        ChangeColumn::Before => "A (before)",
        ChangeColumn::After => "B (after)",
        ChangeColumn::Change => "change",
        ChangeColumn::Samples => "samples",
        ChangeColumn::Verdict => "verdict",
    };
    let is_sorted = order.column == column;
    let is_descending = !is_sorted || !order.is_descending;
    let onclick = dispatch
        .reform(move |_: MouseEvent| ViewAction::Compare(CompareAction::Order(ChangeOrder { column, is_descending })));
    let (sort, arrow) = match (is_sorted, order.is_descending) {
        (false, _) => (None, ""),
        (true, true) => (Some("descending"), "▾"),
        (true, false) => (Some("ascending"), "▴"),
    };
    html! {
        <div role="columnheader" class={(column == ChangeColumn::Change).then_some("changes-change")} aria-sort={sort}>
            <button class="sort" {onclick}>{ text }<span class="arrow" aria-hidden="true">{ arrow }</span></button>
        </div>
    }
}

fn line(workspace: &WorkspaceContext, comparison: &Comparison, row: &Row, index: usize) -> Html {
    let Row { label, change } = row;
    let selected = label.clone();
    let onclick = workspace.dispatch.reform(move |_: MouseEvent| ViewAction::Select(Some(selected.clone())));
    let is_selected = workspace.view_state.selected.as_ref() == Some(label);
    let (unit, units, suffix) = (comparison.unit, workspace.units, comparison.scale.suffix());
    // A side without samples shows a dash instead of an amount.
    let amount = |value: f64, samples: u64| match samples {
        0 => "–".to_owned(),
        _ => format!("{}{suffix}", units.amount(unit, value)),
    };
    let name = flame::title(label);
    let class = if change.verdict.is_significant() { "changes-line" } else { "changes-line is-faint" };
    let has_samples = workspace.capabilities.has_samples;
    let title = has_samples.then(|| words::interval((unit, units), suffix, change));
    let (amount_of_change, margin) = words::row_change((unit, units), suffix, change);
    html! {
        <div key={index} role="row" {class} aria-rowindex={index.to_string()} aria-current={is_selected.then_some("true")} {onclick}>
            <div role="rowheader">
                <button class="compare-name" title={format!("Show {name} in the graph")}>{ &name }</button>
            </div>
            <div role="cell">{ amount(change.before, change.samples_before) }</div>
            <div role="cell">{ amount(change.after, change.samples_after) }</div>
            <div role="cell" class="changes-change" {title} data-figure={format!("compare.{name}")}
                data-value={change.change.to_string()}>
                <span>{ amount_of_change }</span>{ " " }<span>{ margin }</span>
            </div>
            if has_samples {
                <div role="cell">{ words::samples(change.samples_before, change.samples_after) }</div>
            }
            <div role="cell">
                <span class={words::verdict_class(change.verdict)}>{ words::verdict(change.verdict, change.change, !has_samples) }</span>
                { words::factor(change).map(|factor| format!(" {factor}")) }
            </div>
        </div>
    }
}
