//! The boxes of a flame graph on the screen: their positions, hit testing and drawing.
//!
//! The boxes of a response are fractions of the root's width, so a [`Stage`] can show any part of them. While the user
//! zooms and pans, the last response is drawn immediately on the newest stage. The next response adds boxes that were
//! too narrow before.

mod collapsed_frames;
mod legend;
mod zoom;

use std::cell::OnceCell;
use std::ops::Range;

pub use self::legend::legend;
pub use collapsed_frames::CollapsedFrames;
pub use zoom::{around, panned, pinched, zoomed};

use super::color::{ModuleColors, Tint, is_library};
use super::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use super::names;
use super::picture::Tooltip;
use camlscope_engine::query::flame::{Flame, FlameBox, FlameName};
use camlscope_engine::query::label::file_of_line;
use camlscope_engine::query::sorting::sort_by;
use camlscope_engine::query::tree::{Label, Place};

/// The height of a row.
pub const ROW: f64 = 20.0;
/// The space between a box's edge and its text.
const PADDING: f64 = 5.0;
/// Narrower boxes have no text.
const NARROWEST_TEXT: f64 = 22.0;
/// Narrower boxes have no ragged edge, which would look like a speck.
const NARROWEST_RAGGED: f64 = 4.0;
/// The key of the top box, which has no parent.
const TOP_KEY: u32 = 0;

/// The position of a flame graph on a canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The part of the root that fills the width.
    pub x: Range<f64>,
    pub width: f64,
    pub height: f64,
    /// The y position of the root row.
    pub top: f64,
    /// Whether rows grow upward, like callers in a sandwich view.
    pub is_upward: bool,
    pub collapsed: CollapsedFrames,
    /// Device pixels per CSS pixel. Edges are aligned to device pixels.
    pub ratio: f64,
}

/// Highlighting and colors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks<'a> {
    pub selected: Option<&'a Label>,
    /// Keys of the search results, ascending. Everything else is dimmed.
    pub found: Option<&'a [u32]>,
    pub colors: Colors,
    pub modules: &'a ModuleColors,
    /// The color of each box, if it doesn't depend on the name.
    pub paints: Option<&'a [Paint]>,
    /// Skips the root because the other half of a sandwich view draws it.
    pub skips_root: bool,
}

/// What determines the color of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    #[default]
    Module,
    File,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Stage {
    /// Returns `None` for boxes that aren't visible.
    pub fn area(&self, of: &FlameBox) -> Option<Area> {
        let y = self.row(of.depth);
        if of.x1 <= self.x.start || of.x0 >= self.x.end || y + ROW <= 0.0 || y >= self.height {
            return None;
        }
        let place = |x: f64| {
            let px = (x - self.x.start) / (self.x.end - self.x.start) * self.width;
            (px.clamp(0.0, self.width) * self.ratio).round() / self.ratio
        };
        let (left, right) = (place(of.x0), place(of.x1));
        // A gap separates neighbors if there is room.
        let gap = if right - left >= 3.0 { 1.0 } else { 0.0 };
        Some(Area { x: left, y, w: (right - left - gap).max(1.0 / self.ratio), h: ROW - 1.0 })
    }

    /// Returns the y position of a row.
    pub fn row(&self, depth: u32) -> f64 {
        self.top + self.offset(depth)
    }

    /// Returns the offset of a row from the root's row.
    pub fn offset(&self, depth: u32) -> f64 {
        let down = f64::from(self.collapsed.row(depth)) * ROW;
        if self.is_upward { -down } else { down }
    }

    /// Returns the index of the box at a point.
    pub fn hit(&self, flame: &Flame, x: f64, y: f64) -> Option<usize> {
        let rows = ((y - self.top) / ROW).floor();
        let row = if self.is_upward { -rows } else { rows };
        if !(0.0..1e6).contains(&row) || !(0.0..self.width).contains(&x) {
            return None;
        }
        let depth = self.collapsed.depth(row as u32);
        let at = self.fraction(x);
        let after = flame.boxes.partition_point(|of| (of.depth, of.x0) <= (depth, at));
        let place = after.checked_sub(1)?;
        let of = &flame.boxes[place];
        (of.depth == depth && at < of.x1).then_some(place)
    }

    /// Returns the fraction of the root's width to the left of a point.
    pub fn fraction(&self, x: f64) -> f64 {
        self.x.start + x / self.width.max(1.0) * (self.x.end - self.x.start)
    }
}

