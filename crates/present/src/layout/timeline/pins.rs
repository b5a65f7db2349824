//! Notes pinned to times: a line at the time with a label next to it. Labels never overlap. Where there are many, they
//! are in several rows and cut, if need be to a dot.

use std::fmt;
use std::str::FromStr;

use super::Plot;
use crate::layout::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use crate::layout::flame::Area;
use crate::layout::picture::Tooltip;
use camlscope_engine::query::filter::parse_time;
use camlscope_engine::query::filter::units::time;

/// A note at a time, in µs since the start of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    pub at_us: u64,
    pub text: String,
}

impl Pin {
    /// Longer notes are cut.
    pub const MAX_CHARS: usize = 80;

    /// Cuts the text, and replaces line breaks and other characters that can't be shown.
    pub fn new(at_us: u64, text: &str) -> Pin {
        let shown = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        Pin { at_us, text: shown.take(Pin::MAX_CHARS).collect() }
    }
}

/// `12.5s Deploy`, as in links.
impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", time(self.at_us), self.text)
    }
}

impl FromStr for Pin {
    type Err = ();

    fn from_str(text: &str) -> Result<Pin, ()> {
        let (at, text) = text.trim().split_once(' ').ok_or(())?;
        Ok(Pin::new(parse_time(at).ok_or(())?, text.trim()))
    }
}

/// Where a pin's label is.
#[derive(Clone, Debug, PartialEq)]
pub struct PinLabel {
    /// The index of the pin.
    pub nth: usize,
    /// The position of the line.
    pub x: f64,
    pub area: Area,
    /// As much of the note as fits. Empty if only a dot fits.
    pub text: String,
    row: usize,
}

const HEIGHT: f64 = 15.0;
const ROW: f64 = 17.0;
const MAX_ROWS: usize = 3;
const MAX_WIDTH: f64 = 160.0;
/// The distance between the text and each edge.
const PADDING: f64 = 5.0;
const GAP: f64 = 3.0;
/// A label without text.
const DOT: f64 = 9.0;

/// Returns the labels of the visible pins, which must be in order of time.
pub fn pin_labels(pins: &[Pin], plot: &Plot, text: &dyn TextWidth) -> Vec<PinLabel> {
    let mut labels: Vec<PinLabel> = Vec::new();
    if plot.is_strip() {
        return labels;
    }
    let n_rows = (((plot.bottom - plot.top) / ROW) as usize).clamp(1, MAX_ROWS);
    // The last label of each row.
    let mut last: Vec<Option<usize>> = vec![None; n_rows];
    for (nth, pin) in pins.iter().enumerate().filter(|(_, pin)| plot.shows(pin.at_us as f64)) {
        let x = plot.x(pin.at_us as f64);
        let mut width = (text.width(&pin.text, Font::SmallBold) + 2.0 * PADDING).clamp(DOT, MAX_WIDTH);
        let mut left = x.min(plot.right - width).max(plot.left);
        let end = |row: usize, labels: &[PinLabel]| {
            last[row].and_then(|at| labels.get(at)).map_or(f64::NEG_INFINITY, |label| label.area.x + label.area.w)
        };
        let free = (0..n_rows).find(|row| end(*row, &labels) + GAP <= left);
        let row = free.unwrap_or_else(|| {
            let ends = (0..n_rows).map(|row| end(row, &labels));
            ends.enumerate().min_by(|one, two| one.1.total_cmp(&two.1)).map_or(0, |(row, _)| row)
        });
        if free.is_none()
            && let Some(before) = last[row].and_then(|at| labels.get_mut(at))
        {
            // Every row is full, so the label before gets shorter, and this one moves if that isn't enough.
            before.area.w = before.area.w.min((left - GAP - before.area.x).max(DOT));
            left = left.max(before.area.x + before.area.w + GAP);
            width = width.min((plot.right - left).max(DOT));
        }
        last[row] = Some(labels.len());
        let area = Area { x: left, y: plot.top + 2.0 + row as f64 * ROW, w: width, h: HEIGHT };
        labels.push(PinLabel { nth, x, area, text: String::new(), row });
    }
    for label in &mut labels {
        label.text = cut(&pins[label.nth].text, label.area.w - 2.0 * PADDING, text);
    }
    labels
}

