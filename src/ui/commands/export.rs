//! Exports the current view to files. Every file name contains the trace's name, except that of an anonymized report.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::report::{self, ReportJob};
use crate::ui::platform::download::{TOO_LARGE, save_blob, save_bytes};
use crate::ui::platform::pictures::{self, Pictured};
use crate::ui::query::QueryChannel;
use crate::ui::query::save_events::{ListedEvents, save_events};
use crate::ui::store::Loaded;
use crate::ui::store::view::settings::{Chart, HistogramSettings};
use crate::ui::store::view::{Capabilities, Tab, ViewState};
use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::stacks::{StackSource, StacksConfig};
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::tree::Grain;
use camlscope_present::export::{
    Notes, PprofPlan, Report, ReportSources, WeightedStacks, firefox, folded, histogram_csv, html, pprof, speedscope,
    table_csv,
};
use camlscope_present::format::{Units, count};
use camlscope_present::layout::timeline::Pin;
use camlscope_view::page::query::event::QueryEvent;
use camlscope_view::page::shared::Shared;
use camlscope_view::page::store::notice::Notice;

/// The row limit of an exported table. The command line has no limit.
const MAX_ROWS: usize = 100_000;

const STACKS: Question = Question::Stacks(StacksConfig::VISIBLE);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    Svg(Pictured),
    Png(Pictured),
    Report(ReportContent),
    StaticReport,
    Table,
    Sizes,
    Lifetimes,
    Events,
    Folded,
    Speedscope,
    Pprof,
    Firefox,
}

/// Which part of a trace goes into a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportContent {
    Everything,
    /// Only objects that pass the filter.
    Filtered,
    /// Everything, with names replaced by numbers.
    Anonymized,
}

/// Source code for a report.
pub type SharedSources = Shared<ReportSources>;

/// The state that an export reads.
#[derive(Clone, PartialEq)]
pub struct Exported {
    pub view_state: Rc<ViewState>,
    pub loaded: Rc<Loaded>,
    pub notes: Rc<Notes>,
    /// The view as encoded in the URL.
    pub hash: String,
    pub units: Units,
}

impl Export {
    /// Returns the exports that are currently available.
    pub fn available(
        Capabilities { has_objects, .. }: Capabilities,
        has_picture: bool,
        has_filter: bool,
    ) -> Vec<Export> {
        let view = [Export::Svg(Pictured::View), Export::Png(Pictured::View)];
        let timeline = [Export::Svg(Pictured::Timeline), Export::Png(Pictured::Timeline)];
        let objects = [Export::Sizes, Export::Lifetimes, Export::Events];
        let mut exports: Vec<Export> = view.into_iter().filter(|_| has_picture).chain(timeline).collect();
        exports.push(Export::Report(ReportContent::Everything));
        exports.extend(Some(Export::Report(ReportContent::Filtered)).filter(|_| has_filter && has_objects));
        exports.extend(Some(Export::Report(ReportContent::Anonymized)).filter(|_| has_objects));
        exports.extend([Export::StaticReport, Export::Table]);
        exports.extend(objects.into_iter().filter(|_| has_objects));
        exports.extend([Export::Folded, Export::Speedscope, Export::Pprof, Export::Firefox]);
        exports
    }

