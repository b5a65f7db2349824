//! The shortened titles of the path from the root to the frame that a graph is zoomed to.

use std::ops::Range;

use camlscope_present::layout::names;

/// The separator and the padding between two entries, in letters.
const SEPARATOR: usize = 3;

/// Returns what to show of each title so that all fit into this many letters, and which titles to replace by `…`. Callers
/// lose their modules first, then those after the first one are hidden. The last title is shortened last.
pub fn fitting(titles: &[String], room: usize) -> (Vec<String>, Range<usize>) {
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
