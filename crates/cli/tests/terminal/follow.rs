//! The terminal UI on a trace that is written in parts. After each part, every screen must look as if the file had just
//! been opened, and the user's settings must stay.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use camlscope::follow::{Activity, Follower, Found};
use camlscope::terminal::app::App;
use camlscope::terminal::colors::Colors;
use camlscope::terminal::state::{FollowState, State};
use camlscope::terminal::tab::Tab;
use camlscope_engine::protocol::Slot;
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;
use camlscope_present::format::Units;
use camlscope_present::words::warnings;
use ratatui::style::Modifier;

use super::{ORDERS, SIZES, View, answer_all, append, buffer, drawn, fixture, press};
use camlscope_testkit::fixtures::open_in;
use camlscope_testkit::packets::packets;

const LEAK: &str = "leak-1e-4-v3.ctf";
const DOMAINS: &str = "domains-multi-1e-3-o5-v3.ctf";

/// A UI that follows its own file, which is deleted at the end.
struct Followed {
    app: App,
    follower: Follower,
    path: PathBuf,
}

impl Followed {
    fn new(name: &str, size: (u16, u16)) -> Followed {
        let path = std::env::temp_dir().join(format!("camlscope-view-{}-{name}.ctf", std::process::id()));
        let _ = fs::remove_file(&path);
        let mut state = State::new("growing.ctf".to_owned(), None);
        state.follow = Some(FollowState::default());
        let follower = Follower::new(&path, Budget::default());
        Followed { app: App::new(state, size, Colors::True), follower, path }
    }

    fn append(&self, bytes: &[u8]) {
        append(&self.path, bytes);
    }

    fn look(&mut self) -> Found {
        let found = self.follower.look().expect("can't read the file");
        self.app.on_found(found.clone());
        found
    }

    fn answer_all(&mut self) {
        answer_all(&mut self.app, self.follower.session());
    }

    fn press(&mut self, keys: &str) {
        press(&mut self.app, self.follower.session(), keys);
        self.answer_all();
    }

    fn text(&mut self) -> String {
        self.answer_all();
        drawn(&self.app).join("\n")
    }

    /// Returns the name in the selected row.
    fn selected(&mut self) -> String {
        self.answer_all();
        let buffer = buffer(&self.app);
        let is_selected = |y: u16| buffer[(30, y)].modifier.contains(Modifier::REVERSED);
        let row = (4..self.app.size.height).find(|y| is_selected(*y)).expect("a row is selected");
        let line = drawn(&self.app)[usize::from(row)].clone();
        line.split_whitespace()
            .find(|word| word.contains('.') && word.starts_with(char::is_uppercase))
            .expect("a name")
            .to_owned()
    }

