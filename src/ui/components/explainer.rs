//! The “What am I looking at?” popover: a view's typical shapes, each with a small picture and its meaning. Pictures
//! are data, so adding one costs the page only its text.

use yew::prelude::*;

use crate::ui::components::popover::Popover;

#[derive(PartialEq)]
pub struct ExampleShape {
    /// Paths of an SVG of 96 × 48, each with its class in the style sheet: `shape-fill`, `shape-soft`, `shape-warn` or
    /// `shape-line`.
    pub picture: &'static [(&'static str, &'static str)],
    pub title: &'static str,
    pub words: &'static str,
}

#[derive(Properties, PartialEq)]
pub struct ExplainerProps {
    pub question: &'static str,
    /// Whether the button shows only a question mark.
    #[prop_or_default]
    pub is_short: bool,
    /// Describes the view in one or two sentences.
    pub summary: &'static str,
    pub shapes: &'static [ExampleShape],
}

#[component]
pub fn Explainer(props: &ExplainerProps) -> Html {
    let ExplainerProps { question, is_short, summary, .. } = *props;
    let is_open = use_state_eq(|| false);
    let button = use_node_ref();
    // The same button explains the next tab.
    use_effect_with(summary, {
        let is_open = is_open.setter();
        move |_| is_open.set(false)
    });
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let on_close = Callback::from(is_open.setter()).reform(|()| false);
    html! {
        <div class={classes!("reading", is_short.then_some("reading-short"))}>
            <button type="button" ref={button.clone()} class="reading-button" title={question} aria-label={question}
                aria-haspopup="dialog" aria-expanded={is_open.to_string()} onclick={toggle}>
                <span class="reading-question">{ question }</span>
            </button>
            if *is_open {
                <Popover label={question} role="dialog" opener={button} {on_close}>
                    <div class="reading-sheet">
                        <p>{ summary }</p>
                        <ul>{ for props.shapes.iter().map(example) }</ul>
                    </div>
                </Popover>
            }
        </div>
    }
}

fn example(shape: &ExampleShape) -> Html {
    let path = |&(class, d): &(&'static str, &'static str)| html! { <path {class} {d} /> };
    html! {
        <li>
            <svg class="shape" viewBox="0 0 96 48" width="96" height="48" aria-hidden="true">
                { for shape.picture.iter().map(path) }
            </svg>
            <p><b>{ shape.title }</b>{ " " }{ shape.words }</p>
        </li>
    }
}
