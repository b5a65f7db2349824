//! What is shown, as files for other programs. The names of files say what they are; the traces' own names stay on the page.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, HtmlCanvasElement};
use yew::prelude::*;

use crate::export::{Profile, folded, pprof, speedscope, table_csv};
use crate::format::count;
use crate::protocol::{Answer, Channel, Question, Request};
use crate::query::stacks::StacksConfig;
use crate::ui::platform::download::{save_blob, save_bytes};
use crate::ui::query::{QueryEvent, WorkerClient};
use crate::ui::store::notice::Tone;
use crate::ui::store::view::ViewState;

/// The rows of an exported table; the command line has no such limit.
const MAX_ROWS: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    Folded,
    Speedscope,
    Pprof,
    Csv,
    Png,
}

impl Export {
    pub const ALL: [Export; 5] = [Export::Folded, Export::Speedscope, Export::Pprof, Export::Csv, Export::Png];

    pub fn title(self, is_profile: bool) -> &'static str {
        match self {
            Export::Csv if is_profile => "Table of lines, as CSV",
            Export::Folded => "Folded stacks, for flamegraph.pl",
            Export::Speedscope => "Stacks for speedscope",
            Export::Pprof => "Stacks for pprof",
            Export::Csv => "Table of functions, as CSV",
            Export::Png => "The picture, as PNG",
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Export::Folded => "camlscope.folded.txt",
            Export::Speedscope => "camlscope.speedscope.json",
            Export::Pprof => "camlscope.pb.gz",
            Export::Csv => "camlscope.csv",
            Export::Png => "camlscope.png",
        }
    }

    /// Saves it and reports in words how it went.
    pub fn save(
        self,
        client: &WorkerClient,
        channel: Channel,
        view_state: &ViewState,
        report: impl Fn(Tone, String) + Clone + 'static,
    ) {
        let question = match self {
            Export::Png => return self.save_picture(report),
            Export::Folded | Export::Speedscope | Export::Pprof => Question::Stacks(StacksConfig::VISIBLE),
            Export::Csv => Question::Table(view_state.table_config(MAX_ROWS)),
        };
        let request = view_state.request(question);
        let on_event = Callback::from({
            let request = request.clone();
            move |event: QueryEvent| match event {
                QueryEvent::Progress(_) => {}
                QueryEvent::Finished(Err(error), _) => report(Tone::Problem, error.text),
                QueryEvent::Finished(Ok(answer), _) => match self.file(&request, &answer) {
                    Some((bytes, left_out)) => self.offer(&bytes, &left_out, &report),
                    None => report(Tone::Problem, "This could not be written.".to_owned()),
                },
            }
        });
        client.query(channel, request, on_event);
    }

    /// The file, and what it lacks, in words.
    fn file(self, request: &Request, answer: &Answer) -> Option<(Vec<u8>, String)> {
        match answer {
            Answer::Table(table) => {
                let lacks = match table.n_rows - table.rows.len() {
                    0 => String::new(),
                    n => format!(" {} rows are left out; the command line writes all.", count(n as u64)),
                };
                Some((table_csv(table).into_bytes(), lacks))
            }
            Answer::Stacks(list) => {
                let profile = Profile::new(list, request.view.measure);
                let mut bytes = Vec::new();
                let written = match self {
                    Export::Speedscope => speedscope(&profile, &mut bytes),
                    Export::Pprof => pprof(&profile, &mut bytes),
                    Export::Folded | Export::Csv | Export::Png => folded(&profile, &mut bytes),
                };
                written.ok()?;
                let lacks = profile.merged_words();
                Some((bytes, lacks.map_or_else(String::new, |lacks| format!(" {lacks}; the command line writes all."))))
            }
            _ => None,
        }
    }

    fn offer(self, bytes: &[u8], left_out: &str, report: &impl Fn(Tone, String)) {
        match save_bytes(self.file_name(), bytes) {
            Ok(()) => report(Tone::Info, format!("Saved {}.{left_out}", self.file_name())),
            Err(_) => report(Tone::Problem, "The browser has no room for so large a file.".to_owned()),
        }
    }

    /// The view's own picture, or else the timeline.
    fn save_picture(self, report: impl Fn(Tone, String) + 'static) {
        let document = gloo::utils::document();
        let canvas = ["#view canvas:not([aria-hidden]), #view .flame-canvas", ".timeline-canvas"]
            .into_iter()
            .find_map(|css| document.query_selector(css).ok().flatten())
            .and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
        let saved = Closure::once_into_js(move |blob: Option<Blob>| {
            let saved = blob.is_some_and(|blob| save_blob(self.file_name(), &blob).is_ok());
            match saved {
                true => report(Tone::Info, format!("Saved {}.", self.file_name())),
                false => report(Tone::Problem, "The browser did not make a picture.".to_owned()),
            }
        });
        if let Some(canvas) = canvas {
            let _ = canvas.to_blob(saved.unchecked_ref());
        }
    }
}
