//! The command line as a script meets it: what it prints, and its exit status.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

#[test]
fn summary_says_what_the_trace_is_in_words_and_in_json() {
    let text = run(&["summary", &fixture("tiny-0.1-v2.ctf")], b"");
    assert!(text.status.success());
    let words = String::from_utf8_lossy(&text.stdout).into_owned();
    for line in
        ["pid               11748", "context           tiny test", "allocations       41", "domains           0"]
    {
        assert!(words.contains(line), "no {line:?} in\n{words}");
    }
    let json = run_json(&["summary", "--json", &fixture("tiny-0.1-v2.ctf")], b"", 0);
    assert_eq!(json["events"]["alloc"], 41);
    assert_eq!(json["info"]["context"], "tiny test");
    assert_eq!(json["warnings"], Value::Array(Vec::new()));
}

#[test]
fn standard_input_is_read_for_a_dash() {
    let bytes = std::fs::read(fixture("tiny-0.1-v2.ctf")).expect("readable");
    let json = run_json(&["summary", "-", "--json"], &bytes, 0);
    assert_eq!(json["events"]["alloc"], 41);
}

#[test]
fn what_is_no_trace_is_refused_with_status_1_and_each_kind_in_its_own_words() {
    for (input, kind, words) in [
        (&b""[..], "empty", "0 bytes"),
        (b"hello world\n", "not-a-trace", "a text file"),
        (b"\x7fELF\x02\x01\x01\0", "not-a-trace", "an ELF executable"),
        (b"\x89PNG\r\n\x1a\n", "not-a-trace", "a PNG picture"),
        (b"\xc1\x1f\xfc\xc1", "cut-in-info", "inside its very first packet"),
    ] {
        let json = run_json(&["summary", "-", "--json"], input, 1);
        assert_eq!(json["error"]["kind"], kind);
        let text = json["error"]["text"].as_str().expect("text");
        assert!(text.contains(words), "{text:?} does not say {words:?}");
    }
}

#[test]
fn a_packed_trace_opens_as_it_is_and_a_packed_text_is_refused_as_such() {
    let trace = std::fs::read(fixture("tiny-0.1-v2.ctf")).expect("readable");
    let gzipped = gzip(&trace);
    let json = run_json(&["summary", "-", "--json"], &gzipped, 0);
    assert_eq!(json["events"]["alloc"], 41);
    assert_eq!(json["file_bytes"], gzipped.len());
    assert_eq!(json["unpacked_bytes"], trace.len());
    let json = run_json(&["summary", "-", "--json"], &gzip(b"hello world\n"), 1);
    let text = json["error"]["text"].as_str().expect("text");
    assert_eq!(text, "In this gzip archive: this is no memtrace trace: it looks like a text file.");
}

#[test]
fn a_folder_and_a_missing_file_are_told() {
    let json = run_json(&["summary", env!("CARGO_MANIFEST_DIR"), "--json"], b"", 1);
    assert_eq!(json["error"]["kind"], "directory");
    let json = run_json(&["summary", "no-such-file.ctf", "--json"], b"", 1);
    assert_eq!(json["error"]["kind"], "unreadable");
}

#[test]
fn warnings_go_to_standard_error_and_the_status_stays_0() {
    let mut bytes = std::fs::read(fixture("tiny-0.1-v2.ctf")).expect("readable");
    bytes.truncate(bytes.len() - 10);
    let output = run(&["summary", "-"], &bytes);
    assert!(output.status.success());
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warnings.contains("cut off"), "{warnings}");
}

#[test]
fn wrong_usage_has_status_2() {
    assert_eq!(run(&["no-such-command"], b"").status.code(), Some(2));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name).display().to_string()
}

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // A command that does not read its input may have ended already.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("ends")
}

fn run_json(args: &[&str], input: &[u8], status: i32) -> Value {
    let output = run(args, input);
    assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}
