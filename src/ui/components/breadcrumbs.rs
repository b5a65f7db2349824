//! The path from the root to the frame that a graph is zoomed to. Clicking an entry zooms out to it.

use std::ops::Range;

use yew::prelude::*;

use crate::ui::platform::size::use_size;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::{flame, names};

/// The width of an average letter.
const LETTER_PX: f64 = 7.0;
/// The separator and the padding between two entries, in letters.
const SEPARATOR: usize = 3;

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

/// Returns what to show of each title so that all fit into this many letters, and which titles to replace by `…`. Callers
/// lose their modules first, then those after the first one are hidden. The last title is shortened last.
fn fitting(titles: &[String], room: usize) -> (Vec<String>, Range<usize>) {
    let n_letters = |shown: &[String], hidden: &Range<usize>| {
        let names =
            shown.iter().enumerate().filter(|(at, _)| !hidden.contains(at)).map(|(_, name)| name.chars().count());
        let n_entries = names.clone().count() + usize::from(!hidden.is_empty());
        "all".len() + names.sum::<usize>() + usize::from(!hidden.is_empty()) + n_entries * SEPARATOR
    };
    let (mut shown, mut hidden) = (titles.to_vec(), 1..1);
    let Some((last, callers)) = titles.split_last().filter(|_| n_letters(&shown, &hidden) > room) else {
        return (shown, hidden);
    };
    shown = callers.iter().map(|title| names::own(title).to_owned()).collect();
    shown.push(last.clone());
    while n_letters(&shown, &hidden) > room && hidden.end + 1 < shown.len() {
        hidden.end += 1;
    }
    let spare = (room + last.chars().count()).saturating_sub(n_letters(&shown, &hidden));
    let fits = |text: &str| text.chars().count() <= spare;
    if let Some(name) = shown.last_mut() {
        *name = names::fitting(last, fits).unwrap_or_else(|| names::own(last).to_owned());
    }
    (shown, hidden)
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn modules_go_first_then_callers_in_the_middle() {
        let titles =
            ["Orders.main", "Orders.Server.serve", "Orders.Server.handle", "Orders.Json.print"].map(str::to_owned);
        let shown = |room: usize| {
            let (names, hidden) = fitting(&titles, room);
            let name = |(at, name): (usize, String)| if hidden.contains(&at) { "…".to_owned() } else { name };
            names.into_iter().enumerate().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(usize::MAX), titles.join(" "));
        assert_eq!(shown(60), "main serve handle Orders.Json.print");
        assert_eq!(shown(45), "main … handle Orders.Json.print");
        assert_eq!(shown(36), "main … … Orders.Json.print");
        assert_eq!(shown(30), "main … … …Json.print");
        assert_eq!(shown(20), "main … … print");
        assert_eq!(fitting(&[], 0), (Vec::new(), 1..1));
    }
}
