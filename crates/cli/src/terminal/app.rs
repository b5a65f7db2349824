//! The terminal UI: state, responses and size. Events change it, it lists the requests it needs, and it draws itself.
//! The runner reads keys and files, and runs the queries.

use super::answers::Answers;
use super::colors::Colors;
use super::size::Size;
use super::source_code::SourceCode;
use super::state::State;
use super::tab::Tab;
use super::{completion, requests, tree};
use crate::follow::Found;
use camlscope_engine::protocol::{Answer, Error, Request};
use camlscope_engine::query::summary::Summary;
use camlscope_present::layout::color::ModuleColors;

#[derive(Debug)]
pub struct App {
    pub state: State,
    pub answers: Answers,
    pub source_code: SourceCode,
    /// The trace after it has grown. The current screen stays until it can be redrawn from this.
    next: Option<Next>,
    pub size: Size,
    pub colors: Colors,
    /// The colors of the modules in the open files.
    pub modules: ModuleColors,
}

#[derive(Debug)]
struct Next {
    summary: Box<Summary>,
    answers: Answers,
}

impl App {
    /// `size` is the width and height of the terminal.
    pub fn new(state: State, (width, height): (u16, u16), colors: Colors) -> App {
        let foot_rows = 1 + u16::from(state.follow.is_some());
        let size = Size { width, height, foot_rows };
        let (answers, source_code) = (Answers::default(), SourceCode::default());
        App { state, answers, source_code, next: None, size, colors, modules: ModuleColors::default() }
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = Size { width, height, ..self.size };
        self.settle();
    }

    /// Returns the next request that the screen needs.
    pub fn missing(&self) -> Option<Request> {
        match &self.next {
            None => self.missing_of(&self.state, &self.answers),
            Some(next) => {
                let state = State { summary: Some(next.summary.clone()), ..self.state.clone() };
                self.missing_of(&state, &next.answers)
            }
        }
    }

    fn missing_of(&self, state: &State, answers: &Answers) -> Option<Request> {
        let wanted = wanted(state, answers, self.size);
        wanted.into_iter().find(|request| answers.get(request).is_none())
    }

    /// Stores the response to a missing request.
    pub fn put(&mut self, request: Request, answer: Result<Box<Answer>, Error>) {
        let answers = self.next.as_mut().map_or(&mut self.answers, |next| &mut next.answers);
        answers.put(request, answer);
        self.settle();
    }

    /// Whether the screen shows everything that was read.
    pub fn is_settled(&self) -> bool {
        self.next.is_none()
    }

    /// Called when the trace is opened or has grown. Everything is queried again.
    pub fn refresh(&mut self, summary: Summary) {
        if self.state.summary.is_none() {
            self.state.opened(summary);
        } else {
            self.next = Some(Next { summary: Box::new(summary), answers: Answers::default() });
            self.settle();
        }
    }

    /// Handles the result of checking a live trace.
    pub fn on_found(&mut self, found: Found) {
        match found {
            Found::Nothing | Found::Same | Found::Part => {}
            Found::Grown(summary) => self.refresh(*summary),
            Found::Replaced => self.begin_again("the file was replaced"),
            Found::Shrunk => self.begin_again("the file got shorter"),
        }
    }

    fn begin_again(&mut self, why: &'static str) {
        self.next = None;
        self.answers.clear();
        self.state.begin_again(why);
    }

    /// Switches to the grown trace once the open screen can be drawn from it. Switches immediately if the current
    /// screen lacks a response, because the session only has the grown trace.
    pub(super) fn settle(&mut self) {
        if self.is_settled() || (self.missing().is_some() && self.missing_of(&self.state, &self.answers).is_none()) {
            return;
        }
        let Some(next) = self.next.take() else { return };
        let selected = self.selected_path();
        self.answers = next.answers;
        self.state.opened(*next.summary);
        if let Some(path) = selected {
            self.select_path(&path);
        }
    }
}

/// Returns all requests of the open screen, most important first.
fn wanted(state: &State, answers: &Answers, size: Size) -> Vec<Request> {
    if state.summary.is_none() {
        return Vec::new();
    }
    let of_tab = match state.editing.as_ref().or(state.source.as_ref()) {
        Some(source) => vec![requests::lines(state, &source.file), requests::source_files(state)],
        None => of_tab(state, answers, size),
    };
    // Completions come first, because the user is waiting for them.
    completion::request(state).into_iter().chain(of_tab).chain([requests::amounts(state)]).collect()
}

fn of_tab(state: &State, answers: &Answers, size: Size) -> Vec<Request> {
    match state.tab {
        Tab::Summary => vec![requests::summary(state), requests::findings(state)],
        Tab::Timeline => {
            let request = requests::timeline(state, size);
            let point = match answers.ok(&request) {
                Some(Answer::Timeline(timeline)) => Some(requests::point(state, timeline)),
                _ => None,
            };
            [request].into_iter().chain(point).collect()
        }
        Tab::Table => vec![requests::table(state, size)],
        Tab::Tree => tree::requests(state, answers),
        Tab::Flame => [requests::flame(state, size)].into_iter().chain(requests::find(state)).collect(),
        Tab::Histograms => {
            let histogram = requests::histogram(state);
            let sites = requests::sites_of_bar(state, answers);
            [histogram].into_iter().chain(sites).collect()
        }
        Tab::Leaks => vec![requests::growth(state)],
        Tab::Compare => vec![requests::comparison(state)],
    }
}
