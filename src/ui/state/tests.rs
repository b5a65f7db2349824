use super::*;

const A: RequestId = RequestId(1);
const B: RequestId = RequestId(2);

fn after(actions: impl IntoIterator<Item = Action>) -> State {
    let mut state = State::default();
    for action in actions {
        state.apply(action);
    }
    state
}

fn began(id: RequestId) -> Action {
    Action::Began { id, name: format!("{}.ctf", id.0), source: Source::File }
}

fn opened(id: RequestId) -> Action {
    Action::Heard(FromWorker::Opened { id, slot: Slot::Main, summary: Box::default(), timing: LoadTiming::default() })
}

fn failed(id: RequestId) -> Action {
    let error =
        UserError { kind: "not-a-trace".to_owned(), text: "No trace.".to_owned(), advice: String::new(), offset: None };
    Action::Heard(FromWorker::Failed { id, error, still_open: true })
}

fn died(report: &str) -> Action {
    Action::WorkerDied { started: true, report: report.to_owned() }
}

#[test]
fn a_quick_load_never_shows_the_loading_screen() {
    let state = after([began(A)]);
    assert_eq!(state.word(), "empty");
    let state = after([began(A), opened(A), Action::Lingered { id: A }]);
    assert_eq!(state.word(), "loaded");
    assert_eq!(state.load, None);
}

#[test]
fn a_load_that_lingers_is_shown_until_it_is_opened() {
    let mut state = after([began(A), Action::Lingered { id: A }]);
    assert_eq!(state.word(), "loading");
    state.apply(opened(A));
    assert_eq!(state.word(), "loaded");
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
}

#[test]
fn a_second_file_replaces_a_visible_load_without_leaving_the_loading_screen() {
    let state = after([began(A), Action::Lingered { id: A }, began(B)]);
    assert_eq!(state.word(), "loading");
    assert_eq!(state.load.map(|load| load.id), Some(B));
}

#[test]
fn stale_answers_change_nothing() {
    let progress = Progress { bytes_read: 7, ..Progress::default() };
    let state = after([
        began(A),
        began(B),
        Action::Heard(FromWorker::Progress { id: A, progress }),
        Action::Heard(FromWorker::Cancelled { id: A, still_open: true }),
        opened(A),
        failed(A),
        Action::Lingered { id: A },
    ]);
    assert_eq!(state, after([began(B)]));
}

#[test]
fn cancelling_returns_to_what_was_open() {
    let state = after([began(A), opened(A), began(B), Action::Lingered { id: B }, Action::GaveUp { id: B }]);
    assert_eq!(state.word(), "loaded");
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
}

#[test]
fn an_answer_after_the_cancel_is_dropped() {
    let state = after([began(A), Action::GaveUp { id: A }, opened(A)]);
    assert_eq!(state.word(), "empty");
}

#[test]
fn from_a_failure_one_can_go_back_even_over_two_failures() {
    let third = RequestId(3);
    let mut state = after([began(A), opened(A), began(B), failed(B), began(third), failed(third)]);
    assert_eq!(state.word(), "failed");
    state.apply(Action::WentBack);
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
}

#[test]
fn a_sample_that_cannot_be_fetched_fails_like_a_file() {
    let error =
        UserError { kind: "unreadable".to_owned(), text: "No.".to_owned(), advice: String::new(), offset: None };
    let state = after([began(A), Action::Missed { id: A, error }]);
    assert_eq!(state.word(), "failed");
}

#[test]
fn a_worker_that_dies_while_loading_fails_that_load() {
    let mut state = after([Action::Worker(WorkerState::Ready), began(A), died("Uncaught RuntimeError: unreachable")]);
    assert_eq!((state.word(), state.worker.word()), ("failed", "dead"));
    let Screen::Failed(failed) = &state.screen else { panic!("not failed") };
    assert_eq!(failed.error.kind, "died");
    assert!(failed.error.text.contains("out of memory"), "{}", failed.error.text);
    state.apply(Action::Worker(WorkerState::default()));
    assert_eq!((state.word(), state.worker.word()), ("failed", "starting"));
}

#[test]
fn a_panic_is_told_as_a_bug_with_its_text() {
    let state = after([began(A), died("Uncaught Error: panicked at src/load.rs:3:1: index out of bounds")]);
    let Screen::Failed(failed) = &state.screen else { panic!("not failed") };
    assert!(failed.error.text.contains("bug in camlscope"));
    assert!(failed.error.text.contains("src/load.rs:3:1: index out of bounds"));
}

#[test]
fn a_worker_that_dies_idle_leaves_the_screen_and_a_notice() {
    let state = after([Action::WorkerDied { started: false, report: String::new() }]);
    assert_eq!(state.word(), "empty");
    let notice = state.notice.expect("a notice");
    assert_eq!(notice.tone, Tone::Problem);
    assert!(notice.text.contains("could not be started"), "{}", notice.text);
}

#[test]
fn a_late_worker_is_told_of_until_it_comes() {
    let late = Action::Worker(WorkerState::Starting { late: true });
    let mut state = after([late]);
    assert_eq!(state.worker.word(), "starting");
    assert!(state.notice.as_ref().is_some_and(|notice| notice.text.contains("slow to start")));
    state.apply(Action::Heard(FromWorker::Ready));
    assert_eq!((state.worker.word(), state.notice), ("ready", None));
}

#[test]
fn the_next_file_clears_the_notice() {
    let notice = Notice { tone: Tone::Info, text: "Took the first.".to_owned() };
    assert_eq!(after([Action::Noticed(notice.clone()), began(A)]).notice, None);
    assert_eq!(after([Action::Noticed(notice), Action::Dismissed]).notice, None);
}
