//! `camlscope watch` next to a program that writes a trace. For each part, its figures must match those of other
//! commands.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use camlscope_formats::ctf::encode::{Block, Encoder};
use camlscope_formats::ctf::{AllocSource, Info};
use serde_json::Value;

use crate::program::{TempPath, fixture, json, run, stderr_of};
use camlscope_testkit::packets::packets;

/// The running program and its output. It's killed if a test fails.
struct Watched {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watched {
    fn start(args: &[&str]) -> Watched {
        let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
            .args([&["watch", "--every", "20ms"], args].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Watched { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("a line").expect("UTF-8")
    }

    fn json(&mut self) -> Value {
        serde_json::from_str(&self.line()).expect("JSON")
    }

    /// Returns the figures for `file_bytes` of the file. Skips checks that found only part of them.
    fn figures_of(&mut self, file_bytes: usize) -> Value {
        loop {
            let line = self.json();
            if line["event"] == "now" && line["file_bytes"] == file_bytes {
                return line;
            }
            assert!(line["event"] == "now" || line["event"] == "started", "{line}");
        }
    }

    #[cfg(unix)]
    fn interrupt(&mut self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &str, bytes: &[u8]) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("opens");
    file.write_all(bytes).expect("writes");
}

fn assert_says_what_summary_says(line: &Value, path: &str) {
    let says = json(&["summary", path]);
    let bytes = |samples: &Value| {
        let word_bytes = says["info"]["word_size"].as_f64().expect("a number") / 8.0;
        samples.as_f64().expect("a number") * word_bytes / says["info"]["sample_rate"].as_f64().expect("a number")
    };
    assert_eq!(line["time_us"], says["end_us"]);
    assert_eq!(line["peak_bytes"], says["peak"]["bytes"]);
    assert_eq!(line["allocated_bytes"], says["allocated_bytes"]);
    assert_eq!(line["live_bytes"].as_f64(), Some(bytes(&says["samples"]["live_at_end"])));
    let leaks = json(&["leaks", path]);
    for field in ["verdict", "growth_bytes_per_s", "growth_low", "growth_high"] {
        assert_eq!(line[field], leaks["heap"][field], "{field}");
    }
}

#[cfg(unix)]
#[test]
fn figures_of_a_live_trace_match_the_file_so_far() {
    for name in ["leak-1e-4-v3.ctf", "domains-multi-1e-3-o5-v3.ctf"] {
        let (bytes, file) =
            (fs::read(fixture(name)).expect("a fixture"), TempPath::new(&format!("watch-parts-{name}")));
        let mut watched = Watched::start(&["--json", file.path()]);
        let all = packets(&bytes);
        let mut written = 0;
        for part in all.chunks(all.len().div_ceil(5)) {
            append(file.path(), &part.concat());
            written += part.iter().map(|packet| packet.len()).sum::<usize>();
            let line = watched.figures_of(written);
            assert_says_what_summary_says(&line, file.path());
        }
        watched.interrupt();
        let last = watched.json();
        assert_eq!((&last["event"], &last["why"]), (&Value::from("ended"), &Value::from("interrupted")));
        assert_eq!(last["file_bytes"], bytes.len());
        assert!(watched.child.wait().expect("ends").success());
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_or_truncated_file_starts_another_run() {
    let file = TempPath::new("watch-runs.ctf");
    let mut watched = Watched::start(&["--json", file.path()]);
    for (name, why) in
        [("leak-1e-4-v3.ctf", None), ("orders-1e-4-v2.ctf", Some("replaced")), ("tiny-1.0-v3.ctf", Some("shrunk"))]
    {
        let bytes = fs::read(fixture(name)).expect("a fixture");
        let fresh = TempPath::new(&format!("watch-run-{name}"));
        append(fresh.path(), &bytes);
        fs::rename(fresh.path(), file.path()).expect("moves");
        if let Some(why) = why {
            let line = watched.json();
            assert_eq!((&line["event"], &line["why"]), (&Value::from("restarted"), &Value::from(why)));
        }
        assert_eq!(watched.json()["event"], "started");
        assert_says_what_summary_says(&watched.figures_of(bytes.len()), file.path());
    }
}

/// Only Linux can tell whether the program is still running.
#[cfg(target_os = "linux")]
#[test]
fn watching_stops_when_the_program_exits() {
    let mut program = Command::new("sleep").arg("600").spawn().expect("starts");
    let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name").trim_end().to_owned();
    let info = Info {
        version: 3,
        sample_rate: 1e-3,
        word_size_bits: 64,
        pid: u64::from(program.id()),
        host,
        start_us: 1_000_000,
        ..Info::default()
    };
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&info, &mut bytes).expect("writes");
    let block = Block { length_words: 10, n_samples: 1, source: AllocSource::Minor };
    encoder.alloc(0, 1_000_001, block, &[1, 2]).expect("writes");
    encoder.finish().expect("writes");
    let file = TempPath::new("watch-program.ctf");
    append(file.path(), &bytes);
    // The program is idle but still running, so watching continues.
    let mut watched = Watched::start(&["--json", "--until-idle", "20ms", file.path()]);
    for event in ["started", "now", "resting"] {
        assert_eq!(watched.json()["event"], event);
    }
    program.kill().expect("ends");
    program.wait().expect("ends");
    let last = watched.json();
    assert_eq!((&last["event"], &last["why"]), (&Value::from("ended"), &Value::from("program-ended")));
}

#[test]
fn watching_stops_with_a_summary_when_idle() {
    let output = run(&["watch", "--every", "10ms", "--until-idle", "50ms", &fixture("leak-1e-4-v3.ctf")], b"");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    expect_test::expect![[r#"
        leak-head.exe pid 12940, 1 sample per 78.1 KiB
        3.25 s  live 6.56 MiB  +2.02 MiB/s  peak 8.39 MiB  growing by 2.08 MiB/s (1.54–2.74): Leak.make_session, Leak.register, Leak.handle_request
        no new data: the program exited or is idle
        3.25 s in total: 509 MiB allocated, peak 8.39 MiB at 2.96 s, 6.56 MiB live at the end
        The heap keeps growing: +2.08 MiB/s (1.54–2.74) since 558 ms (406–609 ms). Three functions account for it, all called from Leak: Leak.make_session 69% (55–80%), Leak.register 16% (8.5–29%), Leak.handle_request 14% (7.1–27%).
    "#]].assert_eq(&String::from_utf8_lossy(&output.stdout));
}

#[test]
fn files_that_cannot_be_followed_are_rejected() {
    let file = TempPath::new("watch-text");
    append(file.path(), "let x = 1\n".repeat(200).as_bytes());
    for (path, words) in [
        (file.path().to_owned(), "This isn't a memtrace trace"),
        (fixture("spacetime-11710"), "Can't follow a Spacetime profile while it is being written."),
    ] {
        let output = run(&["watch", &path], b"");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr_of(&output).contains(words), "{}", stderr_of(&output));
    }
}

#[test]
fn a_file_that_never_appears_ends_watching() {
    let output = run(&["watch", "no-such.ctf", "--every", "10ms", "--until-idle", "50ms", "--json"], b"");
    assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
    let line: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(line["error"]["kind"], "never-written");
}
