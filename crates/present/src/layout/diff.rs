//! A difference flame graph, as a flame graph whose boxes are colored by change: blue for less, orange for more, gray
//! for not significant. Blue and orange are distinguishable with red-green color blindness.

use std::collections::HashMap;

use super::draw::Paint;
use camlscope_engine::query::compare::{DiffBox, DiffFlame};
use camlscope_engine::query::flame::{BoxId, Flame, FlameBox, FlameName};
use camlscope_engine::query::sorting::sort_by;
use camlscope_engine::query::tree::Label;

/// The number of shades of each of the two colors.
pub const SHADES: i8 = 5;

/// The side that determines the widths of the boxes. Frames that exist only on the other side aren't visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    Before,
    #[default]
    After,
}

/// The boxes of one side, in the drawing order of a flame graph.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffPicture {
    pub flame: Flame,
    /// The color of each box of `flame`.
    pub paints: Vec<Paint>,
    /// The index of each box of `flame` in [`DiffFlame::boxes`].
    pub places: Vec<usize>,
}

/// `root` is the path to the box that fills the width. It starts below the top box.
pub fn picture(diff: &DiffFlame, width: Width, root: &[Label]) -> DiffPicture {
    let side = |of: &DiffBox| match width {
        Width::Before => (of.x_before, of.before),
        Width::After => (of.x_after, of.after),
    };
    let (begin, total) = diff.boxes.first().map_or((0.0, 0.0), side);
    let mut names = Names::default();
    let path = std::iter::once(names.place(&top())).chain(root.iter().map(|label| names.place(label)));
    let path: Vec<u32> = path.collect();
    // A merged box has the name of its parent, whose index is already known.
    let mut name_of: Vec<u32> = Vec::with_capacity(diff.boxes.len());
    for of in &diff.boxes {
        let name = match of.name.and_then(|name| diff.names.get(name)) {
            Some(label) => names.place(label),
            None => name_of.get(of.parent).or(path.last()).copied().unwrap_or_default(),
        };
        name_of.push(name);
    }
    let mut boxes: Vec<(usize, FlameBox)> = Vec::new();
    for (place, of) in diff.boxes.iter().enumerate() {
        let (x, weight) = side(of);
        if weight <= 0.0 {
            continue;
        }
        let fraction = |x: f64| ((x - begin) / total).clamp(0.0, 1.0);
        let flame_box = FlameBox {
            id: BoxId { group: place as u32, depth: of.level as u32 },
            depth: of.level as u32,
            x0: fraction(x),
            x1: fraction(x + weight),
            name: name_of[place],
            total: weight,
            own: 0.0,
            samples: 0,
            n_merged: of.merged as u32,
            hides_children: false,
        };
        boxes.push((place, flame_box));
    }
    sort_by(&mut boxes, |(_, one), (_, two)| one.depth.cmp(&two.depth).then(one.x0.total_cmp(&two.x0)));
    let flame = Flame {
        root: BoxId { group: 0, depth: 0 },
        path,
        all: total,
        total,
        samples: 0,
        n_depths: boxes.last().map_or(0, |(_, of)| of.depth + 1),
        is_deeper: false,
        names: names.all,
        boxes: boxes.iter().map(|(_, of)| *of).collect(),
    };
    let places: Vec<usize> = boxes.into_iter().map(|(place, _)| place).collect();
    DiffPicture { paints: places.iter().map(|&place| paint(&diff.boxes[place])).collect(), flame, places }
}

/// Returns gray if the change isn't significant. Otherwise the color gets deeper with the change relative to the larger
/// side.
pub fn paint(of: &DiffBox) -> Paint {
    let largest = of.before.max(of.after);
    if largest <= 0.0 || !of.verdict.is_significant() {
        return Paint::Change(0);
    }
    let share = ((of.after - of.before) / largest).clamp(-1.0, 1.0);
    let shade = (share.abs() * f64::from(SHADES)).ceil().clamp(1.0, f64::from(SHADES)) as i8;
    Paint::Change(if share < 0.0 { -shade } else { shade })
}

/// The label of the top box.
pub fn top() -> Label {
    Label { name: "all".to_owned(), file: String::new(), place: None }
}

/// Assigns an index to each distinct name.
#[derive(Default)]
struct Names {
    places: HashMap<Label, u32>,
    all: Vec<FlameName>,
}

