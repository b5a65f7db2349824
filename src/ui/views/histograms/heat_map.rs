//! The heat maps: hover reads a cell, a click or a marked rectangle filters; arrow keys do the same.

use std::cmp::Reverse;
use std::rc::Rc;

use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::prelude::*;

use super::bars::unsearched;
use super::choice::Kind;
use super::readout::{self, Read};
use super::{behind, narrow};
use crate::export::heat_csv;
use crate::format;
use crate::layout::heat::{self, Area, Marks, Plot, SHADES};
use crate::layout::histogram::values_words;
use crate::protocol::{Answer, Channel, Question};
use crate::query::filter::Clause;
use crate::query::histogram::heat::{Across, AxisBin, Heat, HeatConfig};
use crate::query::histogram::{Bins, Counted, Of};
use crate::ui::asking::use_answer;
use crate::ui::canvas::{self, Canvas};
use crate::ui::effect::use_effect_with;
use crate::ui::look::{Look, Turn};
use crate::ui::piece::piece;
use crate::ui::size::use_size;
use crate::ui::theme::Theme;
use crate::ui::views::table::nothing;
use crate::ui::workspace::Work;

const HEAT: Channel = Channel(63);
/// Cells of allocation time are about so wide.
const CELL_PX: f64 = 8.0;
/// So many cells are listed.
const MOST_LISTED: usize = 100;

const HINT: &str = "Point at a cell to read it, click it to filter, drag over a rectangle to filter by that. \
                    By keyboard: arrow keys, Shift to mark several, Enter to filter, Esc to unmark.";

#[derive(PartialEq)]
pub struct HeatMap {
    pub work: Work,
    pub kind: Kind,
}

piece!(HeatMap, use_heat_map);

/// Cells that are marked: where it began, where it has come, and whether a pointer is still down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Picked {
    anchor: (usize, usize),
    head: (usize, usize),
    is_held: bool,
}

#[hook]
fn use_heat_map(props: &HeatMap) -> Html {
    let HeatMap { work: Work { look, turn, loaded }, kind } = props;
    let summary = &loaded.main.summary;
    let node = use_node_ref();
    let size = use_size(&node);
    let across = if *kind == Kind::SizeAndLifetime { Across::Size } else { Across::AllocationTime };
    let config = size.map(|(width, _)| config(across, look, summary.end_us, width));
    let asked = use_answer(HEAT, config.map(|config| look.ask(Question::Heat(config))));
    let hover = use_state_eq(|| None::<(usize, usize)>);
    let picked = use_state_eq(|| None::<Picked>);
    let said = use_state_eq(String::new);
    use_effect_with((look.view(), config), {
        let (picked, said) = (picked.setter(), said.setter());
        move |_| {
            picked.set(None);
            said.set(String::new());
        }
    });
    let heat = match asked.answer.as_deref() {
        Some(Answer::Heat(heat)) => Some(heat.clone()),
        _ => None,
    };
    let plot = heat.as_ref().zip(size).map(|(heat, (width, height))| Plot::new(width, height, heat));
    let scene = Rc::new(Scene {
        heat: heat.unwrap_or_default(),
        plot,
        across,
        look: Rc::clone(look),
        word_bytes: u64::from(summary.info.word_size) / 8,
    });
    let n_up = scene.heat.lifetimes.len();
    let area = picked.map(|picked| Area::between(picked.anchor, picked.head, n_up)).filter(|area| scene.has(*area));
    let marks = Marks {
        cursor: (*hover).filter(|_| picked.is_none()).filter(|at| scene.has(Area::between(*at, *at, n_up))),
        area,
    };
    let theme = use_context::<Theme>().unwrap_or_default();
    use_effect_with((Rc::clone(&scene), marks, theme), {
        let node = node.clone();
        move |(scene, marks, _)| {
            if let (Some(plot), Some(canvas)) = (&scene.plot, canvas::element(&node).as_ref().and_then(Canvas::new)) {
                canvas.draw(&heat::draw(&scene.heat, scene.across, plot, marks, &canvas));
            }
        }
    });

    let (total, is_answered) = (heat::total(&scene.heat), asked.answer.is_some());
    let bytes_a_sample = f64::from(summary.info.word_size) / 8.0 / readout::rate(summary);
    let shown = area.or(marks.cursor.map(|at| Area::between(at, at, n_up)));
    let read = shown.map(|area| {
        let samples = heat::samples_in(&scene.heat, area);
        Read {
            range: scene.words(area),
            samples,
            weight: samples as f64 * bytes_a_sample,
            counted: Counted::Bytes,
            all: total as f64 * bytes_a_sample,
        }
    });
    let more = match area.filter(|_| picked.is_some_and(|picked| !picked.is_held)) {
        Some(area) => {
            let (scene, turn) = (Rc::clone(&scene), turn.clone());
            let onclick = Callback::from(move |_: MouseEvent| scene.filter(area, &turn));
            html! { <button class="button" {onclick}>{ "Show only these" }</button> }
        }
        None => Html::default(),
    };
    let label = match across {
        Across::Size => "Heat map of size and lifetime",
        Across::AllocationTime => "Heat map of allocation time and lifetime",
    };
    html! {
        <>
            { readout::too_few(total, summary) }
            { readout::line(read, summary, HINT, more) }
            <figure class="histogram-figure heat-figure" data-waiting={asked.is_waiting.to_string()}
                data-figure="heat.total" data-value={total.to_string()}>
                <p class="heat-axis">{ "lifetime ↑" }</p>
                <canvas ref={node.clone()} class="heat-canvas" tabindex="0" role="application"
                    aria-roledescription="heat map" aria-label={label}
                    aria-describedby="heat-help" onpointerdown={down(&node, &scene, &picked)}
                    onpointermove={moved(&node, &scene, &picked, &hover)} onpointerup={up(&scene, &picked, turn)}
                    onpointerleave={{
                        let hover = hover.setter();
                        Callback::from(move |_: PointerEvent| hover.set(None))
                    }}
                    onkeydown={keys(&scene, &picked, turn)} />
                <p class="heat-axis heat-axis-across">
                    { if across == Across::Size { "size in words →" } else { "time of allocation →" } }
                </p>
                <p id="heat-help" class="visually-hidden">{ HINT }</p>
                if !is_answered && asked.error.is_none() {
                    <p class="histogram-waiting" role="status">{ "Counting…" }</p>
                } else if total == 0 {
                    <div class="heat-nothing">{ nothing::why(&unsearched(look), turn, asked.error.as_ref()) }</div>
                }
                <figcaption>
                    { legend(heat::fullest(&scene.heat)) }
                    <span role="status">{ &*said }</span>
                    { behind::copy_button((total > 0).then(|| heat_csv(&scene.heat)), said.setter()) }
                </figcaption>
            </figure>
            if total > 0 {
                { table(&scene) }
            }
        </>
    }
}

