use super::*;
use crate::Tab;
use crate::page::store::notice::Tone;
use crate::page::store::worker::WorkerFailure;
use camlscope_engine::protocol::{Error, FromWorker};
use camlscope_present::layout::timeline::Pin;

type State = super::State<()>;
type Action = super::Action<()>;

/// The first three loads.
const A: RequestId = RequestId(1);
const B: RequestId = RequestId(2);
const C: RequestId = RequestId(3);

fn after(actions: impl IntoIterator<Item = Action>) -> State {
    let mut state = State::default();
    for action in actions {
        state.apply(action);
    }
    state
}

/// The store assigns IDs to loads, so this must be the load with that ID.
fn began(id: RequestId) -> Action {
    began_in(Slot::Main, id)
}

fn began_in(slot: Slot, id: RequestId) -> Action {
    Action::LoadStarted { slot, name: format!("{}.ctf", id.0), source: TraceSource::Sample, is_second: false }
}

fn opened(id: RequestId) -> Action {
    opened_in(Slot::Main, id)
}

fn opened_in(slot: Slot, id: RequestId) -> Action {
    opened_as(slot, id, Summary::default())
}

fn opened_as(slot: Slot, id: RequestId, summary: Summary) -> Action {
    Action::WorkerMessage(FromWorker::Opened {
        id,
        slot,
        summary: Box::new(summary),
        names: ProminentNames::default(),
        timing: LoadTiming::default(),
        ends_inside_packet: false,
    })
}

fn opened_downsampled(id: RequestId) -> Action {
    opened_as(Slot::Main, id, Summary { downsampled: Some(2), ..Summary::default() })
}

fn failed(id: RequestId) -> Action {
    let error = Error::Unreadable("it is no longer there".to_owned());
    Action::WorkerMessage(FromWorker::Failed { id, error, still_open: true })
}

/// A ready worker has failed.
fn died(report: &str) -> Action {
    Action::WorkerFailed(WorkerFailure::new(true, report))
}

fn ran_out() -> Action {
    died("Uncaught RuntimeError: unreachable")
}

fn shown_notice(state: &State) -> (Tone, &str) {
    let notice = state.notice.as_ref().expect("a notice");
    (notice.tone, &notice.text)
}

#[test]
fn a_quick_load_never_shows_the_loading_screen() {
    let state = after([began(A)]);
    assert_eq!(state.screen_name(), "empty");
    let state = after([began(A), opened(A), Action::LoadShown { id: A }]);
    assert_eq!(state.screen_name(), "loaded");
    assert_eq!(state.load, None);
}

#[test]
fn a_slow_load_is_shown_until_it_is_opened() {
    let mut state = after([began(A), Action::LoadShown { id: A }]);
    assert_eq!(state.screen_name(), "loading");
    state.apply(opened(A));
    assert_eq!(state.screen_name(), "loaded");
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
}

#[test]
fn a_second_file_replaces_a_visible_load_without_leaving_the_loading_screen() {
    let state = after([began(A), Action::LoadShown { id: A }, began(B)]);
    assert_eq!(state.screen_name(), "loading");
    assert_eq!(state.load.map(|load| load.id), Some(B));
}

#[test]
fn stale_messages_change_nothing() {
    let progress = Progress { bytes_read: 7, ..Progress::default() };
    let state = after([
        began(A),
        began(B),
        Action::WorkerMessage(FromWorker::Progress { id: A, progress }),
        Action::WorkerMessage(FromWorker::Canceled { id: A, still_open: true }),
        opened(A),
        failed(A),
        Action::LoadShown { id: A },
    ]);
    assert_eq!(state, after([began(A), began(B)]));
}

#[test]
fn canceling_returns_to_the_open_trace() {
    let state = after([began(A), opened(A), began(B), Action::LoadShown { id: B }, Action::LoadCanceled { id: B }]);
    assert_eq!(state.screen_name(), "loaded");
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
}

#[test]
fn a_message_after_canceling_is_ignored() {
    let state = after([began(A), Action::LoadCanceled { id: A }, opened(A)]);
    assert_eq!(state.screen_name(), "empty");
}

#[test]
fn the_user_can_go_back_after_two_failures() {
    let mut state = after([began(A), opened(A), began(B), failed(B), began(C), failed(C)]);
    assert_eq!(state.screen_name(), "failed");
    state.apply(Action::WentBack);
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
}