impl Names {
    fn place(&mut self, label: &Label) -> u32 {
        if let Some(place) = self.places.get(label) {
            return *place;
        }
        let place = self.all.len() as u32;
        self.places.insert(label.clone(), place);
        self.all.push(FlameName { key: place, label: label.clone() });
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::flame::{locate, path_to};
    use camlscope_engine::query::compare::Verdict;

    fn label(name: &str) -> Label {
        Label { name: name.to_owned(), ..Label::default() }
    }

    fn diff_box(parent: usize, level: usize, name: Option<usize>, before: (f64, f64), after: (f64, f64)) -> DiffBox {
        let verdict = if before.1 == after.1 { Verdict::Same } else { Verdict::Grew };
        DiffBox {
            parent,
            level,
            name,
            merged: 0,
            before: before.1,
            after: after.1,
            samples_before: 0,
            samples_after: 0,
            error: 0.0,
            verdict,
            x_before: before.0,
            x_after: after.0,
        }
    }

    /// `all` calls `gone`, which exists only before, `same`, and `more`, which calls several narrow ones.
    fn diff() -> DiffFlame {
        let mut boxes = vec![
            diff_box(0, 0, None, (0.0, 100.0), (0.0, 100.0)),
            diff_box(0, 1, Some(0), (0.0, 40.0), (0.0, 0.0)),
            diff_box(0, 1, Some(1), (40.0, 50.0), (0.0, 50.0)),
            diff_box(0, 1, Some(2), (90.0, 10.0), (50.0, 50.0)),
            diff_box(3, 2, None, (90.0, 1.0), (50.0, 2.0)),
        ];
        boxes[4].merged = 7;
        DiffFlame { names: vec![label("gone"), label("same"), label("more")], boxes }
    }

    fn seen(width: Width) -> Vec<(String, f64, f64)> {
        let DiffPicture { flame, .. } = picture(&diff(), width, &[]);
        let name = |of: &FlameBox| flame.names[of.name as usize].label.name.clone();
        flame.boxes.iter().map(|of| (name(of), of.x0, of.x1)).collect()
    }

    #[test]
    fn each_side_shows_its_own_boxes_and_widths() {
        let seen =
            |width| -> Vec<String> { seen(width).iter().map(|(name, a, b)| format!("{name} {a}–{b}")).collect() };
        assert_eq!(seen(Width::Before), ["all 0–1", "gone 0–0.4", "same 0.4–0.9", "more 0.9–1", "more 0.9–0.91"]);
        assert_eq!(seen(Width::After), ["all 0–1", "same 0–0.5", "more 0.5–1", "more 0.5–0.52"]);
    }

    #[test]
    fn insignificant_changes_are_gray_and_larger_changes_are_deeper() {
        let paints = picture(&diff(), Width::After, &[]).paints;
        assert_eq!(paints[..3], [Paint::Change(0), Paint::Change(0), Paint::Change(4)]);
        let shade = |before: f64, after: f64| paint(&diff_box(0, 0, None, (0.0, before), (0.0, after)));
        assert_eq!([shade(0.0, 5.0), shade(5.0, 0.0)], [Paint::Change(SHADES), Paint::Change(-SHADES)]);
        assert_eq!([shade(100.0, 101.0), shade(100.0, 50.0)], [Paint::Change(1), Paint::Change(-3)]);
        assert_eq!(shade(0.0, 0.0), Paint::Change(0));
    }

    #[test]
    fn a_path_through_the_root_leads_to_its_box() {
        let picture = picture(&diff(), Width::After, &[label("main")]);
        let path = path_to(&picture.flame, 2);
        assert_eq!(path, [label("main"), label("more")]);
        assert_eq!(locate(&picture.flame, &path), Some(2));
        assert_eq!(picture.places, [0, 2, 3, 4]);
        // A merged box leads to its parent.
        assert_eq!(path_to(&picture.flame, 3), path);
    }

    #[test]
    fn an_empty_side_has_no_boxes() {
        let nothing = DiffFlame { names: Vec::new(), boxes: vec![diff_box(0, 0, None, (0.0, 9.0), (0.0, 0.0))] };
        assert_eq!(picture(&nothing, Width::After, &[]).flame.boxes, []);
        assert_eq!(picture(&nothing, Width::After, &[]).flame.n_depths, 0);
    }
}