/// Returns the beginning of a text that fits, or nothing if that would be less than two letters.
fn cut(whole: &str, room: f64, text: &dyn TextWidth) -> String {
    let width = |part: &str| text.width(part, Font::SmallBold);
    if width(whole) <= room {
        return whole.to_owned();
    }
    let n = whole.chars().count();
    let cut = |n: usize| whole.chars().take(n).chain(['…']).collect::<String>();
    let longest = (2..n).rev().map(cut).find(|cut| width(cut) <= room);
    longest.unwrap_or_default()
}

/// Draws all pins, for pictures.
pub fn draw_pins(pins: &[Pin], plot: &Plot, text: &dyn TextWidth) -> (Vec<Op>, Vec<Tooltip>) {
    let (mut ops, mut tooltips) = (Vec::new(), Vec::new());
    let labels = pin_labels(pins, plot, text);
    for PinLabel { x, area, .. } in &labels {
        let points = vec![(*x, area.y), (*x, plot.rates_bottom)];
        ops.push(Op::Line { points, stroke: Paint::Muted, width: 1.0, dash: Dash::Solid });
    }
    for PinLabel { nth, area, text, .. } in labels {
        let Area { x, y, w, h } = area;
        ops.push(Op::Rect { x, y, w, h, fill: Paint::Surface });
        ops.push(Op::Frame { x, y, w, h, stroke: Paint::Muted, width: 1.0 });
        let (font, align, fill) = (Font::SmallBold, Align::Left, Paint::Ink);
        ops.push(Op::Text { x: x + PADDING, y: y + h / 2.0, text, fill, align, font });
        tooltips.push(Tooltip { area, text: pins[nth].text.clone() });
    }
    (ops, tooltips)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw::FixedWidth;
    use camlscope_engine::query::timeline::Timeline;

    const LETTERS: FixedWidth = FixedWidth(6.0);

    fn plot() -> Plot {
        let timeline = Timeline { to_us: 1_000_000, live_max: vec![1.0], ..Timeline::default() };
        Plot::new(1080.0, 120.0, &timeline)
    }

    fn pins(times: &[u64], text: &str) -> Vec<Pin> {
        times.iter().map(|at_us| Pin::new(*at_us, text)).collect()
    }

    #[test]
    fn labels_never_overlap_however_many_there_are() {
        let crowds: [Vec<u64>; 5] = [
            vec![100_000, 500_000, 900_000],
            vec![500_000, 505_000, 510_000, 515_000, 520_000],
            (0..60).map(|at| at * 16_000).collect(),
            vec![999_000, 999_500, 1_000_000],
            vec![500_000; 8],
        ];
        for times in crowds {
            let pins = pins(&times, "A note about this time");
            let labels = pin_labels(&pins, &plot(), &LETTERS);
            assert_eq!(labels.len(), times.len());
            for (at, one) in labels.iter().enumerate() {
                assert!(LETTERS.width(&one.text, Font::SmallBold) <= one.area.w, "{one:?}");
                for two in labels[at + 1..].iter().filter(|two| two.row == one.row) {
                    assert!(one.area.x + one.area.w <= two.area.x, "{one:?} {two:?}");
                }
            }
        }
    }

    #[test]
    fn a_label_shows_the_whole_note_if_there_is_space() {
        let shown = |times: &[u64]| {
            let labels = pin_labels(&pins(times, "Deploy"), &plot(), &LETTERS);
            labels.into_iter().map(|label| label.text).collect::<Vec<_>>()
        };
        assert_eq!(shown(&[0, 500_000, 1_000_000]), ["Deploy"; 3]);
        assert_eq!(shown(&[500_000, 500_001, 500_002]), ["Deploy"; 3], "in three rows");
        assert_eq!(shown(&[500_000, 500_001, 500_002, 540_000]), ["Dep…", "Deploy", "Deploy", "Deploy"]);
        assert_eq!(shown(&[500_000, 500_001, 500_002, 500_003])[0], "", "a dot");
    }

    #[test]
    fn a_pin_round_trips_through_its_text() {
        for text in ["12.5s Deploy <b>&", "0s x", "850us a  b"] {
            let pin: Pin = text.parse().expect(text);
            assert_eq!(pin.to_string(), text);
        }
        assert_eq!("soon Deploy".parse::<Pin>(), Err(()));
        assert_eq!("12s".parse::<Pin>(), Err(()));
        assert_eq!(Pin::new(0, &"x\n".repeat(100)).text, "x ".repeat(40));
    }
}
