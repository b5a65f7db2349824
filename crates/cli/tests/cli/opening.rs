//! Opening all kinds of files, valid and invalid.

use std::io::Write;

use crate::program::{fixture, json_of, run, stderr_of};

#[test]
fn a_dash_reads_standard_input() {
    let bytes = std::fs::read(fixture("tiny-0.1-v2.ctf")).expect("readable");
    let json = json_of(&["summary", "-", "--json"], &bytes, 0);
    assert_eq!(json["events"]["alloc"], 41);
}

#[test]
fn files_that_are_not_traces_are_rejected_by_kind() {
    for (input, kind, words) in [
        (&b""[..], "empty", "0 bytes"),
        (b"hello world\n", "not-a-trace", "a text file"),
        (b"\x7fELF\x02\x01\x01\0", "not-a-trace", "an ELF executable"),
        (b"\x89PNG\r\n\x1a\n", "not-a-trace", "a PNG image"),
        (b"\xc1\x1f\xfc\xc1", "cut-in-info", "before its first event"),
    ] {
        let json = json_of(&["summary", "-", "--json"], input, 1);
        assert_eq!(json["error"]["kind"], kind);
        let text = json["error"]["text"].as_str().expect("text");
        assert!(text.contains(words), "{text:?} doesn't contain {words:?}");
    }
}

#[test]
fn every_command_rejects_a_text_file() {
    for command in ["summary", "table", "flame", "timeline", "leaks", "dump"] {
        let output = run(&[command, "-"], b"hello world\n");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{command}");
        let words = stderr_of(&output);
        assert!(words.starts_with("error: -: This isn't a memtrace trace: it looks like a text file.\n"), "{words}");
        assert!(words.contains("MEMTRACE=trace.ctf"), "{words}");
        let json = json_of(&[command, "-", "--json"], b"hello world\n", 1);
        assert_eq!(json["error"]["kind"], "not-a-trace");
    }
}

#[test]
fn a_compressed_trace_opens_and_compressed_text_is_rejected() {
    let trace = std::fs::read(fixture("tiny-0.1-v2.ctf")).expect("readable");
    let gzipped = gzip(&trace);
    let json = json_of(&["summary", "-", "--json"], &gzipped, 0);
    assert_eq!(json["events"]["alloc"], 41);
    assert_eq!(json["file_bytes"], gzipped.len());
    assert_eq!(json["unpacked_bytes"], trace.len());
    let json = json_of(&["summary", "-", "--json"], &gzip(b"hello world\n"), 1);
    let text = json["error"]["text"].as_str().expect("text");
    assert_eq!(text, "In this gzip file: this isn't a memtrace trace: it looks like a text file.");
}

/// The zstd decoder keeps data that later blocks may refer to, here 8 MiB, until the frame ends.
#[test]
fn a_truncated_archive_opens_up_to_the_truncation() {
    let trace = std::fs::read(fixture("orders-1e-4-v2.ctf")).expect("readable");
    let mut zstd = b"\x28\xb5\x2f\xfd\x00\x68".to_vec();
    for block in trace.chunks(50_000) {
        zstd.extend_from_slice(&((block.len() as u32) << 3).to_le_bytes()[..3]);
        zstd.extend_from_slice(block);
    }
    for (name, packed) in [("zstd", zstd), ("gzip", gzip(&trace))] {
        let output = run(&["summary", "-", "--json"], &packed[..packed.len() / 2]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr_of(&output));
        assert!(
            stderr_of(&output).contains("warning: The compressed file is truncated or damaged"),
            "{}",
            stderr_of(&output)
        );
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(summary["events"]["alloc"].as_u64() > Some(3000), "{name}: {}", summary["events"]);

        let words = json_of(&["summary", "-", "--json"], &packed[..12], 1)["error"]["text"].clone();
        let expected = format!("This {name} file is empty, or truncated near its start.");
        assert_eq!(words, expected);
    }
}

#[test]
fn errors_do_not_mention_the_page() {
    let folder = run(&["summary", env!("CARGO_MANIFEST_DIR")], b"");
    let missing = run(&["summary", "no-such-file.ctf"], b"");
    assert_eq!(stderr_of(&missing), "error: no-such-file.ctf: Can't read the file: it doesn't exist.\n");
    let inputs =
        [&b"\x7fELF\x02\x01\x01\0"[..], b"PK\x03\x04....", b"\xfd7zXZ\0..", b"\xcf\xfa\xed\xfe....", b"MZ......"];
    for output in inputs.map(|input| run(&["summary", "-"], input)).into_iter().chain([folder, missing]) {
        let words = stderr_of(&output).to_lowercase();
        assert_eq!(output.status.code(), Some(1), "{words}");
        for page_word in ["drop", "click", "open it again", "os error"] {
            assert!(!words.contains(page_word), "{words}");
        }
    }
}

#[test]
fn a_folder_and_a_missing_file_are_reported() {
    let json = json_of(&["summary", env!("CARGO_MANIFEST_DIR"), "--json"], b"", 1);
    assert_eq!(json["error"]["kind"], "directory");
    let json = json_of(&["summary", "no-such-file.ctf", "--json"], b"", 1);
    assert_eq!(json["error"]["kind"], "unreadable");
}

#[test]
fn warnings_go_to_standard_error_and_the_status_stays_0() {
    let mut bytes = std::fs::read(fixture("leak-1e-4-v3.ctf")).expect("readable");
    bytes.truncate(bytes.len() - 10);
    for command in ["summary", "table", "flame", "timeline", "leaks", "dump"] {
        let output = run(&[command, "-"], &bytes);
        assert!(output.status.success());
        let warnings = stderr_of(&output);
        assert!(warnings.starts_with("warning: The trace is truncated"), "{command}: {warnings}");
        assert!(!output.stdout.is_empty(), "{command}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}
