//! What is shown, as files for other programs. The names of files say what they are; the traces' own names stay on the page.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, HtmlCanvasElement};
use yew::prelude::*;

use super::menu::{Item, MenuButton};
use super::saving::{save_blob, save_bytes};
use crate::export::{Profile, folded, pprof, speedscope, table_csv};
use crate::format::count;
use crate::protocol::{Answer, Channel, Question, Request};
use crate::query::stacks::StacksConfig;
use crate::ui::bridge::{Bridge, Heard};
use crate::ui::look::Look;
use crate::ui::piece::Piece;
use crate::ui::state::Tone;
use crate::ui::views::table;

const CHANNEL: Channel = Channel(91);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    Folded,
    Speedscope,
    Pprof,
    Csv,
    Png,
}

impl Export {
    const ALL: [Export; 5] = [Export::Folded, Export::Speedscope, Export::Pprof, Export::Csv, Export::Png];

    fn title(self) -> &'static str {
        match self {
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

    /// Saves it and tells in words how it went.
    pub fn save(self, bridge: &Bridge, look: &Look, tell: impl Fn(Tone, String) + Clone + 'static) {
        let question = match self {
            Export::Png => return self.save_picture(tell),
            Export::Folded | Export::Speedscope | Export::Pprof => Question::Stacks(StacksConfig::VISIBLE),
            Export::Csv => Question::Table(table::whole(look)),
        };
        let request = look.ask(question);
        let heard = Callback::from({
            let request = request.clone();
            move |heard: Heard| match heard {
                Heard::Working(_) => {}
                Heard::Answered(Err(error), _) => tell(Tone::Problem, error.text),
                Heard::Answered(Ok(answer), _) => match self.file(&request, &answer) {
                    Some((bytes, left_out)) => self.offer(&bytes, &left_out, &tell),
                    None => tell(Tone::Problem, "This could not be written.".to_owned()),
                },
            }
        });
        bridge.ask(CHANNEL, &request, heard);
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

    fn offer(self, bytes: &[u8], left_out: &str, tell: &impl Fn(Tone, String)) {
        match save_bytes(self.file_name(), bytes) {
            Ok(()) => tell(Tone::Info, format!("Saved {}.{left_out}", self.file_name())),
            Err(_) => tell(Tone::Problem, "The browser has no room for so large a file.".to_owned()),
        }
    }

    /// The view's own picture, or else the timeline.
    fn save_picture(self, tell: impl Fn(Tone, String) + 'static) {
        let document = gloo::utils::document();
        let canvas = ["#view canvas:not([aria-hidden]), #view .flame-canvas", ".timeline-canvas"]
            .into_iter()
            .find_map(|css| document.query_selector(css).ok().flatten())
            .and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
        let saved = Closure::once_into_js(move |blob: Option<Blob>| {
            let saved = blob.is_some_and(|blob| save_blob(self.file_name(), &blob).is_ok());
            match saved {
                true => tell(Tone::Info, format!("Saved {}.", self.file_name())),
                false => tell(Tone::Problem, "The browser did not make a picture.".to_owned()),
            }
        });
        if let Some(canvas) = canvas {
            let _ = canvas.to_blob(saved.unchecked_ref());
        }
    }
}

pub fn export_menu(on_export: &Callback<Export>) -> Html {
    let items = Export::ALL.map(|export| Item { group: "", text: export.title() }).to_vec();
    let on_pick = on_export.reform(|at: usize| Export::ALL[at.min(Export::ALL.len() - 1)]);
    MenuButton { text: "Export", label: "Save what is shown as a file", class: "button button-quiet", items, on_pick }
        .show()
}
