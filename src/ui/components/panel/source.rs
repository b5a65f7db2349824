//! The source of the selection: a few lines with figures, and a way to the rest of the file.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::commands::SourceLocation;
use crate::ui::components::sources::code::{About, code, figure_cell};
use crate::ui::components::sources::text::{Source, use_source};
use crate::ui::components::sources::{OpenFolder, use_found_sources, use_known_folder};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::Sources;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::lines::{FileLines, LinesConfig};
use camlscope_present::layout::source::{SourceText, excerpt};
use camlscope_present::source_files::file_name;
use camlscope_view::page::components::panel::source::{Part, file_of, part_of};
use camlscope_view::page::components::panel::subject::Subject;

/// The lines of an excerpt.
const N_LINES: u32 = 9;

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
