//! The terminal UI on a test terminal: each screen at 80 × 24 and 200 × 60, with and without color. Nothing is drawn
//! outside the window (the test terminal would panic), and no name contains control characters.

mod browse;
mod flame;
mod follow;
mod histograms;
mod input;
#[cfg(unix)]
mod record;
mod source;
#[cfg(unix)]
mod tmux;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use camlscope::terminal::app::App;
use camlscope::terminal::colors::Colors;
use camlscope::terminal::draw::draw;
use camlscope::terminal::size::Size;
use camlscope::terminal::state::{Load, State};
use camlscope::terminal::tab::Tab;
use camlscope_engine::protocol::{self, Answer, Question, Request, Slot};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::timeline::By;
use camlscope_engine::query::tree::Grain;
use camlscope_engine::session::Session;
use camlscope_present::format::{self, Units};
use camlscope_testkit::fixtures::open_in;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

const SIZES: [(u16, u16); 2] = [(80, 24), (200, 60)];
const ORDERS: &str = "orders-1e-4-v2.ctf";
const PROFILE: &str = "spacetime-11710";

/// A UI of fixtures, with its session.
struct View {
    app: App,
    session: Session,
}

impl View {
    fn new(file: &str, other: Option<&str>, (width, height): (u16, u16)) -> View {
        let mut session = Session::new();
        let state = State::new(file.to_owned(), other.map(str::to_owned));
        let mut app = App::new(state, (width, height), Colors::True);
        app.refresh(load(&mut session, Slot::Main, file));
        if let Some(other) = other {
            app.state.opened_other(load(&mut session, Slot::Other, other));
        }
        View { app, session }
    }

    fn press(&mut self, keys: &str) {
        press(&mut self.app, &mut self.session, keys);
    }

    fn click(&mut self, column: u16, row: u16) {
        self.answer_all();
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.app.on_mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, false);
    }

    fn double_click(&mut self, column: u16, row: u16) {
        self.click(column, row);
        self.answer_all();
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.app.on_mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, true);
    }

    fn answer_all(&mut self) {
        answer_all(&mut self.app, &mut self.session);
    }

    /// Returns the lines of the screen, once everything is loaded.
    fn lines(&mut self) -> Vec<String> {
        self.answer_all();
        drawn(&self.app)
    }

    fn text(&mut self) -> String {
        self.lines().join("\n")
    }

    /// Returns the first line that contains these words.
    fn line_with(&mut self, words: &str) -> String {
        let text = self.text();
        text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("no {words} in\n{text}")).to_owned()
    }
}

fn answer_all(app: &mut App, session: &mut Session) {
    while let Some(request) = app.missing() {
        let answer = session.handle(&request).map(Box::new);
        app.put(request, answer);
    }
    let trace = camlscope_testkit::fixtures::folder().join(&app.state.name);
    app.read_missing_source([Some(&trace), None]);
}

/// Presses keys one at a time, each once everything is loaded.
fn press(app: &mut App, session: &mut Session, keys: &str) {
    for key in keys.chars() {
        answer_all(app, session);
        let code = match key {
            '\n' => KeyCode::Enter,
            '→' => KeyCode::Right,
            '←' => KeyCode::Left,
            '↓' => KeyCode::Down,
            '↑' => KeyCode::Up,
            '⇱' => KeyCode::Home,
            '⇲' => KeyCode::End,
            '\t' => KeyCode::Tab,
            '⌫' => KeyCode::Backspace,
            '⎋' => KeyCode::Esc,
            key => KeyCode::Char(key),
        };
        app.on_key(KeyEvent::new(code, KeyModifiers::NONE));
    }
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("opens");
    file.write_all(bytes).expect("writes");
}

fn fixture(file: &str) -> Vec<u8> {
    let path = camlscope_testkit::fixtures::folder().join(file);
    fs::read(path).expect("can't read the fixture")
}

fn load(session: &mut Session, slot: Slot, file: &str) -> Summary {
    open_in(session, slot, &fixture(file))
}

fn drawn(app: &App) -> Vec<String> {
    let Size { width, height, .. } = app.size;
    let buffer = buffer(app);
    let cell = |x: u16, y: u16| buffer[(x, y)].symbol().to_owned();
    (0..height).map(|y| (0..width).map(|x| cell(x, y)).collect::<String>().trim_end().to_owned()).collect()
}

