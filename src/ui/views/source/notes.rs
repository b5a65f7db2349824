//! The head of a file: its path, its total, and everything that the reader must know about its source.

use yew::prelude::*;

use crate::ui::components::sources::code::About;
use crate::ui::components::sources::text::Source;
use crate::ui::components::sources::{FoundSources, OpenFolder};
use crate::ui::platform::source_folder::NotRead;
use camlscope_engine::query::lines::SourceFigures;
use camlscope_present::source_files::FoundFile;
use camlscope_present::words;

/// The facts about the open file: its path, its figures and its differences from the trace.
pub struct FileHead<'a> {
    /// The path in the trace.
    pub file: &'a str,
    /// The path below the folder, if there is a source.
    pub path: Option<&'a str>,
    pub figures: Option<SourceFigures>,
    pub about: About,
    pub found: &'a FoundSources,
    pub source: &'a Source,
    pub is_newer: bool,
    /// The number of lines with figures that the source doesn't have.
    pub n_beyond: usize,
}

impl FileHead<'_> {
    /// `on_candidate` chooses one of several files that could be the source.
    pub fn draw(&self, on_candidate: &Callback<usize>) -> Html {
        let path = self.path.unwrap_or(self.file);
        html! {
            <div class="source-head">
                <h2 title={format!("In the trace: {}", self.file)}>{ path }</h2>
                if let Some(figures) = &self.figures {
                    <span title={self.about.title(figures)} data-figure="source.total"
                        data-value={figures.total.to_string()}>{ self.about.figure(figures) }</span>
                }
                { for self.warnings(path).into_iter().map(|text| html! { <p class="source-warning" role="status">{ text }</p> }) }
                { self.why_missing(on_candidate) }
            </div>
        }
    }

    /// Reasons why figures may be on the wrong lines.
    fn warnings(&self, path: &str) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.is_newer {
            warnings.push(words::source::newer(path));
        }
        if let Some(text) = self.source.text().filter(|_| self.n_beyond > 0) {
            warnings.push(words::source::beyond(path, self.n_beyond, text.n_lines() as usize));
        }
        match self.source {
            Source::NotRead(NotRead::TooLarge) => warnings.push(format!("{path} is too large to show.")),
            Source::NotRead(NotRead::Failed) => {
                warnings.push(format!("The browser can’t read {path}. It may have changed. Choose the folder again."));
            }
            Source::None | Source::Reading | Source::Read { .. } => {}
        }
        warnings
    }

    fn why_missing(&self, on_candidate: &Callback<usize>) -> Html {
        let folder = self.found.folder().map_or("", |folder| &folder.name);
        let candidate = |&at: &usize| {
            let onclick = on_candidate.reform(move |_: MouseEvent| at);
            let path = self.found.file(at).map_or("", |file| &file.path);
            html! { <button type="button" class="button" {onclick}>{ path }</button> }
        };
        match self.found.of(self.file) {
            // One of several was chosen.
            _ if self.path.is_some() => Html::default(),
            FoundFile::At(_) => Html::default(),
            FoundFile::Missing => html! {
                <p class="source-missing">
                    { format!("No source of this file in “{folder}”. ") }
                    <OpenFolder class="quiet" label="Choose another folder…" />
                </p>
            },
            FoundFile::GeneratedFrom(at) => {
                let original = self.found.file(*at).map_or("", |file| &file.path);
                let text =
                    format!("This file is generated from {original} and isn’t in “{folder}”. Build the project.");
                html! { <p class="source-missing">{ text }</p> }
            }
            FoundFile::Ambiguous(several) => html! {
                <div class="source-missing">
                    <p>{ "Several files could be its source. Choose one:" }</p>
                    { for several.iter().map(candidate) }
                </div>
            },
        }
    }
}
