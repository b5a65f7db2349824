//! The source of the selection: a few lines with figures, and a way to the rest of the file.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::commands::SourceLocation;
use crate::ui::components::panel::subject::Subject;
use crate::ui::components::sources::code::{About, code, figure_cell};
use crate::ui::components::sources::text::{Source, use_source};
use crate::ui::components::sources::{OpenFolder, use_found_sources, use_known_folder};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::source::Sources;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::filter::parse_line;
use camlscope_engine::query::lines::{FileLines, LinesConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_present::layout::source::{SourceText, excerpt};
use camlscope_present::source_files::file_name;

/// The lines of an excerpt.
const N_LINES: u32 = 9;
/// The lines on both sides of a call site.
const N_AROUND: u32 = 3;

#[derive(Properties, PartialEq)]
pub struct SourceSectionProps {
    pub subject: Subject,
}

/// Nothing for a module, or if the file is unknown.
#[component]
pub fn SourceSection(props: &SourceSectionProps) -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, sources, show_source, .. } = &workspace;
    let known = use_known_folder();
    let file = file_of(&props.subject);
    let config = file.map(|file| LinesConfig { file: file.to_owned() });
    let query = use_query(config.map(|config| view_state.request(Question::Lines(config))));
    let Some(file) = file else { return Html::default() };
    let lines = query.get::<FileLines>();
    let part = lines.and_then(|lines| part_of(&props.subject, lines));
    let line = part.map(|part| part.around);
    let onclick = {
        let location = SourceLocation { file: file.to_owned(), line };
        show_source.reform(move |_: MouseEvent| location.clone())
    };
    let name = file_name(file);
    html! {
        <section class="panel-source" aria-label="Source">
            <div class="panel-list-head">
                <h3>{ "Source" }</h3>
                <button type="button" class="quiet" title="Open the hottest line in the Source tab" {onclick}>
                    { line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}")) }
                </button>
            </div>
            if let Some(sources) = sources {
                <Excerpt sources={sources.clone()} file={file.to_owned()} {part} lines={lines.map(|lines| Rc::new(lines.clone()))} />
            } else {
                <p class="panel-hint">
                    { "See the code here. " }
                    <OpenFolder class="quiet" label="Choose folder…" {known} />
                </p>
            }
        </section>
    }
}

/// Returns the file's path in the trace.
fn file_of(subject: &Subject) -> Option<&str> {
    let file = if subject.grain == Grain::File { &subject.label.name } else { &subject.label.file };
    (!file.is_empty()).then_some(file)
}

/// The part of a file to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// The line in the middle.
    around: u32,
    first: u32,
    last: u32,
}

/// Returns the lines of a function around its hottest one, those around a call site, or those around a file's hottest one.
fn part_of(subject: &Subject, lines: &FileLines) -> Option<Part> {
    let around =
        |line: u32| Part { around: line, first: line.saturating_sub(N_AROUND), last: line.saturating_add(N_AROUND) };
    if let Some(place) = subject.label.place {
        return Some(around(place.line));
    }
    match subject.grain {
        Grain::File => {
            let hottest = lines.lines.iter().max_by(|one, two| one.figures.total.total_cmp(&two.figures.total));
            hottest.map(|line| around(line.line))
        }
        _ => {
            let Some(function) = lines.functions.iter().find(|function| function.name == subject.label.name) else {
                // A profile has lines instead of functions.
                return parse_line(&subject.label.name).map(|(_, line)| around(line));
            };
            let around = function.hottest_line.unwrap_or(function.first_line);
            Some(Part { around, first: function.first_line, last: function.last_line })
        }
    }
}

#[derive(Properties, PartialEq)]
struct ExcerptProps {
    sources: Sources,
    file: String,
    part: Option<Part>,
    lines: Option<Rc<FileLines>>,
}

#[component]
fn Excerpt(props: &ExcerptProps) -> Html {
    let ExcerptProps { sources, file, part, lines } = props;
    let workspace = use_workspace();
    let (found, query) = use_found_sources(Some(sources.clone()));
    let real = found.real(file);
    let source = use_source(real);
    let rows = match (&source, part, lines) {
        (Source::Read { text, .. }, Some(part), Some(lines)) => rows(&workspace, file, text, *part, lines),
        (Source::None, ..) if query.answer.is_some() => {
            return html! { <p class="panel-muted">{ format!("No source in “{}”.", sources.name) }</p> };
        }
        (Source::NotRead(_), ..) => {
            return html! { <p class="panel-muted">{ "The browser can’t read the file. Choose the folder again." }</p> };
        }
        _ => Html::default(),
    };
    html! { <div class="panel-source-code" data-lines={file.clone()}><div class="source-rows">{ rows }</div></div> }
}

fn rows(workspace: &WorkspaceContext, file: &str, text: &SourceText, part: Part, lines: &FileLines) -> Html {
    let about = About::new(workspace, lines.all);
    let row = |line: u32| {
        let figures = lines.lines.iter().find(|other| other.line == line).map(|line| &line.figures);
        let onclick = {
            let location = SourceLocation { file: file.to_owned(), line: Some(line) };
            workspace.show_source.reform(move |_: MouseEvent| location.clone())
        };
        let class = classes!(
            "source-line",
            figures.map(|figures| about.classes(figures)),
            (line == part.around).then_some("is-selected")
        );
        html! {
            <div key={line} {class} data-line={line.to_string()} title={figures.map(|figures| about.title(figures))} {onclick}>
                { figure_cell("total", figures.map_or(0.0, |figures| figures.total), &about) }
                <span class="source-number">{ line }</span>
                <code class="source-code">{ code(text, line) }</code>
            </div>
        }
    };
    excerpt(part.around, part.first, part.last, text.n_lines(), N_LINES).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::lines::FunctionLines;
    use camlscope_engine::query::tree::{Label, Place};

    #[test]
    fn a_function_is_shown_around_its_hottest_line_and_a_site_around_itself() {
        let function =
            |hottest_line| FunctionLines { name: "A.f".to_owned(), first_line: 3, last_line: 9, hottest_line };
        let lines = |hottest| FileLines { all: 0.0, lines: Vec::new(), functions: vec![function(hottest)] };
        let label = Label { name: "A.f".to_owned(), file: "a.ml".to_owned(), place: None };
        let subject = Subject { label: label.clone(), grain: Grain::Function };
        assert_eq!(part_of(&subject, &lines(Some(7))), Some(Part { around: 7, first: 3, last: 9 }));
        assert_eq!(part_of(&subject, &lines(None)).map(|part| part.around), Some(3));
        let place = Some(Place { line: 20, start_char: 0, end_char: 1 });
        let site = Subject { label: Label { place, ..label }, grain: Grain::Site };
        assert_eq!(part_of(&site, &lines(None)), Some(Part { around: 20, first: 17, last: 23 }));
        assert_eq!(file_of(&Subject { label: Label::default(), grain: Grain::Module }), None);
    }
}
