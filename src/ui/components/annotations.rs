//! Figures by source line for the page's host, such as an editor that shows them next to the code. They follow the
//! measure and the filter.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::ui::context::use_workspace;
use crate::ui::platform::host::{self, object};
use crate::ui::query::use_query;
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::label::plain;
use camlscope_engine::query::lines::{FileLines, FunctionLines, LinesConfig, SourceFigures, SourceFiles};
use camlscope_present::format::Units;
use camlscope_present::words::measure::{figure, margin};

/// Nothing is sent while the user drags the time.
const SETTLED_MS: u32 = 200;

#[derive(Properties, PartialEq)]
pub struct AnnotationsProps {
    /// Paths in the trace.
    pub files: Rc<[String]>,
}

/// Sends the list of source files, and the lines of the files that the host wants. Draws nothing.
#[component]
pub fn Annotations(props: &AnnotationsProps) -> Html {
    let workspace = use_workspace().for_filter_bar();
    let (generation, units) = (workspace.loaded.generation, workspace.units);
    let view = use_settled((generation, workspace.view_state.query_view()));
    // After another trace was opened, the view still has to settle.
    let view = view.and_then(|(of, view)| (of == generation).then_some(view));
    let answer = use_query(view.clone().map(|view| Request { view, question: Question::SourceFiles })).answer;
    use_effect_with((answer, view.clone(), units), move |(answer, view, units)| {
        if let Some((files, view)) = answer.as_ref().and_then(|answer| answer.get::<SourceFiles>()).zip(view.as_ref()) {
            post_files(files, view, *units);
        }
    });
    let Some(view) = view else { return Html::default() };
    let file =
        |file: &String| html! { <AnnotatedFile key={file.clone()} file={file.clone()} view={view.clone()} {units} /> };
    props.files.iter().map(file).collect()
}

#[derive(Properties, PartialEq)]
struct AnnotatedFileProps {
    file: String,
    view: View,
    units: Units,
}

#[component]
fn AnnotatedFile(props: &AnnotatedFileProps) -> Html {
    let question = Question::Lines(LinesConfig { file: props.file.clone() });
    let query = use_query(Some(Request { view: props.view.clone(), question }));
    let answer = query.answer.filter(|_| !query.is_waiting);
    let (file, view, units) = (props.file.clone(), props.view.clone(), props.units);
    use_effect_with((answer, units), move |(answer, _)| {
        if let Some(lines) = answer.as_ref().and_then(|answer| answer.get::<FileLines>()) {
            post_lines(&file, lines, &view, units);
        }
    });
    Html::default()
}

/// Returns the value once it has stayed the same for a while.
#[hook]
fn use_settled<T: Clone + PartialEq + 'static>(value: T) -> Option<T> {
    let settled = use_state_eq(|| None::<T>);
    use_effect_with(value, {
        let settled = settled.setter();
        move |value| {
            let value = value.clone();
            let timer = Timeout::new(SETTLED_MS, move || settled.set(Some(value)));
            move || drop(timer)
        }
    });
    (*settled).clone()
}

fn post_files(files: &SourceFiles, view: &View, units: Units) {
    let of_files: Array = files
        .files
        .iter()
        .map(|file| {
            let mut fields = figures(&file.figures, files.all, view, units);
            fields.extend([("file", file.file.as_str().into()), ("is_library", file.is_library.into())]);
            object(&fields)
        })
        .collect();
    host::post("files", &[("files", of_files.into())]);
}

fn post_lines(file: &str, lines: &FileLines, view: &View, units: Units) {
    let of_lines: Array = lines
        .lines
        .iter()
        .map(|line| {
            let mut fields = figures(&line.figures, lines.all, view, units);
            fields.push(("line", line.line.into()));
            object(&fields)
        })
        .collect();
    let function = |function: &FunctionLines| {
        object(&[
            ("name", function.name.as_str().into()),
            ("label", plain(&function.name).into()),
            ("first_line", function.first_line.into()),
            ("last_line", function.last_line.into()),
            ("hottest_line", function.hottest_line.map_or(JsValue::NULL, JsValue::from)),
        ])
    };
    let functions: Array = lines.functions.iter().map(function).collect();
    host::post("lines", &[("file", file.into()), ("lines", of_lines.into()), ("functions", functions.into())]);
}

/// The same fields as in `camlscope annotate --json`.
fn figures(figures: &SourceFigures, all: f64, view: &View, units: Units) -> Vec<(&'static str, JsValue)> {
    let SourceFigures { own, total, error, .. } = *figures;
    let measure = view.measure;
    let share = |value: f64| if all > 0.0 { value / all } else { 0.0 };
    let text = figure(units, measure, total, margin(measure, total, error), Some(share(total)));
    vec![
        ("self", own.into()),
        ("total", total.into()),
        ("error", error.map_or(JsValue::NULL, JsValue::from)),
        ("self_share", share(own).into()),
        ("total_share", share(total).into()),
        ("self_text", units.amount(measure.unit(), own).into()),
        ("total_text", units.amount(measure.unit(), total).into()),
        ("text", text.into()),
    ]
}
