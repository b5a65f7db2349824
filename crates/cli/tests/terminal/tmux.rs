//! The UI in a real terminal (tmux). The tests send keys and read the screen, and check that the terminal is restored
//! however the program ends. They don't sleep for fixed times, but poll until the expected text appears.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use camlscope::terminal::run::on_terminal;

use super::{ORDERS, append, fixture};
use camlscope_testkit::fixtures;
use camlscope_testkit::packets::packets;

pub const CAMLSCOPE: &str = env!("CARGO_BIN_EXE_camlscope");
const PROMPT: &str = "ready>";
/// Longer than any step takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A shell in a terminal of 80 × 24, with its own folder.
pub struct Shell {
    socket: String,
    pub folder: PathBuf,
    n_commands: usize,
}

impl Shell {
    /// Returns `None` if tmux is missing, which is an error in CI.
    pub fn start(name: &str) -> Option<Shell> {
        let is_there =
            Command::new("tmux").arg("-V").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_there {
            assert!(std::env::var_os("CI").is_none(), "tmux is missing: `cargo xtask test` installs it");
            eprintln!("skipped, because tmux is missing: {name}");
            return None;
        }
        let socket = format!("camlscope-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(&socket);
        fs::create_dir_all(&folder).expect("a folder");
        let shell = Shell { socket, folder, n_commands: 0 };
        shell.tmux(&[
            "-u",
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "80",
            "-y",
            "24",
            "env -u ENV PS1='ready> ' sh",
        ]);
        shell.wait_for(PROMPT);
        Some(shell)
    }

    pub fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").env("LC_ALL", "C.UTF-8").current_dir(&self.folder);
        let output = command.args(["-L", &self.socket]).args(args).output().expect("tmux runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub fn wait_for(&self, words: &str) -> String {
        self.wait_until(words, |screen| screen.contains(words))
    }

    pub fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "no {what} in\n{screen}");
            sleep(Duration::from_millis(20));
        }
    }

    pub fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Types a command. It prints its status when it ends.
    pub fn begin(&mut self, command: &str) {
        self.n_commands += 1;
        self.tmux(&["send-keys", "-l", &format!("{command}; echo ended {} $?", self.n_commands)]);
        self.press("Enter");
    }

    /// Waits for the command to end, and for the next prompt.
    pub fn ended(&self, status: i32) -> String {
        let words = format!("ended {} {status}\n{PROMPT}", self.n_commands);
        self.wait_for(&words)
    }

    /// Returns the terminal settings that a program can change.
    pub fn modes(&mut self) -> String {
        self.begin("stty -a > modes");
        self.ended(0);
        let stty = fs::read_to_string(self.folder.join("modes")).expect("no output of stty");
        let flags =
            "#{cursor_flag} #{alternate_on} #{mouse_any_flag} #{keypad_flag} #{keypad_cursor_flag} #{wrap_flag}";
        stty + &self.tmux(&["display-message", "-p", flags])
    }

    /// Sends a signal to the running UI, whose pid is in a file.
    fn signal(&self, name: &str) {
        let pid = fs::read_to_string(self.folder.join("pid")).expect("no pid file");
        assert!(Command::new("kill").args([name, pid.trim()]).status().expect("kill runs").success());
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).stderr(Stdio::null()).status();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A command that writes its pid to a file and then becomes the UI of a fixture.
fn view(name: &str) -> String {
    format!("sh -c 'echo $$ > pid; exec {CAMLSCOPE} view {}'", fixtures::folder().join(name).display())
}

#[test]
fn every_screen_opens_and_q_restores_the_terminal() {
    let Some(mut shell) = Shell::start("screens") else { return };
    let before = shell.modes();
    shell.begin(&view(ORDERS));
    shell.wait_for("The heap keeps growing");
    for (key, words) in [
        ("2", "live by function"),
        ("3", "▾self"),
        ("4", "from sites to their callers"),
        ("Right", "▾ Buffer.resize"),
        ("5", "▏Orders.Server.serve"),
        ("6", "90th percentile"),
        ("7", "The heap keeps growing"),
        ("8", "rows changed"),
        ("?", "Press any key"),
        ("Escape", "rows changed"),
        ("1", "The heap keeps growing"),
    ] {
        shell.press(key);
        shell.wait_for(words);
    }
    shell.tmux(&["resize-window", "-x", "120", "-y", "40"]);
    shell.wait_until("more room", |screen| screen.contains("deepest stack") && screen.contains("? help"));
    shell.tmux(&["resize-window", "-x", "80", "-y", "24"]);
    shell.wait_for("more lines");
    shell.press("q");
    let screen = shell.ended(0);
    assert!(screen.contains("stty -a") && !screen.contains("camlscope  orders"), "what was there before: {screen}");
    assert_eq!(shell.modes(), before);
}