    fn activity(&mut self, activity: Activity) {
        self.app.state.follow.as_mut().expect("it follows").activity = activity;
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns the same screen for a newly opened file with these bytes.
fn anew(app: &App, bytes: &[u8]) -> Vec<String> {
    let mut session = Session::new();
    let summary = open_in(&mut session, Slot::Main, bytes);
    let state = State { summary: None, ..app.state.clone() };
    let mut anew = App::new(state, (app.size.width, app.size.height), Colors::True);
    anew.refresh(summary);
    answer_all(&mut anew, &mut session);
    drawn(&anew)
}

/// Splits the trace into `n` parts of complete packets.
fn parts(bytes: &[u8], n: usize) -> Vec<Vec<u8>> {
    let all = packets(bytes);
    all.chunks(all.len().div_ceil(n)).map(<[_]>::concat).collect()
}

#[test]
fn after_each_part_every_screen_matches_a_newly_opened_file() {
    for (name, size) in [(LEAK, SIZES[0]), (DOMAINS, SIZES[1])] {
        let mut view = Followed::new(&format!("screens-{name}"), size);
        let mut written = Vec::new();
        for part in parts(&fixture(name), 4) {
            view.append(&part);
            written.extend(part);
            assert!(matches!(view.look(), Found::Grown(_)));
            for tab in Tab::ALL {
                view.app.state.tab = tab;
                view.answer_all();
                assert_eq!(drawn(&view.app), anew(&view.app, &written), "{name} {tab:?}, {} bytes", written.len());
            }
        }
    }
}

#[test]
fn settings_stay_while_a_trace_grows() {
    let mut view = Followed::new("stays", SIZES[0]);
    let all = parts(&fixture(ORDERS), 5);
    view.append(&all[0]);
    view.look();
    // An open branch, a typed filter, and a zoomed timeline with a range.
    view.press("4→↓→2fsize=2..\n[→→]++");
    let kept = view.app.state.clone();
    let [from, to] = kept.timeline.zoom.expect("zoomed");
    let mut written = all[0].clone();
    for part in &all[1..] {
        view.append(part);
        written.extend(part);
        view.look();
        view.answer_all();
        let now = State { summary: kept.summary.clone(), ..view.app.state.clone() };
        assert_eq!(now, kept, "everything but the trace must stay");
        assert!(view.app.state.end_us() > kept.end_us());
        assert_eq!(view.app.state.timeline.window(view.app.state.end_us()), [from, to]);
        assert_eq!(drawn(&view.app), anew(&view.app, &written));
    }
    view.press("0");
    let end_us = view.app.state.end_us();
    assert_eq!(view.app.state.timeline.window(end_us), [0, end_us], "the right edge must follow new data");
}

#[test]
fn the_selected_row_stays_selected_when_rows_move() {
    for keys in ["3↓↓", "4→↓", "7↓↓", "8↓↓"] {
        let mut view = Followed::new(&format!("row-{}", &keys[..1]), SIZES[1]);
        let all = parts(&fixture(ORDERS), 6);
        view.append(&all[0]);
        view.look();
        view.press(keys);
        let selected = view.selected();
        for part in &all[1..] {
            view.append(part);
            view.look();
            assert_eq!(view.selected(), selected, "{keys}");
        }
    }
}

#[test]
fn the_screen_stays_until_new_figures_are_ready() {
    let mut view = Followed::new("whole", SIZES[0]);
    let all = parts(&fixture(ORDERS), 2);
    for tab in Tab::ALL {
        view.app.state.tab = tab;
        let _ = fs::remove_file(&view.path);
        view.append(&all[0]);
        view.look();
        view.look();
        let before = view.text();
        view.append(&all[1]);
        assert!(matches!(view.look(), Found::Grown(_)));
        assert!(view.app.missing().is_some() && drawn(&view.app).join("\n") == before, "{tab:?}");
        let after = view.text();
        assert!(after != before && !after.contains("Loading"), "{after}");
    }
}

#[test]
fn follow_waits_for_the_file_and_reports_new_runs() {
    let mut view = Followed::new("runs", SIZES[0]);
    assert_eq!(view.look(), Found::Nothing);
    assert!(view.text().contains("Waiting for growing.ctf"), "{}", view.text());
    view.append(&fixture(LEAK));
    view.look();
    view.press("2→+fsize=2..\n");
    assert!(view.text().contains("following the program") && !view.text().contains("run 2"));
    for (name, words) in [(ORDERS, "run 2: the file was replaced"), ("tiny-1.0-v3.ctf", "run 3: the file got shorter")]
    {
        fs::write(&view.path, fixture(name)).expect("writes");
        assert!(matches!(view.look(), Found::Replaced | Found::Shrunk));
        assert!(view.text().contains("Waiting for"));
        assert!(matches!(view.look(), Found::Grown(_)));
        let text = view.text();
        assert!(text.contains(words) && text.contains("following the program"), "{text}");
        assert_eq!((view.app.state.timeline.cursor_us, view.app.state.timeline.zoom), (None, None), "times are reset");
        assert_eq!(view.app.state.view.filter.to_string(), "size=2..", "the filter must stay");
    }
}

#[test]
fn a_partial_packet_at_the_end_is_not_damage() {
    let bytes = fixture(LEAK);
    let mut view = Followed::new("cut", SIZES[1]);
    view.append(&bytes[..bytes.len() - 1000]);
    view.look();
    let warned = open_in(&mut Session::new(), Slot::Main, &bytes[..bytes.len() - 1000]).warnings;
    let text = warnings::text(&warned[0], Units::Binary);
    let words = text.split(' ').next().expect("a word");
    assert!(anew(&view.app, &bytes[..bytes.len() - 1000]).iter().any(|line| line.starts_with(words)));
    assert!(!view.text().lines().any(|line| line.starts_with(words)), "{}", view.text());
}

#[test]
fn the_status_line_shows_activity_and_verdicts_are_provisional() {
    let mut view = Followed::new("words", SIZES[0]);
    view.append(&fixture(LEAK));
    view.look();
    let (idle, key) = (Duration::from_millis(12_345), "p pause");
    for (activity, words, is_provisional) in [
        (Activity::Writing, "following the program", true),
        (Activity::Resting(idle), "no new data for 12.0 s: the program is idle", true),
        (Activity::Silent(idle), "no new data for 12.0 s: the program exited or is idle", true),
        (Activity::Ended, "the program exited", false),
    ] {
        view.activity(activity);
        for tab in ["1", "7"] {
            view.press(tab);
            let text = view.text();
            assert!(text.contains(words) && text.contains(key), "{text}");
            assert_eq!(text.contains("Provisional: "), is_provisional, "{text}");
        }
    }
    view.press("p");
    assert!(view.text().contains("paused") && view.text().contains("p resume"));
    view.press("?");
    assert!(view.text().contains("pause or resume"));
}

#[test]
fn a_program_that_has_only_begun_gets_no_advice_about_samples() {
    let mut view = View::new("empty-1e-6-v3.ctf", None, SIZES[0]);
    view.line_with("No samples: the program allocated less");
    view.app.state.follow = Some(FollowState::default());
    view.line_with("No samples yet.");
    assert!(!view.text().contains("No samples: "), "{}", view.text());
}
