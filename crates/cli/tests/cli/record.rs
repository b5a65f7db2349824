//! `camlscope record`, with a stand-in for a program that uses memtrace: this test's own executable.

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use camlscope_testkit::stand_in;
use expect_test::expect;

#[cfg(unix)]
use crate::open::Opened;
use crate::program::{TempPath, check_refused, fixture, json, stderr_of};

/// Run by the tests below, with the options in STAND_IN.
#[test]
#[ignore = "the other tests record it"]
fn program() {
    stand_in::run_as_test();
}

const PROGRAM: [&str; 4] = ["--ignored", "--exact", "record::program", "--nocapture"];

/// A folder in which programs are recorded.
struct Folder(TempPath);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = TempPath::new(name);
        fs::create_dir_all(folder.path()).expect("a folder");
        Folder(folder)
    }

    fn file(&self, name: &str) -> String {
        Path::new(self.0.path()).join(name).display().to_string()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Records the stand-in.
    fn record(&self, options: &[&str], stand_in: &str, input: &[u8]) -> Output {
        let program = env::current_exe().expect("this test").display().to_string();
        self.record_any(&[options, &["--", &program], &PROGRAM].concat(), stand_in, input)
    }

    fn record_any(&self, args: &[&str], stand_in: &str, input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
            .arg("record")
            .args(args)
            .current_dir(self.0.path())
            .env("STAND_IN", stand_in)
            .env_remove("MEMTRACE")
            .env_remove("MEMTRACE_RATE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        // The program may not read its input.
        let _ = child.stdin.take().expect("piped").write_all(input);
        child.wait_with_output().expect("ends")
    }
}

fn stdout_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn program_keeps_its_input_output_and_status_and_the_summary_follows() {
    let folder = Folder::new("record-status");
    let output = folder.record(&["-o", "run.ctf"], "--speed 0 --echo --status 3", b"from the user\n");
    let says = stderr_of(&output);
    assert_eq!(output.status.code(), Some(3), "{says}");
    assert!(stdout_of(&output).contains("from the user\n"), "{}", stdout_of(&output));
    assert!(!stdout_of(&output).contains("peak"), "the summary is for standard error");
    let summary = crate::program::stdout(&["summary", &folder.file("run.ctf")]);
    assert!(says.starts_with(&summary), "{says}\nis not\n{summary}");
    assert!(says.contains("Explore it with camlscope open run.ctf"), "{says}");
    assert!(!says.contains('\x1b'), "escape sequences in a pipe: {says}");
    assert_eq!(folder.record(&["-o", "run.ctf"], "--speed 0", b"").status.code(), Some(0));
}

#[test]
fn rate_is_that_of_the_option_or_the_environment() {
    let folder = Folder::new("record-rate");
    let rate = |options: &[&str]| {
        let output = folder.record(&[options, &["-q", "-o", "run.ctf"]].concat(), "--speed 0 --objects 500", b"");
        assert_eq!((output.status.code(), stderr_of(&output).as_str()), (Some(0), ""), "-q prints only errors");
        json(&["summary", &folder.file("run.ctf")])["info"]["sample_rate"].as_f64()
    };
    assert_eq!(rate(&[]), Some(1e-4));
    assert_eq!(rate(&["--rate", "0.001"]), Some(1e-3));
    check_refused(
        &["record", "--rate", "2", "--", "true"],
        expect![[r#"
            error: invalid value '2' for '--rate <R>': expected a number above 0 and up to 1, such as 1e-4

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn default_name_never_replaces_a_file() {
    let folder = Folder::new("record-names");
    let stem = env::current_exe().expect("this test").file_stem().expect("a name").to_string_lossy().into_owned();
    for n_files in 1..=2 {
        assert_eq!(folder.record(&[], "--speed 0 --objects 500", b"").status.code(), Some(0));
        assert_eq!(folder.files().len(), n_files);
    }
    assert!(folder.files().contains(&format!("{stem}.ctf")) && folder.files().contains(&format!("{stem}.2.ctf")));
}

/// The buffered end of its trace is lost.
#[cfg(unix)]
#[test]
fn killed_program_leaves_a_trace_and_the_status_of_its_signal() {
    let folder = Folder::new("record-killed");
    let output = folder.record(&["-o", "run.ctf"], "--speed 0 --packets 3 --then abort", b"");
    const SIGABRT: i32 = 6;
    assert_eq!(output.status.code(), Some(128 + SIGABRT), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("Wrote run.ctf"), "{}", stderr_of(&output));
}

/// Run by the tests below: becomes a shell that handles INT and HUP in the default way. Whoever started the tests may ignore
/// them, as nohup does, and a shell can't undo that.
#[cfg(unix)]
#[test]
#[ignore = "the other tests run it"]
fn shell_with_default_signals() {
    use std::os::unix::process::CommandExt;
    let Ok(script) = env::var("SCRIPT") else { return };
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        // A handled signal has its default action again in the program that replaces this one.
        signal_hook::flag::register(signal, Default::default()).expect("handled");
    }
    let program = env::current_exe().expect("this test");
    let record = [env!("CARGO_BIN_EXE_camlscope"), "record", "-o", "run.ctf", "--"];
    let error = Command::new("sh").args(["-c", &script, "sh"]).args(record).arg(program).args(PROGRAM).exec();
    panic!("{error}");
}

/// Starts a program that waits for a signal. `script` gets the command that records it as its arguments.
#[cfg(unix)]
fn start_waiting(folder: &Folder, script: &str) -> std::process::Child {
    use std::io::{BufRead, BufReader, Read};
    let mut child = Command::new(env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "record::shell_with_default_signals", "--nocapture"])
        .current_dir(folder.0.path())
        .env("SCRIPT", script)
        .env("STAND_IN", "--speed 0 --then wait")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output
        .by_ref()
        .lines()
        .map_while(Result::ok)
        .find(|line| line.contains("the program waits"))
        .expect("it has started");
    // Kept open until the end, because the program prints more.
    child.stdout = Some(output.into_inner());
    child
}

/// Sends signals, of which the last one ends the program. Its summary must be printed all the same.
#[cfg(unix)]
fn check_end(child: std::process::Child, signals: &[&str], status: i32) {
    for signal in signals {
        let sent = Command::new("kill").args([*signal, &child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    }
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(status), "{signals:?}: {}", stderr_of(&output));
    assert!(stderr_of(&output).contains("Wrote run.ctf"), "{signals:?}: {}", stderr_of(&output));
}

#[cfg(unix)]
#[test]
fn signals_reach_the_program_and_the_summary_is_still_printed() {
    for (signal, status) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        let folder = Folder::new(&format!("record-signal{signal}"));
        check_end(start_waiting(&folder, r#"exec "$@""#), &[signal], status);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_right_after_the_start_reaches_the_program() {
    let folder = Folder::new("record-early-signal");
    for _ in 0..20 {
        let output = folder.record_any(&["-q", "--", "sh", "-c", "kill -TERM $PPID; exec sleep 60"], "", b"");
        assert_eq!(output.status.code(), Some(143), "{}", stderr_of(&output));
    }
}

#[cfg(unix)]
#[test]
fn signals_that_the_shell_ignores_are_ignored_by_record_and_the_program() {
    let folder = Folder::new("record-ignored");
    // As nohup and background jobs of scripts do.
    check_end(start_waiting(&folder, r#"trap "" INT HUP; exec "$@""#), &["-INT", "-HUP", "-TERM"], 143);
    check_end(start_waiting(&folder, r#"trap "" TERM; exec "$@""#), &["-TERM", "-INT"], 130);
}

#[cfg(unix)]
#[test]
fn page_follows_the_program_and_stays_until_its_tab_is_closed() {
    use std::io::{BufRead, BufReader};
    let (folder, page) = (Folder::new("record-open"), TempPath::new("record-open-page.html"));
    fs::write(page.path(), crate::open::PAGE).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
        .args(["record", "--open", "--no-browser", "--page", page.path(), "-o", "run.ctf", "--"])
        .arg(env::current_exe().expect("this test"))
        .args(PROGRAM)
        .current_dir(folder.0.path())
        .env("STAND_IN", "--speed 0 --then wait")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut says = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    let address = says.find(|line| line.starts_with("http://")).expect("an address");
    assert!(address.ends_with("?trace=0%2Frun.ctf&follow=1"), "{address}");
    let mut opened = Opened::at(child, &address, page);
    let tab = opened.tab();
    let sent = Command::new("kill").args(["-TERM", &opened.child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    assert!(says.any(|line| line.contains("Wrote run.ctf")), "the summary");
    let trace = opened.get(&format!("{}0/run.ctf", opened.home));
    assert!(trace.starts_with("HTTP/1.1 200"), "the page stays open after the program's end");
    drop(tab);
    assert_eq!(opened.child.wait().expect("ends").code(), Some(128 + 15));
}

#[test]
fn program_without_memtrace_is_told_what_to_add() {
    let folder = Folder::new("record-silent");
    let output = folder.record(&[], "--silent", b"");
    assert_eq!(output.status.code(), Some(1), "it succeeded, but there is nothing to look at");
    let program = env::current_exe().expect("this test").display().to_string();
    expect![[r#"
        error: PROGRAM didn't write a trace: it doesn't call memtrace, or it ended before the call.
        Add memtrace to the libraries of the program in its dune file (opam install memtrace):
          (libraries memtrace)
        Call it at the start of the program:
          let () = Memtrace.trace_if_requested ()
    "#]]
    .assert_eq(&stderr_of(&output).replace(&program, "PROGRAM"));
    assert!(folder.files().is_empty(), "it leaves {:?}", folder.files());
    assert_eq!(folder.record(&[], "--silent --status 4", b"").status.code(), Some(4));
    // The trace of an earlier run isn't taken for this one.
    fs::copy(fixture("tiny-0.1-v2.ctf"), folder.file("old.ctf")).expect("copied");
    let output = folder.record(&["-o", "old.ctf"], "--silent", b"");
    assert!(stderr_of(&output).contains("didn't write a trace"), "{}", stderr_of(&output));
    assert_eq!(
        fs::read(folder.file("old.ctf")).expect("kept"),
        fs::read(fixture("tiny-0.1-v2.ctf")).expect("a fixture")
    );
}

#[test]
fn program_that_cannot_be_started_has_the_status_of_shells() {
    let folder = Folder::new("record-start");
    fs::write(folder.file("text"), "no program").expect("written");
    for (program, status, words) in
        [("./missing", 127, "Can't start ./missing: it wasn't found."), ("./text", 126, "Can't start ./text:")]
    {
        let output = folder.record_any(&["--", program], "", b"");
        assert_eq!(output.status.code(), Some(status), "{}", stderr_of(&output));
        assert!(stderr_of(&output).contains(words), "{}", stderr_of(&output));
        assert_eq!(folder.files(), ["text"]);
    }
}

#[test]
fn impossible_options_are_rejected_before_the_program_starts() {
    let folder = Folder::new("record-refused");
    for (args, status, words) in [
        (&["--json", "--", "touch", "ran"][..], 2, "record doesn't print JSON"),
        (&["--view", "--", "touch", "ran"], 2, "record --view needs a terminal"),
        (&["-o", "no/such/folder.ctf", "--", "touch", "ran"], 1, "Can't write no/such/folder.ctf"),
        (&["-o", ".", "--", "touch", "ran"], 1, "it isn't a regular file"),
        (&["--open", "--page", "missing.html", "--", "touch", "ran"], 2, "Can't read missing.html"),
    ] {
        let output = folder.record_any(args, "", b"");
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr_of(&output));
        assert!(stderr_of(&output).contains(words), "{args:?}: {}", stderr_of(&output));
        assert!(folder.files().is_empty(), "{args:?} leaves {:?}", folder.files());
    }
}
