//! “What am I looking at?”: the shapes that a view typically shows, each as a small picture with what it means. Closed
//! until it is asked for, and the same in every view. Pictures are data, so that another one costs the page only its words.

use std::ptr;

use yew::prelude::*;

/// A shape that users meet.
pub struct ExampleShape {
    /// Paths of an SVG of 96 × 48, each with its class in the style sheet: `shape-fill`, `shape-soft`, `shape-warn` or
    /// `shape-line`.
    pub picture: &'static [(&'static str, &'static str)],
    pub title: &'static str,
    pub words: &'static str,
}

/// What most views ask in their users' name.
pub const QUESTION: &str = "What am I looking at?";

/// `summary` says in a sentence or two what the picture of the view is.
pub fn explainer(question: &'static str, summary: &'static str, shapes: &'static [ExampleShape]) -> Html {
    html! { <Explainer {question} {summary} {shapes} /> }
}

/// A piece, so that a view that is drawn with every move of the pointer need not compare its words each time.
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
    html! {
        <details class="reading">
            <summary>{ question }</summary>
            <p>{ summary }</p>
            <ul>{ for shapes.iter().map(shape) }</ul>
        </details>
    }
}