#[test]
fn a_sample_that_cannot_be_fetched_fails_like_a_file() {
    let error =
        UserError { kind: "unreadable".to_owned(), text: "No.".to_owned(), advice: String::new(), offset: None };
    let state = after([began(A), Action::LoadFailed { id: A, error }]);
    assert_eq!(state.screen_name(), "failed");
}

#[test]
fn a_load_that_runs_out_of_memory_restarts_with_half_the_memory_and_a_notice() {
    let mut state = after([Action::WorkerChanged(WorkerState::Ready), began(A), ran_out()]);
    assert_eq!((state.screen_name(), state.worker.as_str()), ("loading", "dead"));
    let load = state.load.as_ref().expect("a load");
    assert_eq!((load.id, load.slot, load.name.as_str()), (B, Slot::Main, "1.ctf"));
    let retry = load.retry.as_ref().expect("a retry");
    assert!(retry.is_halved());
    assert!(retry.in_words().contains("ran out of memory") && retry.in_words().contains("half the memory"));

    state.apply(Action::WorkerChanged(WorkerState::default()));
    state.apply(opened_downsampled(B));
    assert_eq!((state.screen_name(), &state.load), ("loaded", &None));
    let (tone, text) = shown_notice(&state);
    assert_eq!(tone, Tone::Info);
    assert!(text.contains("half the memory") && text.contains("fewer samples"), "{text}");
}

#[test]
fn a_query_that_runs_out_of_memory_reopens_the_trace() {
    let mut state = after([began(A), opened(A), ran_out()]);
    assert_eq!(state.screen_name(), "loading");
    assert_eq!(state.loaded(), None);
    state.apply(opened(B));
    assert_eq!(state.loaded().map(|loaded| loaded.main.name.as_str()), Some("1.ctf"));
    let (_, text) = shown_notice(&state);
    assert!(!text.contains("fewer samples"), "nothing was downsampled: {text}");
    assert!(!text.contains("second trace"), "{text}");
}

#[test]
fn a_load_that_runs_out_of_memory_twice_fails_without_a_way_back() {
    let state = after([began(A), opened(A), began(B), ran_out(), ran_out()]);
    assert_eq!((state.screen_name(), &state.load), ("failed", &None));
    let Screen::Failed(failed) = &state.screen else { panic!("not failed") };
    assert_eq!((failed.name.as_str(), failed.error.kind.as_str(), &failed.before), ("2.ctf", "died", &None));
    assert!(failed.error.text.contains("ran out of memory again"), "{}", failed.error.text);
}

#[test]
fn a_query_that_runs_out_of_memory_twice_returns_to_the_start_screen() {
    let state = after([began(A), opened(A), ran_out(), opened(B), ran_out()]);
    assert_eq!((state.screen_name(), &state.load), ("empty", &None));
    let (tone, text) = shown_notice(&state);
    assert_eq!(tone, Tone::Problem);
    assert!(text.contains("ran out of memory again"), "{text}");
}

#[test]
fn a_file_opened_after_a_failed_retry_gets_its_own_retry() {
    let state = after([began(A), opened(A), ran_out(), ran_out(), began(C), ran_out()]);
    assert_eq!(state.load.map(|load| load.name), Some("3.ctf".to_owned()));
}

#[test]
fn reopening_the_first_trace_closes_the_second_with_a_notice() {
    let compared = [began(A), opened(A), began_in(Slot::Other, B), opened_in(Slot::Other, B)];
    let being_opened = [began(A), opened(A), began_in(Slot::Other, B)];
    for actions in [compared.to_vec(), being_opened.to_vec()] {
        let state = after(actions.into_iter().chain([ran_out(), opened(C)]));
        let loaded = state.loaded().expect("loaded");
        assert_eq!((loaded.main.name.as_str(), &loaded.other), ("1.ctf", &None));
        assert!(shown_notice(&state).1.contains("second trace was closed"));
    }
}

#[test]
fn canceling_a_retry_returns_to_the_start_screen() {
    let state = after([began(A), opened(A), ran_out(), Action::LoadCanceled { id: B }]);
    assert_eq!((state.screen_name(), state.load), ("empty", None));
}

