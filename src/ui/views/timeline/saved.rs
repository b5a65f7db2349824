//! The timeline as an exported image, with the selected time and time range, but without the pointer.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::picture::{self, PictureContent};
use crate::ui::platform::pictures::{Pictured, use_picture};
use crate::ui::views::timeline::controls::short;
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::query::timeline::{Graph, Timeline};
use camlscope_present::layout::color::ModuleColors;
use camlscope_present::layout::draw::{Paint, TextWidth};
use camlscope_present::layout::picture::LegendEntry;
use camlscope_present::layout::timeline::{draw, draw_both, draw_both_marks, draw_marks, draw_pins, paint_of};
use camlscope_view::page::query::event::SharedAnswer;

#[hook]
pub fn use_timeline_picture(scene: &Rc<TimelineScene>) {
    let draw = scene.place().filter(|_| scene.timeline().is_some()).map(|(plot, size)| {
        let scene = Rc::clone(scene);
        move |text: &dyn TextWidth| {
            let TimelineScene { workspace, axes, both, .. } = &*scene;
            let mut tooltips = Vec::new();
            let (legend, ops) = match (scene.alone().and_then(SharedAnswer::get), both) {
                (Some(timeline), _) => {
                    let mut ops = draw(timeline, &plot, axes, &workspace.colors, text);
                    ops.extend(draw_marks(timeline, &plot, axes, &scene.marks(None), None, text));
                    let pinned = draw_pins(&workspace.view_state.timeline.pins, &plot, text);
                    ops.extend(pinned.0);
                    tooltips = pinned.1;
                    (layers(timeline, &workspace.colors), ops)
                }
                (None, Some(both)) => {
                    let mut ops = Vec::new();
                    if let (Some(a), Some(b)) = (scene.timeline(), both.after.get()) {
                        ops.extend(draw_both(a, b, &both.plots, text));
                        ops.extend(draw_both_marks(&both.plots, both.times, None, [None; 2], text));
                    }
                    (vec![picture::entry(Paint::Before, "A (before)"), picture::entry(Paint::After, "B (after)")], ops)
                }
                (None, None) => Default::default(),
            };
            let amount = match axes.graph {
                Graph::LiveBytes => "live bytes",
                Graph::LiveBlocks => "live blocks",
                Graph::Allocated => "bytes allocated so far",
            };
            let about = vec![picture::counted_words(amount, &workspace.view_state.filter())];
            let drawn =
                PictureContent { name: title(axes.graph), about, legend, ops, tooltips, size, is_both: both.is_some() };
            picture::with_words(workspace, drawn)
        }
    });
    use_picture(Pictured::Timeline, draw);
}

pub fn title(graph: Graph) -> &'static str {
    match graph {
        Graph::LiveBytes => "Live bytes over time",
        Graph::LiveBlocks => "Live blocks over time",
        Graph::Allocated => "Bytes allocated over time",
    }
}

fn layers(timeline: &Timeline, colors: &ModuleColors) -> Vec<LegendEntry> {
    let series = timeline.series.iter().enumerate();
    series.map(|(nth, series)| picture::entry(paint_of(nth, series, colors), short(series))).collect()
}
