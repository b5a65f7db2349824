//! The path from the root to the frame that a graph is zoomed to. Clicking an entry zooms out to it.

use yew::prelude::*;

use crate::ui::platform::size::use_size;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame;
use camlscope_view::page::components::breadcrumbs::fitting;

/// The width of an average letter.
const LETTER_PX: f64 = 7.0;

#[derive(Properties, PartialEq)]
pub struct BreadcrumbsProps {
    /// It starts below the root.
    pub path: Vec<Label>,
    /// Receives the path of the clicked entry.
    pub on_zoom: Callback<Vec<Label>>,
    #[prop_or_default]
    pub class: Classes,
}

#[component]
pub fn Breadcrumbs(props: &BreadcrumbsProps) -> Html {
    let BreadcrumbsProps { path, on_zoom, class } = props;
    let node = use_node_ref();
    let room = use_size(&node).map_or(usize::MAX, |(width, _)| (width / LETTER_PX) as usize);
    let titles: Vec<String> = path.iter().map(flame::title).collect();
    let (shown, hidden) = fitting(&titles, room);
    // `n` is the length of the entry's path.
    let crumb = |n: usize, text: &str| {
        let title = n.checked_sub(1).and_then(|at| titles.get(at)).cloned();
        if n == path.len() {
            return html! { <li><b aria-current="location" {title}>{ text }</b></li> };
        }
        let to = path[..n].to_vec();
        let onclick = on_zoom.reform(move |_: MouseEvent| to.clone());
        html! { <li><button class="flame-crumb" {title} {onclick}>{ text }</button></li> }
    };
    let below = (0..path.len()).filter(|at| !hidden.contains(at) || *at + 1 == hidden.end).map(|at| {
        let text = if hidden.contains(&at) { "…" } else { &shown[at] };
        crumb(at + 1, text)
    });
    html! {
        <nav ref={node} class={classes!("flame-crumbs", class.clone())} aria-label="Zoomed to">
            <ol>{ crumb(0, "all") }{ for below }</ol>
        </nav>
    }
}
