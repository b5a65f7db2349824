//! One file: its code with figures, one row per line. Only visible rows are rendered.
//!
//! For screen readers it is a grid with a single tab stop, like the list of events.

use std::rc::Rc;

use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use super::map::map;
use super::notes::FileHead;
use crate::ui::components::sources::FoundSources;
use crate::ui::components::sources::code::{About, code, figure_cell};
use crate::ui::components::sources::text::{Source, recorded_ms, use_source};
use crate::ui::components::virtual_list::{Scroll, use_scroll, use_scroll_height};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::settings::SourceSettings;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::protocol::Question;
use camlscope_engine::query::lines::{FileLines, LinesConfig, SourceFigures, SourceLine};
use camlscope_present::layout::source::{SourceRows, SourceText};
use camlscope_present::words::measure::counted;
use camlscope_view::page::components::panel::line::toggle;
use camlscope_view::page::components::virtual_list::ScrollWindow;

/// The line height before the first layout.
const LINE_PX: f64 = 20.0;
/// As in the style sheet.
const TAB_WIDTH: usize = 8;

#[derive(Properties, PartialEq)]
pub struct PaneProps {
    /// The path in the trace.
    pub file: String,
    pub figures: Option<SourceFigures>,
    pub found: Rc<FoundSources>,
}

#[component]
pub fn SourcePane(props: &PaneProps) -> Html {
    let PaneProps { file, figures, found } = props;
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, .. } = &workspace;
    let candidate = use_state_eq(|| None::<usize>);
    let real = candidate.and_then(|at| found.file(at)).or_else(|| found.real(file));
    let source = use_source(real);
    let query = use_query(Some(view_state.request(Question::Lines(LinesConfig { file: file.clone() }))));
    let lines = query.get::<FileLines>();
    let all = lines.map_or(0.0, |lines| lines.all);
    let n_lines = source.text().map(|text| text.n_lines());
    let rows = use_memo((query.answer.clone(), n_lines), |(answer, n_lines)| {
        let lines = answer.as_ref().and_then(|answer| answer.get::<FileLines>());
        let lines = lines.map_or(&[][..], |lines| &lines.lines);
        FileRows { rows: SourceRows::new(*n_lines, lines), lines: lines.to_vec() }
    });
    let scroll = use_scroll(LINE_PX);
    let window = scroll.window(rows.rows.len());
    use_scroll_height(&scroll.body, &window);
    let active = use_state_eq(|| None::<usize>);
    let handlers = PaneHandlers {
        file: file.clone(),
        file_rows: rows,
        window,
        scroll: scroll.clone(),
        active: active.clone(),
        view_state: Rc::clone(view_state),
        dispatch: dispatch.clone(),
    };
    let selected = view_state.source.line.filter(|_| view_state.source.file.as_ref() == Some(file));
    use_reveal(&handlers, selected, source != Source::Reading && lines.is_some());
    let n_columns = use_memo(source.text().cloned(), |text| text.as_ref().map_or(0, |text| text.n_columns(TAB_WIDTH)));
    use_columns(&scroll.body, *n_columns);
    let about = About::new(&workspace, all);
    let head = FileHead {
        file,
        path: real.map(|real| real.path.as_str()),
        figures: *figures,
        about,
        found,
        source: &source,
        is_newer: source.is_newer_than(recorded_ms(&loaded.main)),
        n_beyond: handlers.file_rows.rows.n_beyond(),
    };
    let on_candidate = Callback::from(candidate.setter()).reform(Some);
    let onkeydown = {
        let handlers = handlers.clone();
        Callback::from(move |event: KeyboardEvent| handlers.press(&event))
    };
    let on_row = {
        let handlers = handlers.clone();
        Callback::from(move |row: usize| handlers.scroll.to_px(handlers.window.center(row)))
    };
    let is_drawn = |row: &usize| handlers.window.lines.contains(row);
    let text = source.text().cloned();
    html! {
        <section class="source-pane" aria-label={file.clone()} data-source={state_name(&source)}
            aria-busy={(source == Source::Reading).to_string()}>
            { head.draw(&on_candidate) }
            <div class="source-body">
                <div class="source-scroll" ref={&scroll.scroller} onscroll={&scroll.onscroll}>
                    <div class="source-grid" role="grid" tabindex="0" aria-label={format!("Lines of {file}")}
                        aria-rowcount={(handlers.file_rows.rows.len() + 1).to_string()} aria-busy={query.is_waiting.to_string()}
                        aria-activedescendant={active.filter(is_drawn).map(row_id)} {onkeydown}>
                        <div role="row" class="source-line source-titles" ref={&scroll.head} aria-rowindex="1">
                            <span role="columnheader" class="source-figure">{ "self" }</span>
                            <span role="columnheader" class="source-figure">{ "total" }</span>
                            <span role="columnheader" class="source-number">{ "line" }</span>
                            <span role="columnheader" class="source-code">{ counted(view_state.measure) }</span>
                        </div>
                        <div role="rowgroup" class="source-rows" ref={&scroll.body}>
                            { for handlers.window.lines.clone().map(|row| handlers.row(row, selected, &about, text.as_deref())) }
                        </div>
                    </div>
                </div>
                { map(&handlers.file_rows.rows, &handlers.file_rows.lines, all, handlers.visible(), on_row) }
            </div>
        </section>
    }
}

fn state_name(source: &Source) -> &'static str {
    match source {
        Source::None => "none",
        Source::Reading => "reading",
        Source::Read { .. } => "read",
        Source::NotRead(_) => "failed",
    }
}