    pub fn group(self) -> &'static str {
        match self {
            Export::Svg(_) | Export::Png(_) => "Image",
            Export::Report(_) | Export::StaticReport => "Report",
            Export::Table | Export::Sizes | Export::Lifetimes | Export::Events => "Data",
            Export::Folded | Export::Speedscope | Export::Pprof | Export::Firefox => "Stacks",
        }
    }

    /// `picture_name` is the name of the open tab's chart.
    pub fn title(self, capabilities: Capabilities, picture_name: Option<&'static str>) -> String {
        let picture = |which: Pictured| match which {
            Pictured::Timeline => "Timeline",
            Pictured::View => picture_name.unwrap_or("Image"),
        };
        match self {
            Export::Svg(which) => format!("{} (SVG)", picture(which)),
            Export::Png(which) => format!("{} (PNG)", picture(which)),
            Export::Report(ReportContent::Everything) => {
                format!("Report with the {}", capabilities.file_noun())
            }
            Export::Report(ReportContent::Filtered) => "Report, filtered".to_owned(),
            Export::Report(ReportContent::Anonymized) => "Report, anonymized".to_owned(),
            Export::StaticReport => "Static report".to_owned(),
            Export::Table => format!("Table of {}s (CSV)", capabilities.frame_noun(Grain::Function)),
            Export::Sizes => "Histogram of sizes (CSV)".to_owned(),
            Export::Lifetimes => "Histogram of lifetimes (CSV)".to_owned(),
            Export::Events => "Events (text)".to_owned(),
            Export::Folded => "Folded stacks (flamegraph.pl)".to_owned(),
            Export::Speedscope => "speedscope profile".to_owned(),
            Export::Pprof => "pprof profile".to_owned(),
            Export::Firefox => "Firefox Profiler profile".to_owned(),
        }
    }

    fn file_name(self, view_state: &ViewState, loaded: &Loaded) -> String {
        let picture = |which: Pictured, ending: &str| match (which, view_state.tab) {
            (Pictured::Timeline, Tab::Compare) => loaded.compared_file_name(&format!("timeline.{ending}")),
            (Pictured::Timeline, _) => loaded.file_name(&format!("timeline.{ending}")),
            (Pictured::View, Tab::Compare) => loaded.compared_file_name(&format!("difference.{ending}")),
            (Pictured::View, Tab::Histograms) => {
                loaded.file_name(&format!("{}.{ending}", view_state.histograms.chart.as_str()))
            }
            (Pictured::View, tab) => loaded.file_name(&format!("{}.{ending}", tab.as_str())),
        };
        match self {
            Export::Svg(which) => picture(which, "svg"),
            Export::Png(which) => picture(which, "png"),
            Export::Report(_) => loaded.file_name("report.html"),
            Export::StaticReport => loaded.file_name("static.html"),
            Export::Table => loaded.file_name("table.csv"),
            Export::Sizes => loaded.file_name("sizes.csv"),
            Export::Lifetimes => loaded.file_name("lifetimes.csv"),
            Export::Events => loaded.file_name("events.txt"),
            Export::Folded => loaded.file_name("folded.txt"),
            Export::Speedscope => loaded.file_name("speedscope.json"),
            Export::Pprof => loaded.file_name("pb.gz"),
            Export::Firefox => loaded.file_name("firefox.json"),
        }
    }

    /// Returns the queries that the export needs.
    fn requests(self, view_state: &ViewState, summary: &Summary) -> Vec<Request> {
        let view = view_state.query_view();
        if self == Export::Pprof {
            let parts = PprofPlan::new(&view, summary).parts.into_iter();
            return parts.map(|part| Request { view: part.view, question: STACKS }).collect();
        }
        let questions = self.questions(view_state, summary.end_us);
        questions.into_iter().map(|question| Request { view: view.clone(), question }).collect()
    }

    fn questions(self, view_state: &ViewState, end_us: u64) -> Vec<Question> {
        let histogram = |chart: Chart| {
            let settings = HistogramSettings { chart, ..view_state.histograms };
            vec![Question::Histogram(settings.config())]
        };
        match self {
            Export::Svg(_) | Export::Png(_) | Export::Events | Export::Report(_) | Export::Pprof => Vec::new(),
            Export::StaticReport => Report::questions(end_us, view_state.table_order()).into(),
            Export::Table => vec![Question::Table(view_state.table_config(MAX_ROWS))],
            Export::Sizes => histogram(Chart::Sizes),
            Export::Lifetimes => histogram(Chart::Lifetimes),
            Export::Folded | Export::Speedscope | Export::Firefox => vec![STACKS],
        }
    }

    /// Returns the file's contents and a sentence about what was left out, if anything.
    fn file(self, job: &ExportJob, mut answers: Vec<Answer>) -> Option<(Vec<u8>, String)> {
        let ExportJob { view, loaded, units, .. } = job;
        let complete = |text: String| Some((text.into_bytes(), String::new()));
        match self {
            Export::StaticReport => {
                let (notes, pins) = (Notes::clone(&job.notes), job.pins.clone());
                return complete(html(&Report { notes, pins, ..Report::new(view, answers, *units)? }));
            }
            Export::Pprof => return pprof_file(&PprofPlan::new(view, &loaded.main.summary), &answers),
            _ => {}
        }
        match answers.pop()? {
            Answer::Histogram(histogram) => complete(histogram_csv(&histogram)),
            Answer::Table(table) => {
                let lacks = match table.n_rows - table.rows.len() {
                    0 => String::new(),
                    n => format!(" {} rows were left out. The CLI exports all rows.", count(n as u64)),
                };
                Some((table_csv(&table).into_bytes(), lacks))
            }
            Answer::Stacks(list) => {
                let profile = WeightedStacks::new(&list, view.measure);
                let mut bytes = Vec::new();
                let written = match self {
                    Export::Speedscope => speedscope(&profile, &mut bytes),
                    Export::Firefox => firefox(&profile, &mut bytes),
                    _ => folded(&profile, &mut bytes),
                };
                written.ok()?;
                Some((bytes, left_out(&profile)))
            }
            _ => None,
        }
    }
}

fn pprof_file(plan: &PprofPlan, answers: &[Answer]) -> Option<(Vec<u8>, String)> {
    let mut stacks: Vec<&dyn StackSource> = Vec::new();
    for answer in answers {
        let Answer::Stacks(list) = answer else { return None };
        stacks.push(list);
    }
    let mut bytes = Vec::new();
    pprof(plan, &stacks, &mut bytes).ok()?;
    let shown = plan.parts.iter().position(|part| part.of == plan.default)?;
    Some((bytes, left_out(&WeightedStacks::new(*stacks.get(shown)?, plan.parts[shown].view.measure))))
}

