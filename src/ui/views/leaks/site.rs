//! One site at length: its curve, what of each age survived, the stacks that led to it, and the way to the flame graph.

use std::rc::Rc;

use web_sys::PointerEvent;
use yew::prelude::*;

use crate::format;
use crate::layout::curve::{Plot, draw};
use crate::layout::names;
use crate::protocol::{Answer, Question, Request};
use crate::query::filter::When;
use crate::query::flame::Direction;
use crate::query::leaks::Site;
use crate::query::leaks::site::{SiteStory, StackOfSite};
use crate::query::measure::Measure;
use crate::query::tree::Label;
use crate::ui::components::name::breakable;
use crate::ui::context::WorkspaceContext;
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::size::use_size;
use crate::ui::platform::theme::Theme;
use crate::ui::query::{SharedAnswer, use_query};
use crate::ui::store::view::{Tab, ViewAction, ViewState};
use crate::ui::views::leaks::request::{grain, view};
use crate::ui::views::leaks::verdict::{badge, growth, meaning};

/// What fits beside the list; the flame graph has them all.
const MAX_STACKS: usize = 6;
const MAX_FRAMES: usize = 64;
/// Ages are told apart by quarters of the trace.
const N_AGES: usize = 4;

#[derive(Properties, PartialEq)]
pub struct OpenedProps {
    pub workspace: WorkspaceContext,
    pub site: Site,
    pub label: Label,
}

#[component]
pub fn Opened(props: &OpenedProps) -> Html {
    let OpenedProps { workspace: WorkspaceContext { view_state, dispatch, loaded, .. }, site, label } = props;
    let is_profile = loaded.is_profile();
    let question = Question::LeakSite { site: label.clone(), max_stacks: MAX_STACKS, max_frames: MAX_FRAMES };
    let query = use_query(Some(Request { view: view(view_state), question }));
    let story = query.answer.filter(|answer| matches!(**answer, Answer::LeakSite(_)));
    html! {
        <section class="leak-site" aria-label="The opened site">
            <h2 class="leak-title" title={label.name.clone()} data-figure="site.name" data-value={label.name.clone()}>
                { breakable(&names::plain(&label.name)) }
            </h2>
            <p class="leak-place">{ names::place(label) }</p>
            <p class="leak-head">
                { badge(site.verdict, is_profile) }
                { growth(site, "site".to_owned(), is_profile) }
                <span>{ format!("{} at the end of {} allocated{}", format::bytes(site.end_bytes),
                    format::bytes(site.allocated_bytes), samples(", ", site.samples, is_profile)) }</span>
            </p>
            <p class="leak-why">{ sentence(&site.reason) }</p>
            <p class="leak-meaning">{ meaning(site.verdict, is_profile) }</p>
            <div class="leak-actions">{ flame_button(view_state, site, label, dispatch) }</div>
            <Chart story={story.clone()} {is_profile} />
            if let Some(Answer::LeakSite(story)) = story.as_deref() {
                { ages(story) }
                { stacks(story, is_profile) }
            } else if let Some(error) = &query.error {
                <p>{ &error.text }</p>
            }
        </section>
    }
}

/// What figures rest on; nothing where they are exact.
fn samples(before: &str, n: u64, is_exact: bool) -> String {
    match n {
        _ if is_exact => String::new(),
        1 => format!("{before}1 sample"),
        n => format!("{before}{} samples", format::count(n)),
    }
}

fn sentence(reason: &str) -> String {
    let mut letters = reason.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_ascii_uppercase(), letters.as_str()))
}

/// What it keeps, in the flame graph; all that it allocated where it keeps nothing.
fn flame_button(view_state: &Rc<ViewState>, site: &Site, label: &Label, dispatch: &Callback<ViewAction>) -> Html {
    let measure = if site.end_bytes > 0.0 { Measure::Live(When::End) } else { Measure::Allocated };
    let mut deeds = vec![ViewAction::Measure(measure), ViewAction::Direction(Direction::TopDown)];
    if view_state.grain != grain(view_state) {
        deeds.push(ViewAction::Grain(grain(view_state)));
    }
    deeds.extend([ViewAction::Select(Some(label.clone())), ViewAction::Tab(Tab::Flame)]);
    let dispatch = dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| deeds.iter().for_each(|deed| dispatch.emit(deed.clone())));
    html! { <button class="button" {onclick}>{ "Show in flame graph" }</button> }
}

#[derive(Properties, PartialEq)]
struct ChartProps {
    story: Option<SharedAnswer>,
    is_profile: bool,
}

