//! A range on a logarithmic axis, chosen with two handles over the distribution. The handles are two overlaid native
//! sliders, so keyboard and screen readers work. The bars are SVG, because their lengths must be attributes (no inline
//! styles).

use web_sys::{HtmlInputElement, InputEvent};
use yew::prelude::*;

use crate::ui::query::use_query;
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::Span;
use camlscope_engine::query::histogram::{Bin, Bins, Counted, HistogramConfig, Of};
use camlscope_present::format;
use camlscope_view::page::components::filter_bar::range::{STEPS, SliderScale};

const HEIGHT: f64 = 56.0;

#[derive(Properties, PartialEq)]
pub struct RangeSliderProps {
    pub of: Of,
    /// The view whose distribution is shown.
    pub view: View,
    /// In words or in microseconds.
    pub span: Span,
    pub on_change: Callback<Span>,
}

#[component]
pub fn RangeSlider(props: &RangeSliderProps) -> Html {
    let config = HistogramConfig { of: props.of, bins: Bins::Log2, split: None, weight: Counted::Samples };
    let question = Question::Histogram(config);
    let query = use_query(Some(Request { view: props.view.clone(), question }));
    let Some(histogram) = query.get() else {
        return html! { <p class="range-note" role="status">{ waiting(query.error.is_some()) }</p> };
    };
    let Some(scale) = SliderScale::of(histogram) else {
        return html! { <p class="range-note">{ "No distribution to show with the other filters." }</p> };
    };
    let Span { from, to } = props.span;
    let steps = (from.map_or(0, |value| scale.step(value)), to.map_or(STEPS, |value| scale.step(value)));
    let handle = |is_from: bool| {
        let (step, value) = if is_from { (steps.0, from) } else { (steps.1, to) };
        let (label, open) = if is_from { ("From", "no lower limit") } else { ("To", "no upper limit") };
        let oninput = {
            let (on_change, span) = (props.on_change.clone(), props.span);
            Callback::from(move |event: InputEvent| {
                let typed = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value());
                let step = typed.and_then(|typed| typed.parse().ok()).unwrap_or(step);
                on_change.emit(if is_from {
                    let step = step.min(steps.1);
                    Span { from: (step > 0).then(|| scale.value(step)), ..span }
                } else {
                    let step = step.max(steps.0);
                    Span { to: (step < STEPS).then(|| scale.value(step)), ..span }
                });
            })
        };
        let text = value.map_or(open.to_owned(), |value| words(props.of, value));
        html! {
            <input type="range" class="range-handle" min="0" max={STEPS.to_string()} value={step.to_string()}
                aria-label={label} aria-valuetext={text} {oninput} />
        }
    };
    html! {
        <div class="range">
            <svg class="range-bars" viewBox={format!("0 0 {STEPS} {HEIGHT}")} preserveAspectRatio="none" aria-hidden="true">
                { bars(&histogram.bins, scale, props.span) }
            </svg>
            <div class="range-handles">{ handle(true) }{ handle(false) }</div>
            <div class="range-ends" aria-hidden="true">
                <span>{ words(props.of, scale.value(0)) }</span>
                <span>{ words(props.of, scale.value(STEPS / 2)) }</span>
                <span>{ words(props.of, scale.value(STEPS)) }</span>
            </div>
        </div>
    }
}

fn words(of: Of, value: u64) -> String {
    match of {
        Of::Size => format!("{} word{}", format::count(value), if value == 1 { "" } else { "s" }),
        Of::Lifetime => format::duration_us(value),
    }
}

fn waiting(has_failed: bool) -> &'static str {
    if has_failed { "The other filters contradict each other." } else { "Counting…" }
}

fn bars(bins: &[Bin], scale: SliderScale, span: Span) -> Html {
    let most = bins.iter().map(|bin| bin.samples).max().unwrap_or(1).max(1) as f64;
    let bar = |bin: &Bin| {
        let (from, to) = (scale.place(bin.from), scale.place(bin.to));
        let is_in = span.from.is_none_or(|from| bin.to > from) && span.to.is_none_or(|to| bin.from <= to);
        // A bin that isn't empty stays visible.
        let height = if bin.samples == 0 { 0.0 } else { (bin.samples as f64 / most * HEIGHT).max(1.5) };
        html! {
            <rect class={if is_in { "range-in" } else { "range-out" }} x={format!("{from:.1}")}
                y={format!("{:.1}", HEIGHT - height)} width={format!("{:.1}", (to - from - 1.0).max(0.5))}
                height={format!("{height:.1}")} />
        }
    };
    bins.iter().map(bar).collect()
}
