//! Charts as SVG without a browser, in the light theme, for the command line.

use super::svg::svg;
use crate::layout::color::ModuleColors;
use crate::layout::draw::{Font, TextWidth};
use crate::layout::flame::{self, CollapsedFrames, Colors, Marks, Stage};
use crate::layout::picture::{LegendEntry, Parts, Picture};
use crate::layout::theme;
use crate::layout::timeline::{self, Axes, Plot};
use camlscope_engine::query::flame::Flame;
use camlscope_engine::query::timeline::Timeline;

/// The text above a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartWords {
    pub heading: String,
    /// One line each.
    pub about: Vec<String>,
}

/// The width of a flame graph, which its query also needs.
pub const FLAME_WIDTH: f64 = 1200.0;
const TIMELINE_SIZE: (f64, f64) = (1200.0, 320.0);
/// Edges of boxes are on half pixels, so that charts are sharp on most screens.
const PIXELS: f64 = 2.0;

/// Returns a flame graph as an SVG file.
pub fn flame_chart(flame: &Flame, words: ChartWords, modules: &ModuleColors) -> String {
    let height = f64::from(flame.n_depths) * flame::ROW;
    let collapsed = CollapsedFrames::default();
    let (x, width) = (0.0..1.0, FLAME_WIDTH);
    let stage = Stage { x, width, height, top: 0.0, is_upward: false, collapsed, ratio: PIXELS };
    let marks = Marks { modules, ..Marks::default() };
    drawn(Parts {
        heading: words.heading,
        about: words.about,
        legend: flame::legend(&[(flame, &stage)], Colors::default(), modules),
        drawing: flame::draw(flame, &stage, &marks, &SansSerif),
        tooltips: flame::tooltips(flame, &stage, false),
        size: (width, height),
    })
}

/// Returns a timeline as an SVG file. Its layers are the series.
pub fn timeline_chart(timeline: &Timeline, axes: &Axes, words: ChartWords, modules: &ModuleColors) -> String {
    let (width, height) = TIMELINE_SIZE;
    let names = timeline.series_names();
    let entry = |(nth, text): (usize, String)| {
        let series = timeline.series.get(nth)?;
        Some(LegendEntry { paint: timeline::paint_of(nth, series, modules), text })
    };
    drawn(Parts {
        heading: words.heading,
        about: words.about,
        legend: names.into_iter().enumerate().filter_map(entry).collect(),
        drawing: timeline::draw(timeline, &Plot::new(width, height, timeline), axes, modules, &SansSerif),
        tooltips: Vec::new(),
        size: (width, height),
    })
}

fn drawn(parts: Parts) -> String {
    svg(&Picture::new(parts, &SansSerif), "system-ui, sans-serif", &theme::light)
}

/// Estimates the width of text in common system fonts. There is no browser to measure it.
struct SansSerif;

impl TextWidth for SansSerif {
    fn width(&self, text: &str, font: Font) -> f64 {
        let share = if font.weight() > 400 { 0.6 } else { 0.56 };
        text.chars().count() as f64 * font.px() * share
    }
}
