//! The text that the context menu of a frame copies.

use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::tree::Label;

/// Returns one line per frame, from the root to the frame.
pub fn stack(direction: &Direction, path: &[Label]) -> String {
    let mut frames: Vec<&Label> = direction.function().into_iter().collect();
    frames.extend(path);
    // The frame in the middle of callers and callees is its own path.
    frames.dedup();
    if matches!(direction, Direction::Inverted | Direction::Callers(_)) {
        frames.reverse();
    }
    let lines: Vec<String> = frames
        .into_iter()
        .map(|label| match label.location() {
            place if place.is_empty() => label.name.clone(),
            place => format!("{} ({place})", label.name),
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(name: &str) -> Label {
        Label { name: name.to_owned(), file: "a.ml".to_owned(), place: None }
    }

    #[test]
    fn a_copied_stack_starts_at_the_root_in_every_direction() {
        let [main, run, alloc] = ["A.main", "A.run", "A.alloc"].map(label);
        let whole = "A.main (a.ml)\nA.run (a.ml)\nA.alloc (a.ml)";
        assert_eq!(stack(&Direction::TopDown, &[main.clone(), run.clone(), alloc.clone()]), whole);
        assert_eq!(stack(&Direction::Inverted, &[alloc.clone(), run.clone(), main.clone()]), whole);
        assert_eq!(stack(&Direction::Callees(main.clone()), &[run.clone(), alloc.clone()]), whole);
        assert_eq!(stack(&Direction::Callers(alloc.clone()), &[run, main.clone()]), whole);
        assert_eq!(stack(&Direction::Callees(main.clone()), &[main]), "A.main (a.ml)");
    }
}