#[test]
fn signals_and_control_c_restore_the_terminal() {
    let Some(mut shell) = Shell::start("signals") else { return };
    let before = shell.modes();
    // A signal ends it with 128 and the number of the signal, as shells report it. Ctrl+C is a key, like q.
    for (signal, status) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129), ("C-c", 0)] {
        shell.begin(&view(ORDERS));
        shell.wait_for("The heap keeps growing");
        if signal == "C-c" {
            shell.press(signal)
        } else {
            shell.signal(signal)
        }
        let screen = shell.ended(status);
        assert!(!screen.contains("The heap keeps growing"), "{screen}");
        assert_eq!(shell.modes(), before, "{signal}");
        shell.begin("clear");
        shell.ended(0);
    }
}

#[test]
fn control_z_suspends_and_fg_brings_everything_back() {
    let Some(mut shell) = Shell::start("suspend") else { return };
    let before = shell.modes();
    shell.begin(&view(ORDERS));
    shell.wait_for("The heap keeps growing");
    shell.press("3");
    // The last row of the table is drawn last.
    let shown = shell.wait_for("List.filter_map.aux");
    shell.press("C-z");
    // The shell goes on after the command: 128 + SIGTSTP.
    let stopped =
        shell.wait_until("a stopped job", |screen| screen.contains("ended 2 148") && screen.contains("Stopped"));
    assert!(!stopped.contains("▾self"), "{stopped}");
    assert_eq!(shell.modes(), before, "the shell must get its terminal back");
    shell.begin("fg");
    shell.wait_until("the same screen", |screen| screen == shown);
    shell.press("5");
    shell.wait_for("▏Orders.Server.serve");
    shell.press("q");
    shell.ended(0);
    assert_eq!(shell.modes(), before);
}

#[test]
fn clicks_and_keys_walk_through_the_flame_graph() {
    let Some(mut shell) = Shell::start("flame") else { return };
    shell.begin(&view("typecore-1e-4-v2.ctf"));
    shell.wait_for("594 MiB");
    shell.press("5");
    let whole = shell.wait_for("frames in a row");
    // The second row of boxes, as the terminal reports a left click there: at column 3 of line 6.
    let click = |shell: &Shell| shell.tmux(&["send-keys", "-l", "\x1b[<0;3;6M\x1b[<0;3;6m"]);
    click(&shell);
    shell.wait_until("the selected frames", |screen| screen.matches("frames in a row").count() == 2);
    shell.press("Down");
    let selected = shell.wait_until("the next row", |screen| screen.matches("frames in a row").count() == 1);
    assert!(selected.contains("% of all"), "{selected}");
    shell.press("Enter");
    shell.wait_for("all › ");
    shell.press("BSpace");
    shell.wait_until("the whole graph", |screen| {
        !screen.contains("all › ") && screen.lines().nth(4) == whole.lines().nth(4)
    });
    click(&shell);
    click(&shell);
    // A double click gives the frames their own rows.
    shell.wait_until("all frames", |screen| !screen.contains("frames in a row"));
    shell.press("q");
    shell.ended(0);
}

#[test]
fn the_program_exits_when_its_terminal_closes() {
    let Some(mut shell) = Shell::start("gone") else { return };
    shell.begin(&view(ORDERS));
    shell.wait_for("The heap keeps growing");
    let pid = fs::read_to_string(shell.folder.join("pid")).expect("no pid file");
    shell.tmux(&["kill-server"]);
    let is_running = || {
        let mut kill = Command::new("kill");
        kill.args(["-0", pid.trim()]).stderr(Stdio::null()).status().expect("kill runs").success()
    };
    let began = Instant::now();
    while is_running() {
        assert!(began.elapsed() < PATIENCE, "it still runs without a terminal");
        sleep(Duration::from_millis(20));
    }
}

/// Run by the test below in a terminal: the UI's own wrapper around code that panics.
#[test]
#[ignore = "the next test runs it, in a terminal"]
fn panics_in_a_view() {
    let _ = on_terminal(|terminal| -> Result<(), _> {
        terminal.draw(|frame| frame.render_widget("the view", frame.area()))?;
        panic!("on purpose");
    });
}

#[test]
fn a_panic_restores_the_terminal_and_shows_its_message() {
    let Some(mut shell) = Shell::start("panic") else { return };
    let before = shell.modes();
    let program = std::env::current_exe().expect("this test");
    shell.begin("clear");
    shell.ended(0);
    let program = program.to_str().expect("UTF-8");
    shell.begin(&format!("RUST_BACKTRACE=0 {program} --ignored --exact tmux::panics_in_a_view --nocapture"));
    let screen = shell.ended(101);
    assert!(screen.contains("\non purpose") && !screen.contains("the view"), "{screen}");
    assert_eq!(shell.modes(), before);
}

