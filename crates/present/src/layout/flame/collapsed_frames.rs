//! The frames below the top of a flame graph that nearly all memory goes through, one after another. They all have
//! nearly the same width, so they share one row until the user expands it. Branches off these frames are hidden.

use super::title;
use camlscope_engine::query::flame::{COLLAPSED_SHARE, Flame, FlameBox};
use camlscope_engine::query::tree::Label;

/// Fewer frames are drawn separately.
const SHORTEST: u32 = 3;

/// Maps the levels of a flame graph to rows. The levels from 1 to `n_frames` share one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollapsedFrames {
    /// 0 if each level has its own row.
    n_frames: u32,
}

impl CollapsedFrames {
    pub fn of(flame: &Flame) -> CollapsedFrames {
        // The top box isn't collapsed, and neither is the last frame, so that its branches stay visible.
        let n_frames = CollapsedFrames::wide_boxes(flame).count().saturating_sub(2) as u32;
        CollapsedFrames { n_frames: if n_frames >= SHORTEST { n_frames } else { 0 } }
    }

    /// Returns the boxes that nearly fill the width, one below the other, including the top box.
    fn wide_boxes(flame: &Flame) -> impl Iterator<Item = &FlameBox> {
        let widest_of = |depth: u32| {
            let first = flame.boxes.partition_point(|of| of.depth < depth);
            flame.boxes.get(first).filter(|of| of.depth == depth)
        };
        let is_of_it = |of: &&FlameBox| of.n_merged == 0 && of.x1 - of.x0 >= COLLAPSED_SHARE;
        (0..flame.n_depths).map_while(widest_of).take_while(is_of_it)
    }

    pub fn n_frames(self) -> u32 {
        self.n_frames
    }

    pub fn holds(self, depth: u32) -> bool {
        (1..=self.n_frames).contains(&depth)
    }

    pub fn row(self, depth: u32) -> u32 {
        if depth <= self.n_frames { depth.min(1) } else { depth - self.n_frames.saturating_sub(1) }
    }

    /// Returns the level of a row. For the shared row, that's the first one.
    pub fn depth(self, row: u32) -> u32 {
        if row <= 1 { row } else { row.saturating_add(self.n_frames.saturating_sub(1)) }
    }

    /// Returns its frames, starting from the top.
    pub fn boxes(self, flame: &Flame) -> impl Iterator<Item = &FlameBox> {
        CollapsedFrames::wide_boxes(flame).skip(1).take(self.n_frames as usize)
    }

    /// Returns the labels of its frames, starting from the top.
    pub fn labels(self, flame: &Flame) -> impl Iterator<Item = &Label> {
        self.boxes(flame).filter_map(|of| flame.names.get(of.name as usize)).map(|name| &name.label)
    }

    /// Returns the longest text for the shared row that `fits`.
    pub fn words(self, flame: &Flame, fits: impl Fn(&str) -> bool) -> Option<String> {
        let ends = self.labels(flame).next().zip(self.labels(flame).last());
        words(self.n_frames, ends.map(|(first, last)| (title(first), title(last))), fits)
    }
}

fn words(n_frames: u32, ends: Option<(String, String)>, fits: impl Fn(&str) -> bool) -> Option<String> {
    let short = format!("▸ {n_frames} frames");
    let plain = format!("{short} in a row");
    let long = ends.map(|(first, last)| format!("{plain}: {first} … {last}"));
    long.into_iter().chain([plain, short]).find(|words| fits(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapsed_frames_share_one_row_and_the_rest_moves_up() {
        let collapsed = CollapsedFrames { n_frames: 4 };
        let rows: Vec<u32> = (0..7).map(|depth| collapsed.row(depth)).collect();
        assert_eq!(rows, [0, 1, 1, 1, 1, 2, 3]);
        let depths: Vec<u32> = (0..4).map(|row| collapsed.depth(row)).collect();
        assert_eq!(depths, [0, 1, 5, 6]);
        let none = CollapsedFrames::default();
        assert!((0..9).all(|depth| none.row(depth) == depth && none.depth(depth) == depth && !none.holds(depth)));
    }

    #[test]
    fn the_collapsed_row_shows_as_much_text_as_fits() {
        let label = |room: usize| {
            let ends = Some(("A.main".to_owned(), "A.run".to_owned()));
            words(11, ends, |words| words.chars().count() <= room)
        };
        assert_eq!(label(40).as_deref(), Some("▸ 11 frames in a row: A.main … A.run"));
        assert_eq!(label(30).as_deref(), Some("▸ 11 frames in a row"));
        assert_eq!(label(12).as_deref(), Some("▸ 11 frames"));
        assert_eq!(label(3), None);
    }
}
