//! The bars. Hovering shows a bar's figures, and a click or a drag selects its time range. A second click on the same
//! bar clears the selection. Arrow keys do the same. A table has the same figures.

use std::rc::Rc;

use web_sys::PointerEvent;
use yew::prelude::*;

use crate::ui::components::cell_pointer::{CellGrid, CellPointer, GridCell, columns_between, use_cell_pointer};
use crate::ui::components::data_table::data_table;
use crate::ui::context::WorkspaceContext;
use crate::ui::platform::size::use_size;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::filter::{Clause, Span};
use camlscope_engine::query::growth::Growth;
use camlscope_present::format::Units;
use camlscope_present::layout::growth_bars::{Bar, Marks, Plot, bars, draw};
use camlscope_present::words::growth as growth_words;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::views::leaks::bars::{covered, rate, read, time};

const HINT: &str = "Click a bar to select its time range, or drag to select several. Keyboard: arrow keys to move, \
    Shift to select, Enter to apply.";

#[derive(Properties, PartialEq)]
pub struct GrowthBarsProps {
    pub workspace: WorkspaceContext,
    pub answer: Option<SharedAnswer>,
    /// Whether the response covers only a part of the heap.
    pub is_part: bool,
}

#[component]
pub fn GrowthBars(props: &GrowthBarsProps) -> Html {
    let GrowthBarsProps { workspace: WorkspaceContext { view_state, dispatch, loaded, units, .. }, answer, is_part } =
        props;
    let units = *units;
    let node = use_node_ref();
    let size = use_size(&node);
    let start_us = view_state.timeline.wall_clock.then_some(loaded.main.summary.info.start_time_us);
    let growth = answer.as_ref().and_then(SharedAnswer::get::<Growth>);
    let bars = growth.zip(size).map_or_else(Vec::new, |(growth, (width, _))| bars(growth, *is_part, width));
    let plot = growth.zip(size).map(|(growth, size)| Plot::new(size, &growth.heap, &bars, view_state.timeline.zoom));
    let scene = Rc::new(GrowthScene { bars, plot, view_state: Rc::clone(view_state), dispatch: dispatch.clone() });
    let pointer = use_cell_pointer(&node, Rc::clone(&scene) as Rc<dyn CellGrid>);
    let pointed = pointer.picked.map(|picked| columns_between(picked.anchor, picked.head));
    let pointed = pointed.or(pointer.hover.map(|at| columns_between(at, at))).filter(|&(_, to)| to < scene.bars.len());
    let marks = Marks { pointed, selected: view_state.brush() };
    let drawn = answer.clone().zip(size).map(|(answer, size)| ((answer, Rc::clone(&scene), marks, units), size));
    use_canvas(&node, drawn, move |(answer, scene, marks, units), canvas| {
        let growth = answer.get::<Growth>()?;
        Some(draw(&growth.heap, &scene.bars, scene.plot.as_ref()?, *marks, start_us, *units, canvas))
    });
    let onpointerleave = Callback::from(pointer.hover.setter()).reform(|_: PointerEvent| None);
    let label = growth.map(|growth| {
        format!("Bytes per second never freed, by allocation time. {}", growth_words::headline(&growth.heap, units))
    });
    html! {
        <figure class="leaks-chart">
            <canvas ref={node} class="leaks-canvas" tabindex="0" role="application" aria-roledescription="bar chart"
                aria-label={label} aria-describedby="leaks-read" data-bars={scene.bars.len().to_string()}
                onpointerdown={pointer.on(CellPointer::down)} onpointermove={pointer.on(CellPointer::moved)}
                onpointerup={pointer.on(CellPointer::up)} {onpointerleave} onkeydown={pointer.on(CellPointer::key)} />
            <figcaption id="leaks-read" class="leaks-muted" aria-live="polite">
                { pointed.map_or_else(|| HINT.to_owned(), |(from, to)| read(&scene.bars[from..=to], units)) }
            </figcaption>
            { as_table(&scene.bars, units) }
        </figure>
    }
}

/// State for drawing and the event handlers.
#[derive(PartialEq)]
struct GrowthScene {
    bars: Vec<Bar>,
    plot: Option<Plot>,
    view_state: Rc<ViewState>,
    dispatch: Callback<ViewAction>,
}

impl CellGrid for GrowthScene {
    fn extent(&self) -> GridCell {
        (self.bars.len(), 1)
    }

    fn at(&self, x: f64, _: f64) -> Option<GridCell> {
        self.plot?.bar_at(&self.bars, x).map(|at| (at, 0))
    }

    fn filter(&self, anchor: GridCell, head: GridCell) {
        let (from, to) = columns_between(anchor, head);
        let (Some(first), Some(last)) = (self.bars.get(from), self.bars.get(to)) else { return };
        let is_selected = self.view_state.brush().is_some_and(|brush| covered(&self.bars, brush) == Some((from, to)));
        let chips = &self.view_state.chips;
        let chip = chips.iter().position(|chip| chip.is_on && matches!(chip.clause, Clause::Allocated(_)));
        self.dispatch.emit(match chip.filter(|_| is_selected) {
            Some(at) => ViewAction::RemoveChip(at),
            None => ViewAction::SelectTimeRange(Span { from: first.span().from, to: last.span().to }),
        });
    }

    fn filters_by_drag(&self) -> bool {
        true
    }
}

fn as_table(bars: &[Bar], units: Units) -> Html {
    let has_part = bars.iter().any(|bar| bar.passing.is_some());
    let row = |(at, bar): (usize, &Bar)| {
        let figure = |name: &str| format!("bars.{at}.{name}");
        html! {
            <tr>
                <th scope="row">{ time(bar.from_us, bar.to_us) }</th>
                <td data-figure={figure("all")} data-value={bar.bytes_per_s.to_string()}>{ rate(bar.bytes_per_s, units) }</td>
                if let Some(passing) = bar.passing {
                    <td data-figure={figure("passing")} data-value={passing.to_string()}>{ rate(passing, units) }</td>
                }
                <td>{ if bar.is_young { "too young to judge" } else { "" } }</td>
            </tr>
        }
    };
    let mut headings = vec!["allocated", "never freed"];
    headings.extend(has_part.then_some("selected"));
    headings.push("note");
    data_table("Show as table".to_owned(), &headings, bars.iter().enumerate().map(row).collect())
}