fn buffer(app: &App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.size.width, app.size.height)).expect("the test's terminal");
    terminal.draw(|frame| draw(app, frame)).expect("it draws");
    terminal.backend().buffer().clone()
}

#[test]
fn every_screen_shows_its_figures_and_keys_at_both_sizes() {
    let screens: [(&str, &[&str]); 8] = [
        ("1", &["allocated", "peak", "live at the end", "•"]),
        ("2", &["live by function", "▲", "⣿"]),
        ("3", &["▾self", "total", "Orders"]),
        ("4", &["from sites to their callers", "minor", "major", "samples", "▸"]),
        ("5", &["from main to sites", "▏all", "▏Orders.Server.serve", "100% of all"]),
        ("6", &["8–15", "share", "▍", "90th percentile", "mostly from"]),
        ("7", &["verdict", "growing", "▁"]),
        ("8", &["before", "after", "verdict", "rows changed"]),
    ];
    for size in SIZES {
        let mut view = View::new(ORDERS, None, size);
        for (key, words) in screens {
            view.press(key);
            let text = view.text();
            for words in
                words.iter().chain(&["camlscope  orders", "? help", "1 Summary", "8 Compare", "bytes allocated"])
            {
                assert!(text.contains(words), "no {words} in\n{text}");
            }
            assert!(!text.contains("Loading"), "{text}");
        }
    }
}

#[test]
fn every_screen_shows_plain_names() {
    let mut view = View::new(ORDERS, Some("leak-1e-4-v3.ctf"), (200, 60));
    for tab in Tab::ALL {
        view.app.state.tab = tab;
        view.app.state.timeline.by = By::Grain(Grain::Site);
        let text = view.text();
        assert!(!text.contains("__") && !text.contains("Stdlib."), "{tab:?}:\n{text}");
    }
    view.app.state.tab = Tab::Tree;
    view.line_with("▸ Buffer.resize");
}

#[test]
fn screens_have_the_same_text_without_color() {
    for key in '1'..='8' {
        let mut view = View::new(ORDERS, None, SIZES[0]);
        view.press(&key.to_string());
        let colored = view.text();
        for colors in [Colors::None, Colors::Theme, Colors::Indexed] {
            view.app.colors = colors;
            assert_eq!(view.text(), colored);
        }
    }
}

#[test]
fn screens_can_be_drawn_at_any_size_while_loading_and_after() {
    for tab in Tab::ALL {
        for size in [(1, 1), (39, 9), (40, 10), (41, 12), (300, 100), (80, 10)] {
            let mut view = View::new(ORDERS, None, size);
            view.app.state.tab = tab;
            drawn(&view.app);
            view.lines();
            view.press("?");
            view.lines();
        }
    }
}

#[test]
fn the_table_sorts_searches_and_opens_callers() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("3");
    let first = view.lines()[4].clone();
    view.press("s");
    assert!(view.text().contains("▾total"));
    assert_ne!(view.lines()[4], first, "another order must have another first row");
    view.press("/session");
    assert!(view.lines()[23].starts_with("search: session"));
    view.press("\n");
    let rows = view.lines()[4..23].iter().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.to_lowercase().contains("session")), "{rows:?}");
    view.press("\n");
    assert!(view.text().contains("callers of Orders.Session."), "the function must be named:\n{}", view.text());
}

#[test]
fn the_tree_expands_collapses_inverts_and_hides_small_branches() {
    let mut view = View::new(ORDERS, None, SIZES[1]);
    view.press("4");
    let closed = view.lines();
    view.press("→");
    let open = view.lines();
    assert!(open[4].contains('▾') && closed[4].contains('▸'), "{}", open[4]);
    assert_ne!(open[5], closed[5], "the callers of the branch must be listed");
    view.press("↓←←");
    assert_eq!(view.lines(), closed, "← must go up to the branch and then close it");
    view.press("t⌫1000\n");
    let n_rows = |lines: &[String]| lines.iter().filter(|line| line.contains(['▸', '·'])).count();
    assert!(n_rows(&view.lines()) < n_rows(&closed));
    assert!(view.text().contains("more (threshold 1000)"), "{}", view.text());
    view.press("i");
    assert!(view.text().contains("from main to sites"));
}