#[test]
fn a_dumb_terminal_is_rejected() {
    let Some(mut shell) = Shell::start("dumb") else { return };
    shell.begin(&format!("TERM=dumb {CAMLSCOPE} view {} 2> words", fixtures::folder().join(ORDERS).display()));
    shell.ended(2);
    let words = fs::read_to_string(shell.folder.join("words")).expect("no output");
    assert!(words.contains("TERM=dumb") && words.contains("doesn't work in this terminal"), "{words}");
}

#[test]
fn follow_starts_before_the_file_exists_and_continues_with_the_next_run() {
    let Some(mut shell) = Shell::start("follow") else { return };
    let (bytes, path) = (fixture("leak-1e-4-v3.ctf"), shell.folder.join("run.ctf"));
    let all = packets(&bytes);
    let (first, rest) = all.split_at(all.len() / 2);
    shell.begin(&format!("{CAMLSCOPE} view --follow --every 50ms run.ctf"));
    shell.wait_for("Waiting for run.ctf");
    append(&path, &first.concat());
    shell.wait_for("following the program");
    let halfway = shell.wait_for("pid 12940");
    assert!(halfway.contains("Provisional") && !halfway.contains("3.25 s"), "{halfway}");
    shell.press("2");
    shell.wait_for("live by function");
    shell.press("p");
    shell.wait_for("paused");
    append(&path, &rest.concat());
    shell.press("7");
    let paused = shell.wait_for("Provisional");
    assert!(!paused.contains("3.25 s"), "{paused}");
    shell.press("p");
    shell.wait_until("the whole trace", |screen| screen.contains("3.25 s") && screen.contains("following the program"));
    fs::write(&path, fixture(ORDERS)).expect("writes");
    shell.wait_until("the next run", |screen| screen.contains("run 2") && screen.contains("Orders.Session.visit"));
    shell.press("q");
    shell.ended(0);
}

#[test]
fn e_opens_the_editor_at_the_line_and_brings_the_source_back() {
    let Some(mut shell) = Shell::start("editor") else { return };
    let before = shell.modes();
    let source = fs::read(fixtures::folder().join("source/orders.ml")).expect("a fixture");
    fs::create_dir_all(shell.folder.join("src")).expect("a folder");
    fs::write(shell.folder.join("src/orders.ml"), source).expect("written");
    // It ends with the next line that is typed, and ignores Ctrl-C, as editors do.
    let editor = "trap '' INT; echo \"$@\" > arguments; stty -a > in-editor; echo editing; read line";
    fs::write(shell.folder.join("vi"), format!("#!/bin/sh\n{editor}\n")).expect("written");
    let trace = fixtures::folder().join(ORDERS);
    shell.begin(&format!("chmod +x vi; EDITOR=./vi {CAMLSCOPE} view --source . {}", trace.display()));
    shell.wait_for("The heap keeps growing");
    for (key, words) in [
        ("3", "▾self"),
        ("g", "by site"),
        ("/", "search:"),
        ("Session.start", "search: Session.start"),
        ("Enter", "Orders.Session.start"),
        ("Enter", "was changed after the trace was recorded"),
        ("e", "editing"),
    ] {
        shell.press(key);
        shell.wait_for(words);
    }
    let screen = shell.screen();
    assert!(!screen.contains("camlscope  orders"), "the editor has the whole screen: {screen}");
    shell.press("C-c");
    shell.press("Enter");
    let screen = shell.wait_for("let s = { id; basket = []");
    assert!(screen.contains("src/orders.ml:86") && !screen.contains("editing"), "{screen}");
    assert_eq!(fs::read_to_string(shell.folder.join("arguments")).expect("written"), "+86 ./src/orders.ml\n");
    let modes = fs::read_to_string(shell.folder.join("in-editor")).expect("written");
    assert!(before.starts_with(&modes), "the editor gets the terminal as it was: {modes}");
    shell.press("Escape");
    shell.wait_for("▾self");
    shell.press("q");
    shell.ended(0);
    assert_eq!(shell.modes(), before);

    shell.begin(&format!("EDITOR=no-such-editor {CAMLSCOPE} view --source . {}", trace.display()));
    shell.wait_for("The heap keeps growing");
    for (key, words) in [("5", "zoom"), ("Down", "Orders"), ("e", "Can't find the editor “no-such-editor”.")] {
        shell.press(key);
        shell.wait_for(words);
    }
    shell.press("q");
    shell.ended(0);
}
