//! The visible lines: rows of the table, and below expanded rows their callers and callees.

use yew::prelude::*;

use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::table::keys::TableHandlers;
use crate::ui::views::table::{row, rows};
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_view::page::views::table::open_rows::{Line, LineAt, LineKind, OpenRowsAction};

/// Renders the visible lines.
pub fn lines(handlers: &TableHandlers, view_state: &ViewState) -> Vec<Html> {
    let mut drawn = Vec::with_capacity(handlers.window.lines.len());
    // The lines below the last expanded row, for reuse by the next line.
    let mut below: Option<(usize, Vec<Line<'_>>)> = None;
    for line in handlers.window.lines.clone() {
        match handlers.open_rows.at(line) {
            LineAt::Row(row) => drawn.push(row_line(handlers, view_state, line, row)),
            LineAt::Below { row, nth } => {
                if below.as_ref().is_none_or(|(of, _)| *of != row) {
                    below = Some((row, handlers.open_rows.below(row)));
                }
                if let Some(found) = below.as_ref().and_then(|(_, lines)| lines.get(nth)) {
                    drawn.push(line_below(handlers, view_state, line, row, found));
                }
            }
        }
    }
    drawn
}

fn row_line(handlers: &TableHandlers, view_state: &ViewState, line: usize, row: usize) -> Html {
    let Some(found) = rows::row(&handlers.pages, row) else {
        // Still loading.
        return html! {
            <div role="row" class="table-line" key={line} id={line_id(line)} aria-rowindex={(line + 2).to_string()}>
                <div role="rowheader" class="cell-name"><span class="name">{ "…" }</span></div>
                { row::blank_cells(&handlers.headings) }
            </div>
        };
    };
    let label = (found).label();
    let is_open = handlers.open_rows.is_open(row);
    let toggle = {
        let (open_rows, label) = (handlers.open_rows.dispatcher(), label.clone());
        Callback::from(move |()| open_rows.dispatch(OpenRowsAction::ToggleRow(row, label.clone())))
    };
    let is_promised = view_state.shown_finding().is_some_and(|followed| followed.function.as_ref() == Some(&label));
    let kind = LineState {
        level: 1,
        is_open: Some(is_open),
        has_few_samples: handlers.has_few_samples(found.total_samples),
        label: Some(label),
    };
    let cells = row::cells(
        &handlers.headings,
        found,
        rows::all_bytes(&handlers.pages),
        is_promised,
        (handlers.unit, handlers.units),
    );
    draw(handlers, view_state, line, kind, Some(toggle), row::name(&found.name, handlers.n_letters(1)), cells)
}

fn line_below(handlers: &TableHandlers, view_state: &ViewState, line: usize, row: usize, found: &Line<'_>) -> Html {
    let level = found.path.len() + 1;
    let (open_rows, path) = (handlers.open_rows.dispatcher(), found.path.clone());
    let words = |text: String| html! { <span class="table-words">{ text }</span> };
    let mut kind = LineState { level, is_open: found.is_open, has_few_samples: false, label: None };
    let mut cells = row::blank_cells(&handlers.headings);
    let mut act = {
        let (open_rows, path) = (open_rows.clone(), path.clone());
        found.is_open.map(|_| Callback::from(move |()| open_rows.dispatch(OpenRowsAction::Toggle(row, path.clone()))))
    };
    let name = match found.what {
        LineKind::Callers(Some(0)) => words("No callers".to_owned()),
        LineKind::Callers(_) => words("Called by".to_owned()),
        LineKind::Callees(Some(0)) => words("No callees that allocate".to_owned()),
        LineKind::Callees(_) => words("Calls".to_owned()),
        LineKind::Failed => words("Not available with this filter".to_owned()),
        LineKind::More(n) => {
            act = Some(Callback::from(move |()| {
                open_rows.dispatch(OpenRowsAction::More(row, path[..path.len() - 1].to_vec()));
            }));
            words(format!("{} more…", format::count(n as u64)))
        }
        LineKind::Branch(branch) => {
            kind.has_few_samples = handlers.has_few_samples(branch.samples);
            kind.label = Some(branch.label.clone());
            cells = row::branch_cells(
                &handlers.headings,
                branch,
                rows::all_bytes(&handlers.pages),
                found.path.first() == Some(&1),
                (handlers.unit, handlers.units),
            );
            row::name(&branch.label.name, handlers.n_letters(level))
        }
    };
    draw(handlers, view_state, line, kind, act, name, cells)
}

struct LineState {
    level: usize,
    is_open: Option<bool>,
    has_few_samples: bool,
    /// The function that a click selects.
    label: Option<Label>,
}

fn draw(
    handlers: &TableHandlers,
    view_state: &ViewState,
    line: usize,
    kind: LineState,
    act: Option<Callback<()>>,
    name: Html,
    cells: Html,
) -> Html {
    let LineState { level, is_open, has_few_samples, label } = kind;
    let is_selected = label.is_some() && view_state.selected == label;
    let onclick = {
        let (dispatch, active, label, act) =
            (handlers.dispatch.clone(), handlers.active.setter(), label.clone(), act.clone());
        Callback::from(move |_: MouseEvent| {
            active.set(Some(line));
            match (&label, &act) {
                (Some(label), _) => dispatch.emit(ViewAction::Select(Some(label.clone()))),
                (None, Some(act)) => act.emit(()),
                (None, None) => {}
            }
        })
    };
    let ondblclick = label.map(|label| handlers.show.reform(move |_: MouseEvent| label.clone()));
    let expander = is_open.zip(act).map(|(is_open, act)| {
        let onclick = Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            act.emit(());
        });
        let ondblclick = Callback::from(|event: MouseEvent| event.stop_propagation());
        let words = if is_open { "Close" } else { "Show callers and callees" };
        html! {
            <button class={classes!("twisty", is_open.then_some("is-open"))} tabindex="-1" aria-label={words} title={words}
                {onclick} {ondblclick}>
                <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true"><path d="M2 0.5 6 4 2 7.5z" /></svg>
            </button>
        }
    });
    let title = has_few_samples.then_some("Fewer than 10 samples: not reliable");
    html! {
        <div role="row" key={line} id={line_id(line)}
            class={classes!("table-line", has_few_samples.then_some("is-faint"), (*handlers.active == Some(line)).then_some("is-active"))}
            aria-rowindex={(line + 2).to_string()} aria-level={level.to_string()}
            aria-expanded={is_open.map(|is_open| is_open.to_string())} aria-selected={is_selected.to_string()}
            {title} {onclick} {ondblclick}>
            <div role="rowheader" class="cell-name">
                { row::indent(level - 1) }
                { expander.unwrap_or_else(|| html! { <span class="twisty"></span> }) }
                { name }
            </div>
            { cells }
        </div>
    }
}

pub fn line_id(line: usize) -> String {
    format!("table-line-{line}")
}
