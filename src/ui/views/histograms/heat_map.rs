//! The heat maps. Hovering shows a cell's figures, and a click or a selected rectangle filters. Arrow keys do the same.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::cell_pointer::{CellGrid, CellPointer, GridCell, Picked, use_cell_pointer};
use crate::ui::components::data_table::data_table;
use crate::ui::components::nothing::why_nothing;
use crate::ui::components::picture::{self, PictureContent};
use crate::ui::context::WorkspaceContext;
use crate::ui::platform::pictures::{Pictured, use_picture};
use crate::ui::platform::size::use_size;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::query::use_query;
use crate::ui::store::view::settings::Chart;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::histograms::bars::unsearched;
use crate::ui::views::histograms::controls::weight_text;
use crate::ui::views::histograms::readout::{self, Readout};
use crate::ui::views::histograms::{ChartProps, data_table};
use camlscope_engine::protocol::Question;
use camlscope_engine::query::filter::{Clause, Span};
use camlscope_engine::query::histogram::heat::{Across, AxisBin, Heat, HeatConfig};
use camlscope_engine::query::histogram::sites::{Which, Within};
use camlscope_engine::query::histogram::{BinAmounts, Bins, Counted, Of};
use camlscope_present::export::heat_csv;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::draw::{Paint, TextWidth};
use camlscope_present::layout::heat::{self, Area, Marks, Plot, SHADES, Shading};
use camlscope_present::layout::histogram::{values_words, weigh, weight_words};
use camlscope_present::words;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::views::histograms::narrow;

/// The approximate width of a cell on the allocation time axis.
const CELL_PX: f64 = 8.0;
const MOST_LISTED: usize = 100;

const HINT: &str = "Click a cell to filter by it, or drag to select several. Keyboard: arrow keys to move, Shift to \
    select, Enter to filter, Esc to clear.";