#[test]
fn a_filter_uses_the_syntax_of_links_and_errors_are_explained() {
    let mut view = View::new(ORDERS, None, SIZES[1]);
    view.press("3");
    let whole = view.line_with("bytes allocated");
    view.press("fsize=257..\n");
    let filtered = view.line_with("bytes allocated");
    assert_ne!(filtered, whole);
    assert!(!filtered.contains("(100%)"), "{filtered}");
    view.press("f&sise=3\n");
    assert!(view.text().contains("unknown filter “sise”"), "{}", view.text());
    view.press("⎋");
    assert_eq!(view.line_with("bytes allocated"), filtered, "the previous filter must stay");
    view.press("c");
    assert_eq!(view.line_with("bytes allocated"), whole);
}

#[test]
fn the_timeline_has_a_cursor_a_range_and_layers() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("2");
    view.click(11, 8);
    view.press("[");
    view.click(45, 8);
    view.press("]");
    let axis = view.line_with("▲");
    assert!(axis.trim_start().starts_with("[═"), "{axis}");
    view.press("x");
    assert!(view.line_with("bytes allocated").contains("allocated"), "the range must become a filter");
    assert!(!view.line_with("bytes allocated").contains("(100%)"));
    view.press("\n");
    view.line_with("bytes live at");
    view.press("l");
    assert!(!view.text().contains("live by function"), "the layers must change");
}

/// Returns the amount at the cursor, as shown by the timeline.
fn amount_at_cursor(view: &mut View) -> String {
    view.line_with("live by").trim().split("  ").next().unwrap_or_default().replace(" live by function", "")
}

#[test]
fn the_timeline_shows_the_exact_amount_at_the_cursor() {
    for size in SIZES {
        let mut view = View::new(ORDERS, None, size);
        view.press("2");
        let summary = view.app.state.summary.clone().expect("it is open");
        let peak = Units::Binary.bytes(summary.peak.bytes);
        assert_eq!(amount_at_cursor(&mut view), peak);
        assert!(view.text().contains(" (peak)"), "{}", view.text());
        for column in [20, 33, 47, 60, 79] {
            view.click(column, 8);
            let at = When::At(view.app.state.cursor_us());
            let shown = amount_at_cursor(&mut view);
            assert_eq!(shown, live_at(&mut view.session, at), "at {at:?}");
        }
        view.press("P");
        assert_eq!(amount_at_cursor(&mut view), peak);
    }
}

#[test]
fn enter_and_marks_at_the_peak_select_the_peak() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("2A\n");
    assert_eq!(view.app.state.view.measure, Measure::Live(When::Peak));
    assert_eq!(view.app.state.times()[0], When::Peak);
}

