//! The source view: code with figures per line, and the line that an editor opens.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use camlscope::terminal::source::Edit;
use camlscope::terminal::source_code::SourceCode;
use camlscope::terminal::tab::Tab;
use camlscope_testkit::fixtures;

use super::{ORDERS, PROFILE, SIZES, View};

/// A folder with `src/orders.ml` and `src/leak.ml`, older than all traces.
struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Project {
        let folder = std::env::temp_dir().join(format!("camlscope-source-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("src")).expect("a folder");
        let project = Project(folder);
        for file in ["orders.ml", "leak.ml"] {
            let source = fs::read_to_string(fixtures::folder().join("source").join(file)).expect("a fixture");
            project.write(file, &source, 1);
        }
        project
    }

    /// Writes a file that was last changed this many seconds after 1970.
    fn write(&self, file: &str, source: &str, at: u64) {
        let path = self.0.join("src").join(file);
        fs::write(&path, source).expect("written");
        let file = File::options().write(true).open(&path).expect("opened");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(at)).expect("changed");
    }

    fn view(&self, trace: &str, size: (u16, u16)) -> View {
        let mut view = View::new(trace, None, size);
        view.app.source_code = SourceCode::new(vec![self.0.clone()]);
        view
    }

    fn edit(&self, file: &str, line: u32) -> Option<Edit> {
        Some(Edit { path: self.0.join("src").join(file), line })
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl View {
    /// The line number in the heading.
    fn source_line(&mut self) -> u32 {
        let heading = self.lines()[3].clone();
        let (_, place) = heading.split_once(".ml:").unwrap_or_else(|| panic!("no source in {heading}"));
        place.split_whitespace().next().and_then(|line| line.parse().ok()).expect("a line")
    }
}

/// The lines that `annotate` prints for a whole file, by number, with single spaces.
fn annotated(project: &Project, trace: &str, file: &str, options: &[&str]) -> Vec<(u32, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_camlscope"));
    command.arg("annotate").arg(fixtures::folder().join(trace)).args([file, "--all", "--source"]).arg(&project.0);
    let output = command.args(options).output().expect("annotate runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (1..).zip(text.lines().skip(2)).map(|(number, line)| (number, squeezed(line))).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_source_of_a_site_has_the_figures_that_annotate_prints() {
    let project = Project::new("figures");
    for (trace, file, keys, options) in [
        (ORDERS, "orders.ml", "", &["--measure", "allocated"][..]),
        (ORDERS, "orders.ml", "m", &["--measure", "peak"]),
        (ORDERS, "orders.ml", "mffunction=Session\n", &["--measure", "peak", "--function", "Session"]),
        (PROFILE, "leak.ml", "", &["--measure", "end"]),
    ] {
        let mut view = project.view(trace, (250, 200));
        view.press(&format!("{keys}3g/{file}\n\n"));
        let expected = annotated(&project, trace, file, options);
        let lines = view.lines();
        assert!(lines[3].contains(&format!("src/{file}:")), "{}", lines[3]);
        let shown = &lines[5..5 + expected.len()];
        for ((number, expected), shown) in expected.iter().zip(shown) {
            assert_eq!(&squeezed(shown), expected, "line {number} of {file} with {options:?}");
        }
        let n_figures = expected.iter().filter(|(_, line)| line.contains('%')).count();
        assert!(n_figures > 5, "{file} with {options:?}");
    }
}

#[test]
fn enter_on_a_site_shows_its_line_in_every_list() {
    let project = Project::new("lists");
    for size in SIZES {
        let mut view = project.view(ORDERS, size);
        view.press("3g/Session.start\n\n");
        assert_eq!(view.source_line(), 86);
        view.line_with("let s = { id; basket = []");
        view.press("⎋");
        assert!(view.app.state.source.is_none() && view.app.state.tab == Tab::Table);
        view.press("→");
        view.line_with("callers of Orders");
        view.press("\n");
        assert!(view.source_line() > 86, "the site that calls it");
        for keys in ["7\n", "8\n", "5↓↓↓v"] {
            view.press(keys);
            assert!(view.app.state.source.is_some(), "{keys}:\n{}", view.text());
        }
    }
}

#[test]
fn a_function_or_file_shows_its_hottest_line() {
    let project = Project::new("hottest");
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3/Session.visit\nv");
    assert_eq!(view.source_line(), 88);
    view.line_with("let visit s page");
    view.press("⎋⎋/Server.serve\nv");
    assert_eq!(view.source_line(), 131, "of its two lines, this one has more");
    view.press("⎋⎋gg/orders.ml\nv");
    assert_eq!(view.source_line(), 144, "the main loop calls everything");
    view.press("⎋⎋g/Orders\nv");
    view.line_with("This row has no source file.");
    assert!(view.app.state.source.is_none());
}

#[test]
fn the_usual_keys_scroll_and_n_goes_to_hot_lines() {
    let project = Project::new("keys");
    for size in SIZES {
        let mut view = project.view(ORDERS, size);
        view.press("3g/Session.start\n\n");
        let share = |line: &str| line.split_whitespace().find_map(|word| word.strip_suffix('%')?.parse::<f64>().ok());
        let lines = annotated(&project, ORDERS, "orders.ml", &[]);
        let hot: Vec<u32> =
            lines.iter().filter(|(_, line)| share(line) >= Some(1.0)).map(|(number, _)| *number).collect();
        assert!(hot.len() > 10, "{hot:?}");
        let mut expected = view.source_line();
        for _ in 0..hot.len() + 2 {
            expected = hot.iter().copied().find(|&line| line > expected).unwrap_or(hot[0]);
            view.press("n");
            assert_eq!(view.source_line(), expected);
        }
        view.press("nN");
        assert_eq!(view.source_line(), expected);
        view.press("⇱");
        assert_eq!(view.source_line(), 1);
        view.press("↓↓↑j");
        assert_eq!(view.source_line(), 3);
        view.press("⇲");
        assert_eq!(view.source_line(), 149);
        view.line_with("149");
        view.press("⇱");
        let screen = view.lines();
        view.press("↓");
        assert_eq!(view.lines()[5..], screen[5..], "a step within the screen doesn't scroll");
    }
}

#[test]
fn escape_and_backspace_return_to_the_row_and_a_number_opens_another_screen() {
    let project = Project::new("back");
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g↓↓");
    let table = view.lines();
    view.press("\n⎋");
    assert_eq!(view.lines(), table);
    view.press("\n⌫");
    assert_eq!(view.lines(), table);
    view.press("\n5");
    assert!(view.app.state.source.is_none() && view.app.state.tab == Tab::Flame);
    view.press("⌫");
    assert!(view.app.state.source.is_some());
    view.click(18, 1);
    assert!(view.app.state.source.is_none());
}

#[test]
fn x_keeps_only_stacks_through_the_line() {
    let project = Project::new("only");
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/Session.start\n\n");
    let total = view.line_with("let s = { id").split("  ").nth(1).expect("a total").trim().to_owned();
    view.press("x");
    view.line_with("objects wit…” on the stack");
    assert!(view.lines()[2].contains(&format!("{total} of ")), "{}", view.lines()[2]);
}

#[test]
fn a_click_selects_a_line() {
    let project = Project::new("mouse");
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/Session.start\n\n⇱");
    view.click(40, 9);
    assert_eq!(view.source_line(), 5);
    view.click(40, 3);
    assert_eq!(view.source_line(), 5, "the heading isn't a line");
}

#[test]
fn a_source_that_is_missing_newer_or_another_one_is_reported() {
    let project = Project::new("problems");
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/buffer.ml\n\n");
    view.says("buffer.ml isn't in the --source folders.");
    view.line_with("MiB");
    view.press("e");
    assert_eq!(view.take_edit(), None);
    assert!(view.lines()[23].contains("buffer.ml isn't in the --source folders"), "{}", view.lines()[23]);

    let old = fs::read_to_string(project.0.join("src/orders.ml")).expect("read");
    project.write("orders.ml", &old, u64::from(u32::MAX));
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/Session.start\n\n");
    view.says("src/orders.ml was changed after the trace was recorded. Figures may be on the wrong lines.");

    let short: String = old.split_inclusive('\n').take(87).collect();
    project.write("orders.ml", &short, 1);
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/Session.start\n\n");
    view.says("lines with figures are past the end of");
    view.press("⎋⎋/Session.visit\n\n");
    assert_eq!(view.source_line(), 88);
    view.line_with("(past the end of the file)");
}

#[test]
fn a_line_without_figures_that_does_not_exist_is_reported() {
    let project = Project::new("no-line");
    project.write("orders.ml", "let () = ()\n", 1);
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/Session.start\n\nffunction=nowhere\n");
    view.says("src/orders.ml has no line 86, only 1 line. This isn't the file that was compiled.");
}

#[test]
fn without_source_folders_the_view_says_how_to_get_them() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("3g/Session.start\nv");
    view.line_with("Start with --source DIR to see source code: camlscope view --source . trace.ctf");
    view.press("e");
    view.line_with("Start with --source DIR");
    view.press("\n");
    view.line_with("callers of Orders");
}

#[test]
fn e_opens_the_line_of_the_row_or_of_the_source() {
    let project = Project::new("edit");
    let mut view = project.view(ORDERS, SIZES[0]);
    view.press("3g/Session.start\ne");
    assert_eq!(view.take_edit(), project.edit("orders.ml", 86));
    assert_eq!(view.take_edit(), None, "once is enough");
    assert!(view.app.state.source.is_none(), "the table is still there");
    view.press("\n↓↓e");
    assert_eq!(view.take_edit(), project.edit("orders.ml", 88));
    view.press("⎋⎋ggg/Session.visit\ne");
    assert_eq!(view.take_edit(), project.edit("orders.ml", 88), "of a function, its hottest line");
    view.press("1e");
    view.line_with("This row has no source file.");
}

#[test]
fn a_profile_has_lines_instead_of_functions() {
    let project = Project::new("profile");
    let mut view = project.view(PROFILE, SIZES[1]);
    view.press("3/leak.ml:2\n\n");
    assert_eq!(view.source_line(), 2);
    view.line_with("let mk n = List.init n");
    view.press("e");
    assert_eq!(view.take_edit(), project.edit("leak.ml", 2));
}

impl View {
    /// Checks that the screen has a text, wherever its lines break.
    fn says(&mut self, words: &str) {
        let text = squeezed(&self.text());
        assert!(text.contains(words), "no “{words}” in\n{}", self.text());
    }

    fn take_edit(&mut self) -> Option<Edit> {
        self.answer_all();
        self.app.take_edit()
    }
}