/// Its room is there before its answer.
#[component]
fn Chart(props: &ChartProps) -> Html {
    let node = use_node_ref();
    let size = use_size(&node);
    let hover = use_state_eq(|| None::<usize>);
    let theme = use_context::<Theme>().unwrap_or_default();
    let plot = size.zip(as_story(&props.story)).map(|((w, h), story)| Plot::new(w, h, story.live.len()));
    use_effect_with((props.story.clone(), plot.zip(size), *hover, theme), {
        let node = node.clone();
        move |(story, plot, hover, _)| {
            let (Some(story), Some((plot, size))) = (as_story(story), plot) else { return };
            if let Some(canvas) = Canvas::of(&node, *size) {
                canvas.draw(&draw(story, plot, *hover, &canvas));
            }
        }
    });
    let onpointermove = {
        let hover = hover.setter();
        Callback::from(move |event: PointerEvent| {
            hover.set(plot.and_then(|plot| plot.step_at(f64::from(event.offset_x()))));
        })
    };
    let onpointerleave = {
        let hover = hover.setter();
        Callback::from(move |_: PointerEvent| hover.set(None))
    };
    let words = as_story(&props.story).map(|story| match *hover {
        Some(step) => of_step(story, step),
        None if props.is_profile => {
            "Grey: allocated. Blue: still alive. Time is the processor's. Point at a step to read it.".to_owned()
        }
        None => "Grey: allocated. Blue: still alive. Point at a step to read it.".to_owned(),
    });
    html! {
        <figure class="leak-chart">
            <canvas ref={node} role="img" aria-label="Live bytes over time, and what each step allocated and kept; \
                the table below has the same by age" {onpointermove} {onpointerleave} />
            <figcaption>{ words }</figcaption>
        </figure>
    }
}

fn as_story(answer: &Option<SharedAnswer>) -> Option<&SiteStory> {
    match answer.as_deref() {
        Some(Answer::LeakSite(story)) => Some(story),
        _ => None,
    }
}

fn of_step(story: &SiteStory, step: usize) -> String {
    let value = |values: &[f64]| values.get(step).map_or_else(String::new, |bytes| format::bytes(*bytes));
    let time = |step: usize| format::elapsed_us((step as f64 * story.step_us).round() as u64);
    format!(
        "{} to {}: allocated {}, of that {} still alive; {} live at its end",
        time(step),
        time(step + 1),
        value(&story.allocated),
        value(&story.kept),
        value(&story.live)
    )
}

/// What was allocated and what survived, by age at the trace's end.
fn ages(story: &SiteStory) -> Html {
    let n_steps = story.live.len();
    let age = |step: usize| format::duration_us(((n_steps - step) as f64 * story.step_us).round() as u64);
    let row = |nth: usize| {
        let steps = n_steps * nth / N_AGES..n_steps * (nth + 1) / N_AGES;
        let sum = |values: &[f64]| values.get(steps.clone()).unwrap_or_default().iter().sum::<f64>();
        let (allocated, kept) = (sum(&story.allocated), sum(&story.kept));
        let title = match nth + 1 {
            N_AGES => format!("up to {}", age(steps.start)),
            _ => format!("{} to {}", age(steps.end), age(steps.start)),
        };
        let share = if allocated > 0.0 { format::percent(kept / allocated) } else { "–".to_owned() };
        let cell = |name: &str, bytes: f64| {
            html! {
                <td data-figure={format!("ages.{nth}.{name}")} data-value={bytes.to_string()}>{ format::bytes(bytes) }</td>
            }
        };
        html! {
            <tr>
                <th scope="row">{ title }</th>
                { cell("allocated", allocated) }
                { cell("kept", kept) }
                <td>{ share }</td>
            </tr>
        }
    };
    html! {
        <table class="leak-ages">
            <caption>{ "What survived, by age at the end" }</caption>
            <thead><tr><th scope="col">{ "age" }</th><th scope="col">{ "allocated" }</th>
                <th scope="col">{ "still alive" }</th><th scope="col">{ "share" }</th></tr></thead>
            <tbody>{ for (0..N_AGES).map(row) }</tbody>
        </table>
    }
}

fn stacks(story: &SiteStory, is_profile: bool) -> Html {
    let left = story.n_stacks - story.stacks.len();
    html! {
        <section class="leak-stacks">
            <h3>{ if story.n_stacks == 1 { "The stack that leads to it" } else { "Stacks that lead to it" } }</h3>
            <ol>{ for story.stacks.iter().map(|of| stack(of, is_profile)) }</ol>
            if left > 0 {
                <p class="leak-place">{ format!("and {} more: the flame graph has them all", format::count(left as u64)) }</p>
            }
        </section>
    }
}

/// A frame that is repeated is told once, with how often.
fn stack(stack: &StackOfSite, is_profile: bool) -> Html {
    let frames = stack.frames.chunk_by(|one, two| one.name == two.name && one.file == two.file).map(|same| {
        let times = if same.len() > 1 { format!(" ×{}", same.len()) } else { String::new() };
        let title = format!("{} {}", same[0].name, names::place(&same[0]));
        html! { <li {title}>{ breakable(&names::plain(&same[0].name)) }{ times }</li> }
    });
    let outside = (stack.n_left_out > 0)
        .then(|| html! { <li>{ format!("… {} more", format::count(stack.n_left_out as u64)) }</li> });
    html! {
        <li>
            <p>
                <b>{ format!("{} still alive", format::bytes(stack.kept_bytes)) }</b>
                { format!(" of {} allocated{}", format::bytes(stack.allocated_bytes),
                    samples(" · ", stack.samples, is_profile)) }
            </p>
            <ol class="leak-frames">{ outside }{ for frames }</ol>
        </li>
    }
}
