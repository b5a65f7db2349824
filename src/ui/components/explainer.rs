//! The “What am I looking at?” popover: a view's typical shapes, each with a small picture and its meaning. Pictures
//! are data, so adding one costs the page only its text.

use std::ptr;

use yew::prelude::*;

pub struct ExampleShape {
    /// Paths of an SVG of 96 × 48, each with its class in the style sheet: `shape-fill`, `shape-soft`, `shape-warn` or
    /// `shape-line`.
    pub picture: &'static [(&'static str, &'static str)],
    pub title: &'static str,
    pub words: &'static str,
}

/// The question in every view. Other explanations only have a question mark, with their question as its name.
pub const QUESTION: &str = "What am I looking at?";

/// `summary` describes the view in one or two sentences.
pub fn explainer(question: &'static str, summary: &'static str, shapes: &'static [ExampleShape]) -> Html {
    html! { <Explainer {question} {summary} {shapes} /> }
}

/// A separate component, so that views that redraw on every pointer move don't compare its text.
#[derive(Properties)]
struct ExplainerProps {
    question: &'static str,
    summary: &'static str,
    shapes: &'static [ExampleShape],
}

impl PartialEq for ExplainerProps {
    fn eq(&self, other: &ExplainerProps) -> bool {
        ptr::eq(self.summary, other.summary)
    }
}

#[component]
fn Explainer(props: &ExplainerProps) -> Html {
    let ExplainerProps { question, summary, shapes } = *props;
    let path = |&(class, d): &(&'static str, &'static str)| html! { <path {class} {d} /> };
    let shape = |shape: &ExampleShape| {
        html! {
            <li>
                <svg class="shape" viewBox="0 0 96 48" width="96" height="48" aria-hidden="true">
                    { for shape.picture.iter().map(path) }
                </svg>
                <p><b>{ shape.title }</b>{ " " }{ shape.words }</p>
            </li>
        }
    };
    // The browser opens and closes it. It is on top of the view, so nothing moves. Views can contain views, so the id is
    // the text's own.
    let id = format!("reading-{:x}", summary.as_ptr().addr());
    html! {
        <div class="reading">
            <button type="button" class="reading-button" popovertarget={id.clone()} title={question} aria-label={question}>
                { if question == QUESTION { QUESTION } else { "?" } }
            </button>
            <div {id} class="reading-sheet" popover="auto">
                <p>{ summary }</p>
                <ul>{ for shapes.iter().map(shape) }</ul>
            </div>
        </div>
    }
}