/// Scrolls to a line that was chosen elsewhere, once its row exists. Without one, a file opens at the line that allocates
/// the most itself.
#[hook]
fn use_reveal(handlers: &PaneHandlers, selected: Option<u32>, is_ready: bool) {
    let handlers = handlers.clone();
    let opened = use_mut_ref(|| false);
    let has_layout = handlers.scroll.view_px > 2.0 * handlers.scroll.line_px;
    use_effect_with((selected, is_ready && has_layout), move |(selected, is_ready)| {
        if !*is_ready {
            return;
        }
        let hottest = (!opened.replace(true)).then(|| handlers.hottest()).flatten();
        let Some(row) = selected.or(hottest).and_then(|line| handlers.file_rows.rows.row(line)) else { return };
        handlers.active.set(Some(row));
        if handlers.window.scroll_to(row).is_some() {
            handlers.scroll.to_px(handlers.window.center(row));
        }
    });
}

/// Makes the grid as wide as the widest line, which may not be rendered. The policy forbids inline styles in markup.
#[hook]
fn use_columns(body: &NodeRef, n_columns: usize) {
    use_effect_with((body.clone(), n_columns), |(body, n_columns)| {
        if let Some(body) = body.cast::<HtmlElement>() {
            let _ = body.style().set_property("--source-columns", &n_columns.to_string());
        }
    });
}

/// The rows of the file, and the figures of its lines in ascending order.
#[derive(Debug)]
struct FileRows {
    rows: SourceRows,
    lines: Vec<SourceLine>,
}

#[derive(Clone)]
struct PaneHandlers {
    file: String,
    file_rows: Rc<FileRows>,
    window: ScrollWindow,
    scroll: Scroll,
    /// The row with the keyboard cursor.
    active: UseStateHandle<Option<usize>>,
    view_state: Rc<ViewState>,
    dispatch: Callback<ViewAction>,
}

impl PaneHandlers {
    fn figures(&self, line: u32) -> Option<&SourceFigures> {
        let at = self.file_rows.lines.binary_search_by_key(&line, |line| line.line).ok()?;
        Some(&self.file_rows.lines[at].figures)
    }

    /// Returns the line that allocates the most itself.
    fn hottest(&self) -> Option<u32> {
        let own = self.file_rows.lines.iter().filter(|line| line.figures.own > 0.0);
        own.max_by(|one, two| one.figures.own.total_cmp(&two.figures.own)).map(|line| line.line)
    }

    /// The visible part of the file, from 0 to 1.
    fn visible(&self) -> (f64, f64) {
        let n_rows = self.file_rows.rows.len().max(1) as f64;
        let (from, to) = self.window.seen();
        (from / n_rows, (to / n_rows).min(1.0))
    }

    fn row(&self, row: usize, selected: Option<u32>, about: &About, text: Option<&SourceText>) -> Html {
        let Some(line) = self.file_rows.rows.line(row) else { return Html::default() };
        let figures = self.figures(line);
        let is_selected = selected == Some(line);
        let is_active = *self.active == Some(row);
        let class = classes!(
            "source-line",
            figures.map(|figures| about.classes(figures)),
            is_selected.then_some("is-selected"),
            is_active.then_some("is-active"),
        );
        let onclick = {
            let handlers = self.clone();
            Callback::from(move |_: MouseEvent| {
                // The end of a selection of text isn't a click.
                if !has_selected_text() {
                    handlers.choose(row);
                }
            })
        };
        let words = match text {
            Some(text) => code(text, line).unwrap_or_else(|| html! { <i>{ "(past the end of the file)" }</i> }),
            None => Html::default(),
        };
        html! {
            <div role="row" key={row} id={row_id(row)} {class} aria-rowindex={(row + 2).to_string()} data-line={line.to_string()}
                aria-selected={is_selected.to_string()} title={figures.map(|figures| about.title(figures))} {onclick}>
                { figure_cell("self", figures.map_or(0.0, |figures| figures.own), about) }
                { figure_cell("total", figures.map_or(0.0, |figures| figures.total), about) }
                <span role="rowheader" class="source-number">{ line }</span>
                <code role="gridcell" class="source-code">{ words }</code>
            </div>
        }
    }

    /// Selects a line and filters by it. A line without memory shows everything again.
    fn choose(&self, row: usize) {
        let Some(line) = self.file_rows.rows.line(row) else { return };
        self.active.set(Some(row));
        let has_figures = self.figures(line).is_some();
        let selected = Some(line).filter(|_| has_figures);
        self.dispatch.emit(ViewAction::Source(SourceSettings::at(&self.file, selected)));
        let action = toggle(&self.view_state, &self.file, line, has_figures);
        action.into_iter().for_each(|action| self.dispatch.emit(action));
    }

    fn press(&self, event: &KeyboardEvent) {
        let n_rows = self.file_rows.rows.len();
        if n_rows == 0 || event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let (last, at) = (n_rows - 1, self.active.unwrap_or(0));
        let to = match event.key().as_str() {
            "ArrowDown" => self.active.map_or(0, |row| (row + 1).min(last)),
            "ArrowUp" => at.saturating_sub(1),
            "PageDown" => (at + self.window.page()).min(last),
            "PageUp" => at.saturating_sub(self.window.page()),
            "Home" => 0,
            "End" => last,
            "Enter" | " " => {
                event.prevent_default();
                return self.choose(at.min(last));
            }
            _ => return,
        };
        event.prevent_default();
        self.active.set(Some(to));
        self.window.scroll_to(to).into_iter().for_each(|px| self.scroll.to_px(px));
    }
}

fn has_selected_text() -> bool {
    let selection = gloo::utils::window().get_selection().ok().flatten();
    selection.is_some_and(|selection| !selection.is_collapsed())
}

fn row_id(row: usize) -> String {
    format!("source-{row}")
}