/// Returns the labels from below the top box to a box. For a merged box, the path ends at its parent.
pub fn path_to(flame: &Flame, place: usize) -> Vec<Label> {
    let mut path: Vec<Label> = flame.path.iter().skip(1).filter_map(|&name| label(flame, name)).collect();
    let Some(of) = flame.boxes.get(place) else {
        return path;
    };
    let middle = (of.x0 + of.x1) / 2.0;
    let last = of.depth + u32::from(of.n_merged == 0);
    for depth in 1..last {
        let after = flame.boxes.partition_point(|of| (of.depth, of.x0) <= (depth, middle));
        let above = after.checked_sub(1).and_then(|place| label(flame, flame.boxes[place].name));
        path.extend(above);
    }
    path
}

/// Returns the box at the end of a path, or the merged box that contains it if it's too narrow.
pub fn locate(flame: &Flame, path: &[Label]) -> Option<usize> {
    let root: Vec<Label> = flame.path.iter().skip(1).filter_map(|&name| label(flame, name)).collect();
    let rest = path.strip_prefix(root.as_slice())?;
    let mut place = flame.boxes.iter().position(|of| of.depth == 0)?;
    for wanted in rest {
        let above = flame.boxes[place];
        let first = flame.boxes.partition_point(|of| (of.depth, of.x0) < (above.depth + 1, above.x0));
        let children = flame.boxes[first..].iter().take_while(|of| of.depth == above.depth + 1 && of.x0 < above.x1);
        let is_wanted = |of: &FlameBox| match of.n_merged {
            0 => flame.names.get(of.name as usize).is_some_and(|name| name.label == *wanted),
            _ => true,
        };
        place = first + children.into_iter().position(is_wanted)?;
        if flame.boxes[place].n_merged > 0 {
            break;
        }
    }
    Some(place)
}

/// Converts a stage to another flame graph of the same stacks with a root further in or out, so that visible boxes stay
/// in place. `collapsed` belongs to the new flame graph. Returns `None` if neither root is inside the other.
pub fn carried(stage: &Stage, old: &Flame, new: &Flame, collapsed: CollapsedFrames) -> Option<Stage> {
    let root =
        |flame: &Flame| -> Vec<Label> { flame.path.iter().skip(1).filter_map(|&name| label(flame, name)).collect() };
    let alone = |flame: &Flame, place: usize| flame.boxes.get(place).copied().filter(|of| of.n_merged == 0);
    if let Some(of) = locate(old, &root(new)).and_then(|place| alone(old, place)) {
        let moved = |x: f64| (x - of.x0) / (of.x1 - of.x0);
        let x = moved(stage.x.start)..moved(stage.x.end);
        return Some(Stage { x, top: stage.row(of.depth), collapsed, ..stage.clone() });
    }
    let of = locate(new, &root(old)).and_then(|place| alone(new, place))?;
    let moved = |x: f64| of.x0 + x * (of.x1 - of.x0);
    let carried = Stage { x: moved(stage.x.start)..moved(stage.x.end), collapsed, ..stage.clone() };
    Some(Stage { top: stage.top - carried.offset(of.depth), ..carried })
}

/// Interpolates between two stages, from 0 to 1, with an ease-out curve.
pub fn midway(from: &Stage, to: &Stage, part: f64) -> Stage {
    let left = 1.0 - part.clamp(0.0, 1.0);
    let share = 1.0 - left * left * left;
    let mix = |from: f64, to: f64| from + (to - from) * share;
    let x = mix(from.x.start, to.x.start)..mix(from.x.end, to.x.end);
    Stage { x, top: mix(from.top, to.top).round(), ..to.clone() }
}

/// Returns the text of a box: the name as written in the source. For a call site, line and columns follow, because a line
/// may have several.
pub fn title(label: &Label) -> String {
    let plain = label.plain();
    match label.place {
        // The name already contains the line.
        Some(Place { start_char, end_char, .. }) if file_of_line(&label.name).is_some() => {
            format!("{plain}:{start_char}-{end_char}")
        }
        Some(Place { line, start_char, end_char }) => format!("{plain}:{line}:{start_char}-{end_char}"),
        None => plain,
    }
}