#[test]
fn a_bug_reopens_the_trace_with_all_samples_and_shows_its_message() {
    let bug = || died("Uncaught Error: panicked at src/load.rs:3:1: index out of bounds");
    let mut state = after([began(A), opened(A), bug()]);
    let retry = state.load.as_ref().and_then(|load| load.retry.as_ref()).expect("a retry");
    assert!(!retry.is_halved());
    assert!(retry.in_words().contains("analysis stopped"));
    state.apply(opened(B));
    assert!(shown_notice(&state).1.contains("src/load.rs:3:1: index out of bounds"));
    state.apply(bug());
    assert_eq!(state.screen_name(), "empty");
    assert!(shown_notice(&state).1.contains("analysis stopped again because of a bug in camlscope"));
}

#[test]
fn an_idle_worker_that_fails_shows_the_start_screen_and_a_notice() {
    let state = after([ran_out()]);
    assert_eq!((state.screen_name(), state.load.is_none()), ("empty", true));
    assert_eq!(shown_notice(&state).0, Tone::Problem);
}

#[test]
fn there_is_no_way_back_after_the_worker_fails() {
    let mut state = after([began(A), opened(A), began(B), failed(B), ran_out()]);
    assert_eq!(state.screen_name(), "failed");
    assert_eq!(shown_notice(&state).0, Tone::Problem);
    state.apply(Action::WentBack);
    assert_eq!(state.screen_name(), "empty");
}

#[test]
fn a_worker_that_cannot_start_is_not_restarted_automatically() {
    let not_started = || Action::WorkerFailed(WorkerFailure::new(false, ""));
    let state = after([not_started()]);
    assert_eq!(state.screen_name(), "empty");
    assert!(shown_notice(&state).1.contains("couldn't start"));
    let state = after([began(A), not_started()]);
    assert_eq!((state.screen_name(), state.load), ("failed", None));
}

#[test]
fn out_of_memory_errors_of_all_browsers_are_recognized() {
    let reports = [
        "Uncaught RuntimeError: unreachable",
        "RuntimeError: unreachable executed",
        "Unreachable code should not be executed",
        "Uncaught RangeError: Array buffer allocation failed",
        "uncaught exception: out of memory",
        "panicked at library: capacity overflow",
    ];
    for report in reports {
        assert_eq!(WorkerFailure::new(true, report), WorkerFailure::OutOfMemory, "{report}");
    }
    assert_eq!(WorkerFailure::new(true, "Uncaught Error: no"), WorkerFailure::Stopped("no".to_owned()));
}

#[test]
fn a_late_worker_shows_a_notice_until_it_is_ready() {
    let late = Action::WorkerChanged(WorkerState::Starting { late: true });
    let mut state = after([late]);
    assert_eq!(state.worker.as_str(), "starting");
    assert!(state.notice.as_ref().is_some_and(|notice| notice.text.contains("slow to start")));
    state.apply(Action::WorkerMessage(FromWorker::Ready));
    assert_eq!((state.worker.as_str(), state.notice), ("ready", None));
}

#[test]
fn the_next_file_clears_the_notice() {
    let notice = Notice::info("Took the first.".to_owned());
    assert_eq!(after([Action::NoticeShown(notice.clone()), began(A)]).notice, None);
    assert_eq!(after([Action::NoticeShown(notice), Action::NoticeDismissed]).notice, None);
}

#[test]
fn settings_outlive_the_trace_and_the_selection_does_not() {
    let select = Action::View(ViewAction::Select(Some(Default::default())));
    let mut state = after([Action::View(ViewAction::Tab(Tab::Leaks)), select.clone(), began(A), opened(A)]);
    assert!(state.view.selected.is_some(), "the view of a link is about the first trace that is opened");
    [began(B), Action::LoadShown { id: B }, opened(B)].into_iter().for_each(|action| state.apply(action));
    assert_eq!((state.view.tab, &state.view.selected), (Tab::Leaks, &None));
    [select, ran_out(), opened(C)].into_iter().for_each(|action| state.apply(action));
    assert!(state.view.selected.is_some(), "the same trace was opened again");
}

#[test]
fn only_actions_with_a_history_entry_count_as_steps() {
    let quick = after([
        Action::View(ViewAction::Tab(Tab::Table)),
        Action::View(ViewAction::TabBeside { by: -1, tabs: &Tab::ALL }),
    ]);
    assert_eq!(quick.view.tab, Tab::Flame, "a bracket right after a digit");
    let state = after([Action::View(ViewAction::Tab(Tab::Table)), Action::View(ViewAction::Search("map".to_owned()))]);
    assert_eq!((state.n_steps, state.n_navigations), (1, 0));
    let back = Action::Navigated { view: Box::default(), trace: None };
    let state = after([Action::View(ViewAction::Tab(Tab::Table)), back]);
    assert_eq!((state.view.tab, state.n_steps, state.n_navigations), (Tab::Summary, 1, 1));
}