#[component]
pub fn HeatMap(props: &ChartProps) -> Html {
    let ChartProps { workspace: WorkspaceContext { view_state, dispatch, loaded, units, .. }, settings } = props;
    let units = *units;
    let (summary, counted) = (&loaded.main.summary, settings.weight);
    let node = use_node_ref();
    let size = use_size(&node);
    let across = if settings.chart == Chart::SizeAndLifetime { Across::Size } else { Across::AllocationTime };
    let config = size.map(|(width, _)| config(across, view_state, summary.end_us, width));
    let query = use_query(config.map(|config| view_state.request(Question::Heat(config))));
    let message = use_state_eq(String::new);
    let map = query.answer.clone().filter(|answer| answer.get::<Heat>().is_some());
    let plot = size.map(|(width, height)| Plot::new(width, height, as_heat(&map)));
    let scene = Rc::new(HeatScene {
        plot: plot.filter(|_| map.is_some()),
        shading: Shading::new(as_heat(&map), counted),
        map,
        across,
        view_state: Rc::clone(view_state),
        dispatch: dispatch.clone(),
        word_bytes: u64::from(summary.info.word_size) / 8,
    });
    let pointer = use_cell_pointer(&node, Rc::clone(&scene) as Rc<dyn CellGrid>);
    use_effect_with((view_state.query_view(), config), {
        let (pointer, message) = (pointer.clone(), message.setter());
        move |_| {
            pointer.clear();
            message.set(String::new());
        }
    });
    let area = pointer.picked.and_then(|picked| scene.area(picked.anchor, picked.head));
    let pointed = pointer.hover.filter(|_| pointer.picked.is_none()).and_then(|at| scene.area(at, at));
    let marks = Marks { cursor: pointed.map(|area| (area.across.0, area.up.0)), area };
    use_canvas(&node, size.map(|size| ((Rc::clone(&scene), marks), size)), |(scene, marks), canvas| {
        Some(heat::draw(scene.heat(), scene.across, scene.plot.as_ref()?, &scene.shading, marks, canvas))
    });

    let shown = area.or(pointed);
    let sums = shown.map_or_else(BinAmounts::default, |area| heat::amounts_in(scene.heat(), area));
    let within = shown.filter(|_| sums.samples > 0).map(|area| scene.within(area));
    let sites = use_query(within.map(|within| view_state.request(readout::who(within))));
    let (total, is_answered) = (heat::total(scene.heat()), query.answer.is_some());
    let read = shown.map(|area| Readout {
        range: scene.words(area),
        samples: sums.samples,
        weight: weigh(&sums, counted),
        counted,
        all: weigh(&total, counted),
    });
    let more = html! { <>{ readout::sites(&sites, sums.samples, dispatch) }{ readout::only_these(&pointer) }</> };
    let has_cells = total.samples > 0;
    use_heat_picture(&props.workspace, &scene, size.filter(|_| has_cells));
    let label = match across {
        Across::Size => "Heat map of size and lifetime",
        Across::AllocationTime => "Heat map of allocation time and lifetime",
    };
    html! {
        <>
            { readout::too_few(total.samples, summary, units) }
            { readout::line(read, summary, HINT, more, units) }
            <figure class="histogram-figure heat-figure" data-waiting={query.is_waiting.to_string()}
                data-figure="heat.total" data-value={total.samples.to_string()}>
                <p class="heat-axis">{ "lifetime ↑" }</p>
                <canvas ref={node.clone()} class="heat-canvas" tabindex="0" role="application"
                    aria-roledescription="heat map" aria-label={label} aria-describedby="heat-help"
                    onpointerdown={pointer.on(CellPointer::down)} onpointermove={pointer.on(CellPointer::moved)}
                    onpointerup={pointer.on(CellPointer::up)} onkeydown={pointer.on(CellPointer::key)} />
                <p class="heat-axis heat-axis-across">
                    { match across {
                        Across::Size => "size in words →",
                        Across::AllocationTime if view_state.brush().is_some() => "allocation time in the selection →",
                        Across::AllocationTime => "allocation time →",
                    } }
                </p>
                <p id="heat-help" class="visually-hidden">{ HINT }</p>
                if !is_answered && query.error.is_none() {
                    <p class="histogram-waiting" role="status">{ "Counting…" }</p>
                } else if !has_cells {
                    <div class="heat-nothing">{ why_nothing(loaded, &unsearched(view_state), dispatch, query.error.as_ref()) }</div>
                }
                <figcaption>
                    if has_cells {
                        { legend(&scene.shading, units) }
                    }
                    <span role="status">{ &*message }</span>
                    { data_table::copy_button(has_cells.then(|| heat_csv(scene.heat())), message.setter()) }
                </figcaption>
            </figure>
            if has_cells {
                { table(&scene, &pointer, units) }
            }
        </>
    }
}

/// Registers the image for export.
#[hook]
fn use_heat_picture(workspace: &WorkspaceContext, scene: &Rc<HeatScene>, size: Option<(f64, f64)>) {
    let draw = size.map(|size| {
        let (workspace, scene) = (workspace.clone(), Rc::clone(scene));
        move |text: &dyn TextWidth| {
            let HeatScene { plot, shading, across, .. } = &*scene;
            let marks = Marks::default();
            let ops = plot.as_ref().map(|plot| heat::draw(scene.heat(), *across, plot, shading, &marks, text));
            let shade = |shade: u8| {
                let least = shading.least_of(shade)?;
                Some(picture::entry(
                    Paint::Heat(shade),
                    format!("from {}", weight_words(least, shading.counted, workspace.units)),
                ))
            };
            let view = workspace.view_state.query_view();
            let axes = match across {
                Across::Size => "size in words (x-axis), lifetime (y-axis)",
                Across::AllocationTime => "allocation time (x-axis), lifetime (y-axis)",
            };
            let drawn = PictureContent {
                name: workspace.view_state.picture_name().unwrap_or("Heat map"),
                about: vec![
                    picture::counted_words(&words::measure::counted(view.measure), &view.filter),
                    format!("{axes}, {} per cell", weight_text(shading.counted)),
                ],
                legend: (1..=SHADES).filter_map(shade).collect(),
                ops: ops.unwrap_or_default(),
                tooltips: Vec::new(),
                size,
                is_both: false,
            };
            picture::with_words(&workspace, drawn)
        }
    });
    use_picture(Pictured::View, draw);
}

