//! “What am I looking at?”: the shapes that a view typically shows, each as a small picture with what it means. Closed
//! until it is asked for, and the same in every view.

use yew::prelude::*;

/// A shape that readers meet.
pub struct Shape {
    /// An SVG of 96 × 48, coloured by the style sheet: `shape-fill`, `shape-soft`, `shape-warn`, `shape-line`.
    pub picture: fn() -> Html,
    pub title: &'static str,
    pub words: &'static str,
}

/// `summary` says in a sentence what the picture of the view is.
pub fn reading(summary: &'static str, shapes: &[Shape]) -> Html {
    let shape = |shape: &Shape| {
        html! {
            <li>
                { (shape.picture)() }
                <p><b>{ shape.title }</b>{ " " }{ shape.words }</p>
            </li>
        }
    };
    html! {
        <details class="reading">
            <summary>{ "What am I looking at?" }</summary>
            <p>{ summary }</p>
            <ul>{ for shapes.iter().map(shape) }</ul>
        </details>
    }
}

/// A picture of one path a class: what most shapes are made of.
pub fn paths(parts: &[(&'static str, &'static str)]) -> Html {
    html! {
        <svg class="shape" viewBox="0 0 96 48" width="96" height="48" aria-hidden="true">
            { for parts.iter().map(|&(class, d)| html! { <path {class} {d} /> }) }
        </svg>
    }
}
