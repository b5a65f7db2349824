//! The bar charts. Hovering shows a bar's figures, a click filters by it, and a drag selects several. Arrow keys do the
//! same.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::cell_pointer::{CellGrid, CellPointer, GridCell, Picked, columns_between, use_cell_pointer};
use crate::ui::components::nothing::why_nothing;
use crate::ui::components::picture::{self, PictureContent};
use crate::ui::context::WorkspaceContext;
use crate::ui::platform::pictures::{Pictured, use_picture};
use crate::ui::platform::size::use_size;
use crate::ui::query::use_query;
use crate::ui::store::view::settings::HistogramSettings;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::histograms::controls::weight_text;
use crate::ui::views::histograms::data_table::{self, part_words};
use crate::ui::views::histograms::readout::{self, Readout};
use crate::ui::views::histograms::{ChartProps, stats};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::Clause;
use camlscope_engine::query::histogram::sites::{Which, Within};
use camlscope_engine::query::histogram::{Histogram, Of, Split};
use camlscope_present::export::histogram_csv;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::draw::{Paint, TextWidth};
use camlscope_present::layout::histogram::{self, Bar, Column, Picture, range_words, weigh, weight_words};
use camlscope_present::words;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::views::histograms::narrow;

const HINT: &str = "Click a bar to filter by it, or drag to select several. Keyboard: arrow keys to move, Shift to \
    select, Enter to filter, Esc to clear.";

#[component]
pub fn Bars(props: &ChartProps) -> Html {
    let ChartProps { workspace: WorkspaceContext { view_state, dispatch, loaded, units, .. }, settings } = props;
    let units = *units;
    let question = Question::Histogram(settings.config());
    let query = use_query(Some(view_state.request(question.clone())));
    let is_all = view_state.filter().clauses.is_empty() && view_state.measure.narrowing().is_none();
    let whole = use_query((!is_all).then(|| Request { view: View::default(), question }));
    let stage = use_node_ref();
    let size = use_size(&stage);
    let message = use_state_eq(String::new);
    let of = settings.of();
    let histogram = query.get::<Histogram>();
    let columns = histogram.map_or_else(Vec::new, |histogram| histogram::columns(histogram, settings.bins()));
    let picture = size.map(|size| histogram::picture(&columns, of, settings.weight, settings.is_log, size, units));
    let scene = Rc::new(BarsScene {
        columns,
        picture: picture.unwrap_or_default(),
        of,
        view_state: Rc::clone(view_state),
        dispatch: dispatch.clone(),
        word_bytes: u64::from(loaded.main.summary.info.word_size) / 8,
    });
    let pointer = use_cell_pointer(&stage, Rc::clone(&scene) as Rc<dyn CellGrid>);
    use_effect_with((view_state.query_view(), settings.bins()), {
        let (pointer, message) = (pointer.clone(), message.setter());
        move |_| {
            pointer.clear();
            message.set(String::new());
        }
    });
    let picked = *pointer.picked;
    let shown = picked.map(|Picked { anchor, head, .. }| columns_between(anchor, head));
    let shown = shown.or((*pointer.hover).map(|(at, _)| (at, at))).filter(|&(_, to)| to < scene.columns.len());
    let which = shown.filter(|&at| scene.samples(at) > 0).map(|(from, to)| scene.which(from, to));
    let sites = use_query(which.map(|which| view_state.request(readout::who(Within::bin(of, which)))));

    let all = histogram::sum(&scene.columns);
    let summary = &loaded.main.summary;
    let read = shown.map(|(from, to)| {
        let sum = histogram::sum(&scene.columns[from..=to]);
        Readout {
            range: range_words(of, &scene.columns[from], &scene.columns[to]),
            samples: sum.samples,
            weight: weigh(&sum, settings.weight),
            counted: settings.weight,
            all: weigh(&all, settings.weight),
        }
    });
    let samples = shown.map_or(0, |at| scene.samples(at));
    let more = html! { <>{ readout::sites(&sites, samples, dispatch) }{ readout::only_these(&pointer) }</> };
    let is_empty = histogram.is_some() && all.samples == 0;
    let body = match (histogram, &query.error) {
        (None, None) => html! { <p class="histogram-waiting" role="status">{ "Counting…" }</p> },
        (None, Some(error)) => why_nothing(loaded, &unsearched(view_state), dispatch, Some(error)),
        (Some(_), _) if is_empty => why_nothing(loaded, &unsearched(view_state), dispatch, None),
        (Some(_), _) => drawing(&scene, *settings, shown, units),
    };
    let has_bars = histogram.is_some() && !is_empty;
    use_bars_picture(&props.workspace, *settings, query.answer.clone().filter(|_| has_bars), &scene, size);
    let whole_stats = whole.get::<Histogram>().map(|histogram| &histogram.stats);
    let active = picked.filter(|_| has_bars).map(|picked| format!("bar-{}", picked.head.0));
    html! {
        <>
            { readout::too_few(all.samples, summary, units) }
            { readout::line(read, summary, HINT, more, units) }
            <div class="histogram-body" data-waiting={query.is_waiting.to_string()}>
                <figure class="histogram-figure">
                    <div ref={stage.clone()} class="bars-stage" tabindex={has_bars.then_some("0")}
                        role={has_bars.then_some("listbox")} aria-multiselectable={has_bars.then_some("true")}
                        aria-orientation={has_bars.then_some("horizontal")} aria-label={has_bars.then(|| title(of))}
                        aria-activedescendant={active}
                        onpointerdown={pointer.on(CellPointer::down)} onpointermove={pointer.on(CellPointer::moved)}
                        onpointerup={pointer.on(CellPointer::up)} onkeydown={pointer.on(CellPointer::key)}>
                        { body }
                    </div>
                    <figcaption>
                        { legend(histogram, *settings, units) }
                        <span role="status">{ &*message }</span>
                        { data_table::copy_button(histogram.filter(|_| has_bars).map(histogram_csv), message.setter()) }
                    </figcaption>
                </figure>
                if let Some(histogram) = histogram.filter(|_| has_bars) {
                    { stats::table(&histogram.stats, whole_stats, of, settings.weight, units) }
                    { data_table::bars_table(&scene.columns, &histogram.part_names, of, units) }
                }
            </div>
        </>
    }
}

