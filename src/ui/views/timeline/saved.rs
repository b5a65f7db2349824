//! The timeline as a picture that is saved: with the moment and the stretch that are marked, without the pointer.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::picture::{self, Drawn};
use crate::ui::context::WorkspaceContext;
use crate::ui::platform::pictures::{Draw, Pictured, use_picture};
use crate::ui::query::SharedAnswer;
use crate::ui::views::timeline::both::Both;
use crate::ui::views::timeline::controls::short;
use crate::ui::views::timeline::request::as_timeline;
use camlscope_engine::query::timeline::{Graph, Timeline};
use camlscope_present::layout::color::ModuleColors;
use camlscope_present::layout::draw::Paint;
use camlscope_present::layout::picture::LegendEntry;
use camlscope_present::layout::timeline::{Axes, Marks, Plot, draw, draw_both, draw_both_marks, draw_marks, paint_of};

/// All that the picture is made of.
pub struct Curve {
    /// The curve of one trace alone.
    pub answer: Option<SharedAnswer>,
    /// The curves of two traces that are compared.
    pub both: Option<(SharedAnswer, Both)>,
    pub place: Option<(Plot, (f64, f64))>,
    pub axes: Rc<Axes>,
    pub marks: Marks,
}

#[hook]
pub fn use_timeline_picture(workspace: &WorkspaceContext, curve: Option<Curve>) {
    let draw = curve.and_then(|curve| {
        let (workspace, (plot, size)) = (workspace.clone(), curve.place?);
        let Curve { answer, both, axes, marks, .. } = curve;
        let draw: Draw = Rc::new(move |text| {
            let (legend, ops) = match (as_timeline(answer.as_ref()), &both) {
                (Some(timeline), _) => {
                    let mut ops = draw(timeline, &plot, &axes, &workspace.colors, text);
                    ops.extend(draw_marks(timeline, &plot, &axes, &marks, None, text));
                    (layers(timeline, &workspace.colors), ops)
                }
                (None, Some((before, both))) => {
                    let curves = [as_timeline(Some(before)), as_timeline(Some(&both.after))];
                    let ops = match curves {
                        [Some(a), Some(b)] => {
                            let mut ops = draw_both(a, b, &both.plots, text);
                            ops.extend(draw_both_marks(&both.plots, both.moments, None, [None; 2], text));
                            ops
                        }
                        _ => Vec::new(),
                    };
                    (vec![picture::entry(Paint::Before, "A, before"), picture::entry(Paint::After, "B, after")], ops)
                }
                (None, None) => Default::default(),
            };
            let amount = match axes.graph {
                Graph::LiveBytes => "live bytes",
                Graph::LiveBlocks => "live blocks",
                Graph::Allocated => "bytes allocated so far",
            };
            let about = vec![picture::counted_words(amount, &workspace.view_state.filter())];
            let drawn = Drawn {
                name: title(axes.graph),
                about,
                legend,
                ops,
                tooltips: Vec::new(),
                size,
                is_both: both.is_some(),
            };
            picture::with_words(&workspace, drawn)
        });
        Some(draw)
    });
    use_picture(Pictured::Timeline, draw);
}

pub fn title(graph: Graph) -> &'static str {
    match graph {
        Graph::LiveBytes => "Live bytes over time",
        Graph::LiveBlocks => "Live blocks over time",
        Graph::Allocated => "Bytes allocated so far, over time",
    }
}

fn layers(timeline: &Timeline, colors: &ModuleColors) -> Vec<LegendEntry> {
    let series = timeline.series.iter().enumerate();
    series.map(|(nth, series)| picture::entry(paint_of(nth, series, colors), short(series))).collect()
}