pub fn draw(flame: &Flame, stage: &Stage, marks: &Marks<'_>, text: &dyn TextWidth) -> Vec<Op> {
    let looks: Vec<Look<'_>> = flame.names.iter().map(|name| Look::new(name, marks)).collect();
    let (mut boxes, mut texts, mut frames) = (Vec::new(), Vec::new(), Vec::new());
    for (place, of) in flame.boxes.iter().enumerate() {
        let Some(look) = looks.get(of.name as usize) else { continue };
        if marks.skips_root && of.depth == 0 {
            continue;
        }
        let Some(area) = stage.area(of) else { continue };
        let own_paint = marks.paints.and_then(|paints| paints.get(place)).filter(|_| !look.is_faded).copied();
        if stage.collapsed.holds(of.depth) {
            // The first collapsed frame represents all of them.
            if of.depth == 1 && of.n_merged == 0 && of.x0 <= 0.0 {
                let row = collapsed_row(flame, stage.collapsed, &looks, |words| has_room(text, &area, words));
                boxes.push((area, own_paint.unwrap_or(row.fill)));
                texts.extend(row.words.map(|words| (area, words, row.ink)));
                frames.extend(row.is_selected.then(|| frame(&area, Paint::Accent, 1.0)));
            }
            continue;
        }
        let is_several = of.n_merged > 0;
        let (fill, ink) = match own_paint {
            _ if is_several => (Paint::Other, Paint::Muted),
            Some(paint) => (paint, Paint::Ink),
            None => (look.fill, look.ink),
        };
        boxes.push((area, fill));
        if area.w >= NARROWEST_TEXT {
            let fits = |words: &str| has_room(text, &area, words);
            let words = if is_several { several(of.n_merged, fits) } else { look.fitting(fits) };
            texts.extend(words.map(|words| (area, words, ink)));
        }
        if is_several && area.w >= NARROWEST_RAGGED {
            frames.push(ragged(&area));
        }
        if !is_several && look.is_selected {
            frames.push(frame(&area, Paint::Accent, 1.0));
        }
    }
    // Changing the color costs more than drawing a box, so boxes are grouped by color.
    sort_by(&mut boxes, |(_, one), (_, two)| order(*one).cmp(&order(*two)));
    sort_by(&mut texts, |(_, _, one), (_, _, two)| order(*one).cmp(&order(*two)));
    let rects = boxes.into_iter().map(|(Area { x, y, w, h }, fill)| Op::Rect { x, y, w, h, fill });
    let words = texts.into_iter().map(|(area, text, fill)| Op::Text {
        x: area.x + PADDING,
        y: area.y + area.h / 2.0 + 0.5,
        text,
        fill,
        align: Align::Left,
        font: Font::Plain,
    });
    rects.chain(words).chain(frames).collect()
}

/// Returns the plain name and the location.
pub fn name_and_location(label: &Label) -> String {
    format!("{} {}", label.plain(), label.exact_location()).trim_end().to_owned()
}

/// Returns the name and location of each box that is wide enough to point at.
pub fn tooltips(flame: &Flame, stage: &Stage, skips_root: bool) -> Vec<Tooltip> {
    let is_one =
        |of: &&FlameBox| of.n_merged == 0 && !stage.collapsed.holds(of.depth) && !(skips_root && of.depth == 0);
    let tooltip = |of: &FlameBox| {
        let area = stage.area(of).filter(|area| area.w >= NARROWEST_RAGGED)?;
        let label = label(flame, of.name)?;
        Some(Tooltip { area, text: name_and_location(&label) })
    };
    flame.boxes.iter().filter(is_one).filter_map(tooltip).collect()
}

/// Outlines the hovered box and the box at the keyboard cursor, given as indices into [`Flame::boxes`]. Outlines are
/// drawn on top, so that moving the pointer doesn't redraw all boxes.
pub fn outline(flame: &Flame, stage: &Stage, hovered: Option<usize>, cursor: Option<usize>) -> Vec<Op> {
    let area = |place: usize| stage.area(flame.boxes.get(place)?);
    let hovered = hovered.and_then(area).map(|area| frame(&area, Paint::Ink, 1.0));
    let cursor = cursor.and_then(area).map(|area| frame(&area, Paint::Accent, 2.0));
    hovered.into_iter().chain(cursor).collect()
}

fn has_room(text: &dyn TextWidth, area: &Area, words: &str) -> bool {
    text.width(words, Font::Plain) <= area.w - 2.0 * PADDING
}

/// The appearance of the row of collapsed frames.
struct CollapsedRow {
    fill: Paint,
    ink: Paint,
    words: Option<String>,
    is_selected: bool,
}