fn config(across: Across, look: &Look, end_us: u64, width: f64) -> HeatConfig {
    let across_bins = match across {
        Across::Size => Bins::Log2,
        Across::AllocationTime => {
            // A marked stretch of time is seen as near as it can be.
            let brush = look.brush().unwrap_or_default();
            let from = brush.from.unwrap_or(0).min(end_us);
            let to = brush.to.unwrap_or(end_us).clamp(from, end_us).saturating_add(1);
            Bins::Linear { from, to, n: (width / CELL_PX).clamp(24.0, 160.0) as usize }
        }
    };
    HeatConfig { across, across_bins, lifetime_bins: Bins::Log2 }
}

/// All that handlers need to know.
#[derive(PartialEq)]
struct Scene {
    heat: Heat,
    plot: Option<Plot>,
    across: Across,
    look: Rc<Look>,
    word_bytes: u64,
}

impl Scene {
    /// An area of an older, larger map may lie outside of this one.
    fn has(&self, area: Area) -> bool {
        area.across.1 < self.heat.across.len() && area.up.1 <= self.heat.lifetimes.len()
    }

    fn across(&self, (first, last): (usize, usize)) -> AxisBin {
        AxisBin { from: self.heat.across[first].from, to: self.heat.across[last].to }
    }

    /// None: never freed.
    fn lifetimes(&self, (first, last): (usize, usize)) -> Option<AxisBin> {
        let (first, last) = (self.heat.lifetimes.get(first)?, self.heat.lifetimes.get(last)?);
        Some(AxisBin { from: first.from, to: last.to })
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

    /// Leaves only this rectangle.
    fn filter(&self, area: Area, turn: &Callback<Turn>) {
        if !self.has(area) || heat::samples_in(&self.heat, area) == 0 {
            return;
        }
        let AxisBin { from, to } = self.across(area.across);
        let mut clauses = match self.across {
            Across::Size => narrow::sizes(from, Some(to)),
            Across::AllocationTime => narrow::allocated(from, to),
        };
        clauses.extend(match self.lifetimes(area.up) {
            Some(AxisBin { from, to }) => narrow::lifetimes(&self.look, from, to),
            None => vec![Clause::NeverCollected],
        });
        turn.emit(narrow::narrowed(&self.look, clauses, self.word_bytes));
    }

    fn cell(&self, node: &NodeRef, event: &PointerEvent) -> Option<(usize, usize)> {
        let area = node.cast::<Element>()?.get_bounding_client_rect();
        let (x, y) = (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
        self.plot.as_ref()?.cell(x, y)
    }
}

/// The shades with the samples from which each begins.
fn legend(fullest: u64) -> Html {
    let shade = |shade: u8| {
        let x = (u32::from(shade - 1) * 32).to_string();
        html! {
            <>
                <rect class={format!("heat-{shade}")} x={x.clone()} y="0" width="32" height="12" />
                if let Some(least) = heat::least_of(shade, fullest) {
                    <text {x} y="24">{ short(least) }</text>
                }
            </>
        }
    };
    let words = format!("Shades from 1 sample to {}, in equal ratios", format::count(fullest));
    html! {
        <div class="heat-legend">
            <span>{ "samples a cell, log scale" }</span>
            <svg width="232" height="28" role="img" aria-label={words}>{ for (1..=SHADES).map(shade) }</svg>
        </div>
    }
}

fn short(samples: u64) -> String {
    if samples >= 10_000 { format!("{}k", samples / 1_000) } else { format::count(samples) }
}

fn table(scene: &Scene) -> Html {
    let n_up = scene.heat.lifetimes.len();
    let cells = (0..=n_up).flat_map(|up| (0..scene.heat.across.len()).map(move |across| (across, up)));
    let mut filled: Vec<(u64, (usize, usize))> =
        cells.map(|cell| (heat::samples_of(&scene.heat, cell), cell)).filter(|(samples, _)| *samples > 0).collect();
    let n_filled = filled.len();
    filled.sort_unstable_by_key(|&(samples, cell)| (Reverse(samples), cell));
    let words = |&(samples, (across, up)): &(u64, (usize, usize))| {
        (scene.across_words((across, across)), scene.lifetime_words((up, up)), samples)
    };
    let listed: Vec<_> = filled.iter().take(MOST_LISTED).map(words).collect();
    let heading = if scene.across == Across::Size { "size" } else { "allocated" };
    behind::cells_table(heading, &listed, n_filled)
}

fn down(node: &NodeRef, scene: &Rc<Scene>, picked: &UseStateHandle<Option<Picked>>) -> Callback<PointerEvent> {
    let (node, scene, picked) = (node.clone(), Rc::clone(scene), picked.setter());
    Callback::from(move |event: PointerEvent| {
        if let (0, Some(at), Some(element)) = (event.button(), scene.cell(&node, &event), node.cast::<Element>()) {
            let _ = element.set_pointer_capture(event.pointer_id());
            picked.set(Some(Picked { anchor: at, head: at, is_held: true }));
        }
    })
}

fn moved(
    node: &NodeRef,
    scene: &Rc<Scene>,
    picked: &UseStateHandle<Option<Picked>>,
    hover: &UseStateHandle<Option<(usize, usize)>>,
) -> Callback<PointerEvent> {
    let (node, scene, picked, hover) = (node.clone(), Rc::clone(scene), picked.clone(), hover.setter());
    Callback::from(move |event: PointerEvent| {
        let at = scene.cell(&node, &event);
        hover.set(at);
        if let (Some(held), Some(head)) = (picked.filter(|picked| picked.is_held), at) {
            picked.set(Some(Picked { head, ..held }));
        }
    })
}

fn up(scene: &Rc<Scene>, picked: &UseStateHandle<Option<Picked>>, turn: &Callback<Turn>) -> Callback<PointerEvent> {
    let (scene, picked, turn) = (Rc::clone(scene), picked.clone(), turn.clone());
    Callback::from(move |_: PointerEvent| {
        if let Some(held) = picked.filter(|picked| picked.is_held) {
            picked.set(None);
            scene.filter(Area::between(held.anchor, held.head, scene.heat.lifetimes.len()), &turn);
        }
    })
}

fn keys(scene: &Rc<Scene>, picked: &UseStateHandle<Option<Picked>>, turn: &Callback<Turn>) -> Callback<KeyboardEvent> {
    let (scene, picked, turn) = (Rc::clone(scene), picked.clone(), turn.clone());
    Callback::from(move |event: KeyboardEvent| {
        let Some(last) = scene.heat.across.len().checked_sub(1) else { return };
        let n_up = scene.heat.lifetimes.len();
        let (across, up) = picked.map_or((0, 0), |picked| picked.head);
        let head = match event.key().as_str() {
            "ArrowRight" => ((across + 1).min(last), up),
            "ArrowLeft" => (across.saturating_sub(1), up),
            "ArrowUp" => (across, (up + 1).min(n_up)),
            "ArrowDown" => (across, up.saturating_sub(1)),
            "Home" => (0, up),
            "End" => (last, up),
            "Enter" if picked.is_some() => {
                event.prevent_default();
                if let Some(Picked { anchor, head, .. }) = *picked {
                    scene.filter(Area::between(anchor, head, n_up), &turn);
                }
                return;
            }
            "Escape" if picked.is_some() => {
                event.prevent_default();
                return picked.set(None);
            }
            _ => return,
        };
        event.prevent_default();
        // The first key shows where one is.
        let head = if picked.is_none() { (across, up) } else { head };
        let anchor = picked.filter(|_| event.shift_key()).map_or(head, |picked| picked.anchor);
        picked.set(Some(Picked { anchor, head, is_held: false }));
    })
}