fn config(across: Across, view_state: &ViewState, end_us: u64, width: f64) -> HeatConfig {
    let across_bins = match across {
        Across::Size => Bins::Log2,
        Across::AllocationTime => {
            // The axis is the timeline's, but a selected time range gets the full resolution.
            let shown = view_state.brush().or(view_state.timeline.zoom).unwrap_or_default();
            let from = shown.from.unwrap_or(0).min(end_us);
            let to = shown.to.unwrap_or(end_us).clamp(from, end_us).saturating_add(1);
            Bins::Linear { from, to, n: (width / CELL_PX).clamp(24.0, 160.0) as usize }
        }
    };
    HeatConfig { across, across_bins, lifetime_bins: Bins::Log2 }
}

/// Used until the first map arrives.
static NO_MAP: Heat = Heat { across: Vec::new(), lifetimes: Vec::new(), cells: Vec::new(), outside: 0 };

fn as_heat(map: &Option<SharedAnswer>) -> &Heat {
    map.as_ref().and_then(SharedAnswer::get).unwrap_or(&NO_MAP)
}

/// State for the event handlers.
#[derive(PartialEq)]
struct HeatScene {
    map: Option<SharedAnswer>,
    plot: Option<Plot>,
    shading: Shading,
    across: Across,
    view_state: Rc<ViewState>,
    dispatch: Callback<ViewAction>,
    word_bytes: u64,
}

impl HeatScene {
    fn heat(&self) -> &Heat {
        as_heat(&self.map)
    }

    /// Returns `None` if the area is outside the map. It may be from an older, larger map.
    fn area(&self, anchor: GridCell, head: GridCell) -> Option<Area> {
        let (n_across, n_up) = self.extent();
        let is_inside = |(across, up): GridCell| across < n_across && up < n_up;
        (is_inside(anchor) && is_inside(head)).then(|| Area::between(anchor, head, n_up - 1))
    }

    fn across(&self, (first, last): (usize, usize)) -> AxisBin {
        AxisBin { from: self.heat().across[first].from, to: self.heat().across[last].to }
    }

    /// `None` means never freed.
    fn lifetimes(&self, (first, last): (usize, usize)) -> Option<AxisBin> {
        let (first, last) = (self.heat().lifetimes.get(first)?, self.heat().lifetimes.get(last)?);
        Some(AxisBin { from: first.from, to: last.to })
    }

    fn within(&self, area: Area) -> Within {
        let across = Some(self.across(area.across));
        let is_size = self.across == Across::Size;
        let values = |AxisBin { from, to }| Which::Values { from, to };
        Within {
            size: across.filter(|_| is_size),
            allocated: across.filter(|_| !is_size),
            lifetime: Some(self.lifetimes(area.up).map_or(Which::Never, values)),
        }
    }

    /// Returns clauses that keep only the area. An axis that the area covers completely needs no clause.
    fn clauses(&self, area: Area) -> Vec<Clause> {
        let heat = self.heat();
        let (n_across, n_lifetimes) = (heat.across.len(), heat.lifetimes.len());
        let is_whole = |(first, last): (usize, usize), n: usize| heat.outside == 0 && first == 0 && last + 1 == n;
        let samples_of =
            |up: (usize, usize)| heat::amounts_in(heat, Area { across: (0, n_across.saturating_sub(1)), up }).samples;
        let mut clauses = Vec::new();
        let AxisBin { from, to } = self.across(area.across);
        match self.across {
            _ if is_whole(area.across, n_across) => {}
            Across::Size => clauses.extend(narrow::sizes(from, Some(to))),
            Across::AllocationTime => clauses.extend(narrow::allocated(from, to)),
        }
        match self.lifetimes(area.up) {
            None if n_lifetimes == 0 || samples_of((0, n_lifetimes - 1)) == 0 => {}
            None => clauses.push(Clause::NeverCollected),
            Some(_) if is_whole(area.up, n_lifetimes) => {
                let is_never = samples_of((n_lifetimes, n_lifetimes)) > 0;
                clauses.extend(is_never.then_some(Clause::Collected(Span::ANY)));
            }
            Some(AxisBin { from, to }) => clauses.extend(narrow::lifetimes(&self.view_state, from, to)),
        }
        clauses
    }