/// State for the event handlers.
struct BarsScene {
    columns: Vec<Column>,
    picture: Picture,
    of: Of,
    view_state: Rc<ViewState>,
    dispatch: Callback<ViewAction>,
    word_bytes: u64,
}

impl BarsScene {
    fn which(&self, from: usize, to: usize) -> Which {
        match (self.columns[from].which, self.columns[to].which) {
            (Which::Values { from, .. }, Which::Values { to, .. }) => Which::Values { from, to },
            _ => Which::Never,
        }
    }

    fn samples(&self, (from, to): (usize, usize)) -> u64 {
        histogram::sum(&self.columns[from..=to]).samples
    }
}

impl CellGrid for BarsScene {
    fn extent(&self) -> GridCell {
        (self.columns.len(), 1)
    }

    fn at(&self, x: f64, _: f64) -> Option<GridCell> {
        self.picture.at(x).map(|at| (at, 0))
    }

    /// The bar of never-freed objects is selected on its own.
    fn within(&self, (anchor, _): GridCell, (wanted, _): GridCell) -> GridCell {
        let is_never = |at: usize| self.columns.get(at).is_some_and(|column| column.which == Which::Never);
        let head = match (is_never(anchor), is_never(wanted)) {
            (true, _) => anchor,
            (false, true) => wanted.saturating_sub(1),
            (false, false) => wanted,
        };
        (head, 0)
    }

    fn filter(&self, anchor: GridCell, head: GridCell) {
        let (from, to) = columns_between(anchor, head);
        if to >= self.columns.len() || self.samples((from, to)) == 0 {
            return;
        }
        let clauses = match (self.which(from, to), self.of) {
            (Which::Never, _) => vec![Clause::NeverCollected],
            (Which::Values { from, to: end }, Of::Size) => {
                narrow::sizes(from, (!self.columns[to].is_open).then_some(end))
            }
            (Which::Values { from, to }, Of::Lifetime) => narrow::lifetimes(&self.view_state, from, to),
        };
        self.dispatch.emit(narrow::narrowed(&self.view_state, clauses, self.word_bytes));
    }
}

/// Returns the view without the search, which doesn't apply to histograms.
pub fn unsearched(view_state: &ViewState) -> ViewState {
    ViewState { search: String::new(), ..view_state.clone() }
}

fn title(of: Of) -> &'static str {
    match of {
        Of::Size => "Histogram of sizes in words",
        Of::Lifetime => "Histogram of lifetimes; the last bar is never freed",
    }
}