/// Says what an export of stacks merges, if anything.
fn left_out(profile: &WeightedStacks<'_>) -> String {
    let lacks = profile.merged_words();
    lacks.map_or_else(String::new, |lacks| format!(" {lacks}. The CLI exports everything."))
}

/// How an export queries the worker and reports its outcome to the user.
#[derive(Clone)]
pub struct Saving {
    pub channel: QueryChannel,
    pub report: Callback<Notice>,
}

pub fn save(export: Export, exported: &Exported, saving: Saving) {
    match export {
        Export::Report(content) => save_report(ReportJob::new(content, exported), exported, saving),
        _ => ExportJob::new(export, exported, saving).run(),
    }
}

/// Saves a report with source code.
pub fn save_with_sources(sources: SharedSources, exported: &Exported, saving: Saving) {
    let job = ReportJob::new(ReportContent::Everything, exported).with_sources(sources);
    save_report(job, exported, saving);
}

fn save_report(job: ReportJob, exported: &Exported, Saving { channel, report }: Saving) {
    report.emit(Notice::info("Creating the report…"));
    let is_anonymized = job.is_anonymized();
    let file_name = match is_anonymized {
        // A trace is often named after its program.
        true => "anonymized.report.html".to_owned(),
        false => exported.loaded.file_name("report.html"),
    };
    let lacks_notes = match is_anonymized && !exported.notes.is_empty() {
        true => " Notes were left out, because they may contain names.",
        false => "",
    };
    let on_done = report.reform(move |outcome: report::Outcome| {
        let saved = outcome.and_then(|(file, words)| match save_blob(&file_name, &file) {
            Ok(()) => Ok(format!("Saved {file_name}.{words}{lacks_notes}")),
            Err(_) => Err("The browser couldn't save the file.".to_owned()),
        });
        saved.map_or_else(Notice::problem, Notice::info)
    });
    spawn_local(job.run(channel.client, on_done));
}

/// An export in progress.
#[derive(Clone)]
struct ExportJob {
    export: Export,
    saving: Saving,
    view: View,
    notes: Rc<Notes>,
    loaded: Rc<Loaded>,
    units: Units,
    pins: Vec<Pin>,
    events: ListedEvents,
    requests: Rc<[Request]>,
    file_name: String,
}

impl ExportJob {
    fn new(export: Export, exported: &Exported, saving: Saving) -> ExportJob {
        let Exported { view_state, loaded, notes, units, .. } = exported;
        ExportJob {
            export,
            saving,
            view: view_state.query_view(),
            notes: Rc::clone(notes),
            loaded: Rc::clone(loaded),
            units: *units,
            pins: view_state.timeline.pins.clone(),
            events: ListedEvents { filter: view_state.filter(), kind: view_state.events.kind },
            requests: export.requests(view_state, &loaded.main.summary).into(),
            file_name: export.file_name(view_state, loaded),
        }
    }

    fn run(self) {
        match self.export {
            Export::Svg(which) => match pictures::as_svg(which) {
                Some(text) => self.offer(text.as_bytes(), ""),
                None => self.saving.report.emit(Notice::problem(NO_PICTURE)),
            },
            Export::Png(which) => pictures::as_png(which, move |blob| match blob {
                Some(blob) if save_blob(&self.file_name, &blob).is_ok() => self.say_saved(""),
                _ => self.saving.report.emit(Notice::problem(NO_PICTURE)),
            }),
            Export::Events => {
                let report =
                    self.saving.report.reform(|words: Result<_, _>| words.map_or_else(Notice::problem, Notice::info));
                save_events(&self.saving.channel, &self.events, self.file_name.clone(), report);
            }
            _ => self.ask_next(Vec::new()),
        }
    }

    /// Sends the next unanswered query, or saves the file once all are answered.
    fn ask_next(self, answers: Vec<Answer>) {
        let Some(request) = self.requests.get(answers.len()).cloned() else {
            return match self.export.file(&self, answers) {
                Some((bytes, left_out)) => self.offer(&bytes, &left_out),
                None => self.saving.report.emit(Notice::problem("The export failed.")),
            };
        };
        let channel = self.saving.channel.clone();
        let on_event = Callback::from(move |event: QueryEvent| match event {
            QueryEvent::Progress(_) => {}
            QueryEvent::Finished(Err(error)) => self.saving.report.emit(Notice::problem(error.text)),
            QueryEvent::Finished(Ok(answer)) => {
                let mut answers = answers.clone();
                answers.push((*answer).clone());
                self.clone().ask_next(answers);
            }
        });
        channel.query(request, on_event);
    }

    fn offer(&self, bytes: &[u8], left_out: &str) {
        match save_bytes(&self.file_name, bytes) {
            Ok(()) => self.say_saved(left_out),
            Err(_) => self.saving.report.emit(Notice::problem(TOO_LARGE)),
        }
    }

    fn say_saved(&self, left_out: &str) {
        self.saving.report.emit(Notice::info(format!("Saved {}.{left_out}", self.file_name)));
    }
}

const NO_PICTURE: &str = "There is no image to save yet.";