/// Returns the live bytes that other commands report for a time.
fn live_at(session: &mut Session, at: When) -> String {
    let view = protocol::View { measure: Measure::Live(at), ..protocol::View::default() };
    match session.handle(&Request { view, question: Question::Amounts }) {
        Ok(Answer::Amounts(amounts)) => Units::Binary.bytes(amounts.passing.value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_timeline_zooms_at_the_cursor_and_back_out() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("2");
    let whole = view.lines();
    view.press("++");
    let zoomed = view.lines();
    assert!(zoomed[3..12] != whole[3..12] && view.text().contains("0 shows all"), "{}", view.text());
    for _ in 0..200 {
        view.press("←");
        view.lines();
    }
    assert!(view.line_with("▲").trim_start().starts_with('▲'), "the window must move with the cursor");
    view.press("0");
    assert_eq!(view.lines()[3..12], whole[3..12]);
}

#[test]
fn two_files_are_compared_and_clicks_change_screens() {
    let mut view = View::new(ORDERS, Some(ORDERS), SIZES[0]);
    view.click(70, 1);
    let text = view.text();
    assert!(text.contains("0 of") && text.contains("rows changed"), "{text}");
    assert!(text.contains("A orders-1e-4-v2.ctf  B orders"), "{text}");
    assert!(!text.contains("rates differ"), "{text}");
    view.click(2, 1);
    assert_eq!(view.app.state.tab, Tab::Summary);
}

#[test]
fn very_different_sampling_rates_show_a_warning() {
    let mut view = View::new(ORDERS, Some("tiny-1.0-v3.ctf"), (80, 24));
    view.press("8");
    let text = view.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The sampling rates differ by 10,000×"), "{text}");
    assert!(text.contains("live bytes aren't comparable."), "all of it must fit: {text}");
}

#[test]
fn every_screen_supports_profiles() {
    for size in SIZES {
        let mut view = View::new(PROFILE, None, size);
        for key in '1'..='8' {
            view.press(&key.to_string());
            let text = view.text();
            assert!(text.contains("Spacetime profile") && text.contains("bytes live at the end"), "{text}");
            assert!(!text.contains("Loading") && !text.contains("samples"), "{text}");
            // Without objects there are no histograms, which is explained.
            assert_eq!(text.contains("has no object sizes or lifetimes"), key == '6', "{text}");
        }
    }
}

#[test]
fn times_in_a_profile_are_snapshots() {
    let mut view = View::new(PROFILE, None, SIZES[0]);
    view.press("2");
    let snapshots = view.app.state.summary.as_ref().and_then(|summary| summary.profile.clone()).expect("a profile");
    let times: Vec<u64> = snapshots.snapshots.iter().map(|snapshot| snapshot.at_us).collect();
    view.click(30, 8);
    let at = times.iter().position(|us| *us == view.app.state.cursor_us()).expect("the cursor isn't on a snapshot");
    assert!(view.text().contains(&format!("at {}", format::elapsed_us(times[at]))), "{}", view.text());
    assert_eq!(amount_at_cursor(&mut view), Units::Binary.bytes(snapshots.snapshots[at].all_bytes()));
    view.press("→");
    assert_eq!(view.app.state.cursor_us(), times[at + 1]);
    view.press("←");
    assert_eq!(view.app.state.cursor_us(), times[at]);
    view.press("\n");
    assert_eq!(view.app.state.view.measure, Measure::Live(When::At(times[at])));
    assert!(matches!(view.app.state.times()[0], When::At(us) if times.contains(&us)));
    view.press("flive-at=1s\n");
    assert_eq!(view.app.state.view.filter.to_string(), "live-at=23.071ms");
}

#[test]
fn loading_shows_progress_and_a_preview() {
    let bytes = fixture(ORDERS);
    let mut session = Session::new();
    session.begin(Slot::Main, Some(bytes.len() as u64));
    session.push(&bytes[..bytes.len() / 2]).expect("it is a trace");
    for (width, height) in SIZES {
        let mut app = App::new(State::new(ORDERS.to_owned(), None), (width, height), Colors::None);
        let (progress, so_far) = (session.progress(), session.so_far().map(Box::new));
        app.state.load = Some(Load { name: ORDERS.to_owned(), progress, so_far });
        let text = drawn(&app).join("\n");
        for words in ["Reading orders-1e-4-v2.ctf", "50", "events", "██", "live so far: up to", "⣿"] {
            assert!(text.contains(words), "no {words} in\n{text}");
        }
    }
}

#[test]
fn the_summary_scrolls_to_show_everything() {
    let large: Vec<String> = View::new(ORDERS, None, SIZES[1]).lines();
    let facts = |lines: &[String]| -> Vec<String> {
        let name = |line: &String| line.chars().take(20).collect::<String>().trim().to_owned();
        let names = lines.iter().map(name).skip_while(|name| name != "allocated").filter(|name| !name.is_empty());
        names.take_while(|name| !name.starts_with('↓') && !name.starts_with('↑')).collect()
    };
    let mut view = View::new(ORDERS, None, SIZES[0]);
    assert!(view.text().contains("more lines"), "{}", view.text());
    assert!(facts(&view.lines()).len() < facts(&large).len());
    let mut seen = facts(&view.lines());
    for _ in 0..60 {
        view.press("↓");
        let lines = view.lines();
        let names = lines[3..].iter().map(|line| line.chars().take(20).collect::<String>().trim().to_owned());
        seen.extend(names.filter(|name| facts(&large).contains(name)));
    }
    assert!(facts(&large).iter().all(|name| seen.contains(name)), "{seen:?}");
    assert!(!view.text().contains("more line"), "scrolling must reach the end");
    view.press("⇱");
    assert_eq!(view.lines(), View::new(ORDERS, None, SIZES[0]).lines());
    // A long value is wrapped, not truncated.
    assert!(!view.text().contains('…'), "{}", view.text());
    view.press("↓\n");
    assert_eq!(view.app.state.tab, Tab::Tree, "the second finding must be shown");
}

#[test]
fn q_and_control_c_quit() {
    for key in [
        KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE),
        KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
    ] {
        let mut view = View::new("tiny-0.1-v2.ctf", None, SIZES[0]);
        view.app.on_key(key);
        assert!(view.app.state.is_ended);
    }
}