fn drawing(scene: &BarsScene, settings: HistogramSettings, shown: Option<(usize, usize)>, units: Units) -> Html {
    let Picture { bars, ticks, labels, left, right, bottom } = &scene.picture;
    let all = weigh(&histogram::sum(&scene.columns), settings.weight);
    let tick = |(y, words): &(f64, String)| {
        let y_line = (y.round() + 0.5).to_string();
        html! {
            <>
                <line class="bars-grid" x1={left.to_string()} x2={right.to_string()} y1={y_line.clone()} y2={y_line} />
                <text class="bars-tick" x={(left - 6.0).to_string()} y={(y + 4.0).to_string()}>{ words }</text>
            </>
        }
    };
    let label = |(x, words): &(f64, String)| {
        html! { <text class="bars-label" x={format!("{x:.1}")} y={(bottom + 16.0).to_string()}>{ words }</text> }
    };
    let bar = |(at, (bar, column)): (usize, (&Bar, &Column))| {
        let is_shown = shown.is_some_and(|(from, to)| (from..=to).contains(&at));
        let weight = weigh(&column.amounts, settings.weight);
        let words = format!(
            "{}: {}, {}",
            range_words(scene.of, column, column),
            weight_words(weight, settings.weight, units),
            format::percent(if all > 0.0 { weight / all } else { 0.0 })
        );
        html! {
            <g id={format!("bar-{at}")} role="option" aria-selected={is_shown.to_string()} aria-label={words}
                class={classes!("column", (column.which == Which::Never).then_some("column-never"))}>
                <rect class="bars-room" x={format!("{:.1}", bar.x - 1.0)} width={format!("{:.1}", bar.w + 2.0)} y="0"
                    height={bottom.to_string()} />
                { for bar.pieces.iter().map(|piece| html! {
                    <rect class={format!("part part-{}", piece.part)} x={format!("{:.1}", bar.x)}
                        width={format!("{:.1}", bar.w)} y={format!("{:.2}", piece.y)} height={format!("{:.2}", piece.h)} />
                }) }
            </g>
        }
    };
    let foot = (bottom + 0.5).to_string();
    html! {
        <svg class="bars" role="presentation">
            <g aria-hidden="true">{ for ticks.iter().map(tick) }{ for labels.iter().map(label) }</g>
            { for bars.iter().zip(&scene.columns).enumerate().map(bar) }
            <line class="bars-foot" x1={left.to_string()} x2={right.to_string()} y1={foot.clone()} y2={foot} />
        </svg>
    }
}

/// Registers the image for export.
#[hook]
fn use_bars_picture(
    workspace: &WorkspaceContext,
    settings: HistogramSettings,
    answer: Option<SharedAnswer>,
    scene: &Rc<BarsScene>,
    size: Option<(f64, f64)>,
) {
    let draw = answer.zip(size).map(|(answer, size)| {
        let (workspace, scene) = (workspace.clone(), Rc::clone(scene));
        move |_: &dyn TextWidth| {
            let entry = |(part, name, weight): (usize, &str, f64)| {
                let text = format!("{} {}", part_words(name), weight_words(weight, settings.weight, workspace.units));
                picture::entry(Paint::Part(part as u8), text)
            };
            let legend = answer.get().into_iter().flat_map(|histogram| parts(histogram, settings)).map(entry).collect();
            let view = workspace.view_state.query_view();
            let height = if settings.is_log { ", on a log scale" } else { "" };
            let about = vec![
                picture::counted_words(&words::measure::counted(view.measure), &view.filter),
                format!("weighted by {}{height}", weight_text(settings.weight)),
            ];
            let name = workspace.view_state.picture_name().unwrap_or("Histogram");
            let ops = histogram::draw(&scene.picture);
            picture::with_words(
                &workspace,
                PictureContent { name, about, legend, ops, tooltips: Vec::new(), size, is_both: false },
            )
        }
    });
    use_picture(Pictured::View, draw);
}

/// Returns the parts of the bars, each with its name and its total over all bars.
fn parts(histogram: &Histogram, settings: HistogramSettings) -> impl Iterator<Item = (usize, &str, f64)> {
    histogram.part_names.iter().enumerate().map(move |(part, name)| {
        let of_bins = histogram.bins.iter().filter_map(|bin| bin.parts.get(part));
        let of_all = of_bins.chain(histogram.never_parts.get(part));
        (part, name.as_str(), of_all.map(|amounts| weigh(amounts, settings.weight)).sum())
    })
}

/// Colors, names and totals of the parts.
fn legend(histogram: Option<&Histogram>, settings: HistogramSettings, units: Units) -> Html {
    let Some(histogram) = histogram else {
        return Html::default();
    };
    let entry = |(part, name, weight): (usize, &str, f64)| {
        html! {
            <li data-figure={format!("parts.{name}")} data-value={weight.to_string()}>
                <svg class="part-swatch" aria-hidden="true">
                    <rect class={format!("part part-{part}")} width="10" height="10" />
                </svg>
                { part_words(name).to_owned() }{ " " }<span>{ weight_words(weight, settings.weight, units) }</span>
            </li>
        }
    };
    html! {
        <>
            <ul class="parts">{ for parts(histogram, settings).map(entry) }</ul>
            if settings.is_log && settings.split.is_some_and(|split| matches!(split, Split::Heap | Split::Fate)) {
                <span>{ "Bar height is on a log scale. Parts are shares of the bar." }</span>
            }
        </>
    }
}