fn collapsed_row(
    flame: &Flame,
    collapsed: CollapsedFrames,
    looks: &[Look<'_>],
    fits: impl Fn(&str) -> bool,
) -> CollapsedRow {
    let of_it = || collapsed.boxes(flame).filter_map(|of| looks.get(of.name as usize));
    let (fill, ink) = match of_it().all(|look| look.is_faded) {
        true => (Paint::Hover, Paint::Muted),
        false => (Paint::Tint(Tint::Library), Paint::FlameInkPale),
    };
    CollapsedRow { fill, ink, words: collapsed.words(flame, fits), is_selected: of_it().any(|look| look.is_selected) }
}

/// The appearance of all boxes with the same name.
struct Look<'a> {
    label: &'a Label,
    /// Created for the first box that has room for it.
    title: OnceCell<String>,
    fill: Paint,
    ink: Paint,
    /// The search didn't find it.
    is_faded: bool,
    is_selected: bool,
}

impl Look<'_> {
    fn new<'a>(name: &'a FlameName, marks: &Marks<'_>) -> Look<'a> {
        let tint = tint(&name.label, marks.colors, marks.modules);
        let is_faded = marks.found.is_some_and(|found| found.binary_search(&name.key).is_err());
        let (fill, ink) = match tint {
            _ if name.key == TOP_KEY => (Paint::Hover, Paint::Muted),
            _ if is_faded => (Paint::Hover, Paint::Muted),
            Tint::Library => (Paint::Tint(tint), Paint::FlameInkPale),
            Tint::Module { .. } => (Paint::Tint(tint), Paint::FlameInk),
        };
        let is_selected = marks.selected == Some(&name.label);
        Look { label: &name.label, title: OnceCell::new(), fill, ink, is_faded, is_selected }
    }

    /// Shortens the title to fit, if necessary to the start of the function's own name.
    fn fitting(&self, fits: impl Fn(&str) -> bool) -> Option<String> {
        let title = self.title.get_or_init(|| title(self.label));
        short_title(title, &fits).or_else(|| names::beginning(names::own(last_part(title)), &fits))
    }
}

/// Shortens a title to fit: a file to the last part of its path, a function to its own name. Returns `None` if even that
/// doesn't fit.
pub fn short_title(title: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let last = last_part(title);
    names::fitting(title, &fits).or_else(|| fits(last).then(|| last.to_owned()))
}

fn last_part(title: &str) -> &str {
    title.rsplit_once('/').map_or(title, |(_, last)| last)
}

/// Returns the color of a frame. Library code is always pale.
pub fn tint(label: &Label, colors: Colors, modules: &ModuleColors) -> Tint {
    let is_file = label.file.is_empty() && label.name.contains(".ml");
    match colors {
        _ if is_file => modules.of_file(&label.name),
        Colors::File if !label.file.is_empty() && !is_library(&label.name) => modules.of_file(&label.file),
        Colors::Module | Colors::File => modules.of_function(&label.name),
    }
}

fn several(n: u32, fits: impl Fn(&str) -> bool) -> Option<String> {
    let words = format!("{n} {}", if n == 1 { "frame" } else { "frames" });
    [words, format!("{n} …")].into_iter().find(|words| fits(words))
}

/// Draws the ragged lower edge of a merged box.
fn ragged(area: &Area) -> Op {
    let y = area.y + area.h - 2.0;
    Op::Line { points: vec![(area.x, y), (area.x + area.w, y)], stroke: Paint::Faint, width: 4.0, dash: Dash::Dotted }
}

fn frame(area: &Area, stroke: Paint, width: f64) -> Op {
    let Area { x, y, w, h } = *area;
    // A box that is narrower than its outline is filled by it.
    let width = width.min(w / 2.0);
    Op::Frame { x, y, w, h, stroke, width }
}

fn order(paint: Paint) -> u32 {
    match paint {
        Paint::Tint(Tint::Module { hue, tone }) => 1 + 3 * u32::from(hue) + u32::from(tone),
        Paint::Tint(Tint::Library) => 1500,
        Paint::Other => 1501,
        Paint::Hover => 1502,
        Paint::Muted => 1503,
        Paint::Change(shade) => 2000 + (i32::from(shade) + 128) as u32,
        _ => 0,
    }
}

fn label(flame: &Flame, name: u32) -> Option<Label> {
    flame.names.get(name as usize).map(|name| name.label.clone())
}

#[cfg(test)]
mod tests;