#[test]
fn a_second_trace_opens_the_compare_tab() {
    let state = after([began(A), opened(A), began_in(Slot::Other, B), opened_in(Slot::Other, B)]);
    assert_eq!((state.view.tab, state.n_steps), (Tab::Compare, 1));
}

fn opened_at(slot: Slot, id: RequestId, start_time_us: u64) -> Action {
    let info = camlscope_engine::query::summary::InfoSummary { start_time_us, ..Default::default() };
    opened_as(slot, id, Summary { info, ..Summary::default() })
}

fn began_second() -> Action {
    Action::LoadStarted { slot: Slot::Other, name: "2.ctf".to_owned(), source: TraceSource::Sample, is_second: true }
}

fn names(state: &State) -> (&str, Option<&str>) {
    let loaded = state.loaded().expect("a trace");
    (&loaded.main.name, loaded.other.as_ref().map(|other| other.name.as_str()))
}

#[test]
fn two_traces_can_be_swapped_and_the_second_closed() {
    let mut state = after([began(A), opened(A), began_in(Slot::Other, B), opened_in(Slot::Other, B)]);
    assert_eq!(names(&state), ("1.ctf", Some("2.ctf")));
    let generation = state.generation;
    state.apply(Action::Swapped);
    assert_eq!(names(&state), ("2.ctf", Some("1.ctf")));
    assert!(state.generation > generation, "responses for the old order are outdated");
    state.apply(Action::OtherClosed);
    assert_eq!(names(&state), ("2.ctf", None));
    state.apply(Action::Swapped);
    assert_eq!(names(&state), ("2.ctf", None));
}

#[test]
fn the_older_of_two_dropped_files_is_first_unless_the_link_swaps_them() {
    let wants_swap = |state: &State| state.loaded().is_some_and(|loaded| loaded.wants_swap);
    let both = |first_us, second_us| {
        [began(A), opened_at(Slot::Main, A, first_us), began_second(), opened_at(Slot::Other, B, second_us)]
    };
    assert!(!wants_swap(&after(both(1, 2))));
    assert!(wants_swap(&after(both(2, 1))));
    let newer_first = Action::View(ViewAction::Compare(CompareAction::NewerFirst(true)));
    assert!(wants_swap(&after([newer_first.clone()].into_iter().chain(both(1, 2)))));
    assert!(!wants_swap(&after([newer_first].into_iter().chain(both(2, 1)))));
}

#[test]
fn the_link_keeps_the_order_that_the_user_chose() {
    let order = |actions: Vec<Action>| after(actions).view.compare.is_newer_first;
    let opened_one_by_one =
        vec![began(A), opened_at(Slot::Main, A, 2), began_in(Slot::Other, B), opened_at(Slot::Other, B, 1)];
    assert!(order(opened_one_by_one.clone()));
    assert!(!order([opened_one_by_one, vec![Action::Swapped]].concat()));
}

#[test]
fn notes_belong_to_one_trace_and_survive_a_worker_failure_and_a_second_trace() {
    let notes = Notes { title: "Look at 45 s".to_owned(), remarks: "Or at 46 s".to_owned() };
    let pin = Pin::new(45_000_000, "Here");
    let pinned = Action::View(ViewAction::Pin(pin.clone()));
    let written = [Action::TitleWritten(notes.title.clone()), Action::RemarksWritten(notes.remarks.clone()), pinned];
    let mut state = after([began(A), opened(A)].into_iter().chain(written));
    [began_in(Slot::Other, B), opened_in(Slot::Other, B)].into_iter().for_each(|action| state.apply(action));
    assert_eq!(*state.notes, notes);
    [ran_out(), opened(C)].into_iter().for_each(|action| state.apply(action));
    assert_eq!((&*state.notes, &state.view.timeline.pins), (&notes, &vec![pin]));
    let fourth = RequestId(4);
    [began(fourth), opened(fourth)].into_iter().for_each(|action| state.apply(action));
    assert!(state.notes.is_empty() && state.view.timeline.pins.is_empty());
}