    fn across_words(&self, across: (usize, usize)) -> String {
        let AxisBin { from, to } = self.across(across);
        match self.across {
            Across::Size => values_words(Of::Size, from, to, false),
            Across::AllocationTime => {
                format!("allocated {} to {}", format::duration_us(from), format::duration_us(to))
            }
        }
    }

    fn lifetime_words(&self, up: (usize, usize)) -> String {
        match self.lifetimes(up) {
            Some(AxisBin { from, to }) => format!("lived {}", values_words(Of::Lifetime, from, to, false)),
            None => "never freed".to_owned(),
        }
    }

    fn words(&self, area: Area) -> String {
        format!("{}, {}", self.across_words(area.across), self.lifetime_words(area.up))
    }
}

impl CellGrid for HeatScene {
    fn extent(&self) -> GridCell {
        (self.heat().across.len(), self.heat().lifetimes.len() + 1)
    }

    fn at(&self, x: f64, y: f64) -> Option<GridCell> {
        self.plot.as_ref()?.cell(x, y)
    }

    fn filter(&self, anchor: GridCell, head: GridCell) {
        let area = self.area(anchor, head).filter(|area| heat::amounts_in(self.heat(), *area).samples > 0);
        let clauses = area.map(|area| self.clauses(area)).unwrap_or_default();
        if !clauses.is_empty() {
            self.dispatch.emit(narrow::narrowed(&self.view_state, clauses, self.word_bytes));
        }
    }
}

/// The shades, each with its minimum weight.
fn legend(shading: &Shading, units: Units) -> Html {
    const WIDTH: u32 = 48;
    let counted = shading.counted;
    let shade = |shade: u8| {
        let x = (u32::from(shade - 1) * WIDTH).to_string();
        html! {
            <>
                <rect class={format!("heat-{shade}")} x={x.clone()} y="0" width={WIDTH.to_string()} height="12" />
                if let Some(least) = shading.least_of(shade) {
                    <text {x} y="24">{ short(least, counted, units) }</text>
                }
            </>
        }
    };
    let (least, most) = (weight_words(shading.least, counted, units), weight_words(shading.most, counted, units));
    let width = (u32::from(SHADES) * WIDTH).to_string();
    html! {
        <div class="heat-legend">
            <span>{ format!("{} per cell, log scale", weight_text(counted)) }</span>
            <svg {width} height="28" role="img" aria-label={format!("Color scale from {least} to {most}, logarithmic")}>
                { for (1..=SHADES).map(shade) }
            </svg>
        </div>
    }
}

fn short(weight: f64, counted: Counted, units: Units) -> String {
    match counted {
        Counted::Bytes => units.bytes(weight),
        _ if weight >= 10_000.0 => format!("{}k", format::count((weight / 1e3).round() as u64)),
        _ => format::count(weight.round() as u64),
    }
}

/// A table of the fullest cells. Selecting one shows its figures, as if hovered.
fn table(scene: &HeatScene, pointer: &CellPointer, units: Units) -> Html {
    let counted = scene.shading.counted;
    let filled = heat::fullest(scene.heat(), counted);
    let row = |&(weight, (across, up)): &(f64, GridCell)| {
        let picked = pointer.picked.setter();
        let cell = Picked { anchor: (across, up), head: (across, up), is_held: false };
        let onclick = Callback::from(move |_: MouseEvent| picked.set(Some(cell)));
        let is_marked = pointer.picked.is_some_and(|now| (now.anchor, now.head) == (cell.anchor, cell.head));
        html! {
            <tr>
                <th scope="row">
                    <button class="quiet" title="Select this cell" aria-pressed={is_marked.to_string()} {onclick}>
                        { scene.across_words((across, across)) }
                    </button>
                </th>
                <td>{ scene.lifetime_words((up, up)) }</td>
                <td>{ weight_words(weight, counted, units) }</td>
            </tr>
        }
    };
    let listed = filled.iter().take(MOST_LISTED).map(row).collect();
    let words = match filled.len() {
        n if n > MOST_LISTED => format!("Show as table (top {MOST_LISTED} of {} cells)", format::count(n as u64)),
        _ => "Show as table".to_owned(),
    };
    let heading = if scene.across == Across::Size { "size" } else { "allocated" };
    data_table(words, &[heading, "lifetime", weight_text(counted)], listed)
}
