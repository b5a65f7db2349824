//! `camlscope convert`.

use std::fs;
use std::io::Read;

use expect_test::expect;
use serde_json::Value;

use crate::program::{TempFile, check_refused, fixture, folded_sum, json, run, stderr_of, stdout};

#[test]
fn a_trace_written_anew_is_the_same_trace() {
    for name in ["tiny-0.1-v2.ctf", "leak-1e-4-v3.ctf", "domains-multi-1e-3-o5-v3.ctf"] {
        let copy = TempFile::new(name);
        assert_eq!(stdout(&["convert", &fixture(name), "-o", copy.path()]), "");
        let (mut old, mut new) = (json(&["summary", &fixture(name)]), json(&["summary", copy.path()]));
        for differs in ["file_bytes", "unpacked_bytes", "end_us"] {
            old[differs] = Value::Null;
            new[differs] = Value::Null;
        }
        assert_eq!(old, new);
        if name != "domains-multi-1e-3-o5-v3.ctf" {
            assert_eq!(stdout(&["dump", &fixture(name)]), stdout(&["dump", copy.path()]), "{name}");
        }
    }
}

#[test]
fn a_thinned_trace_has_a_lower_rate() {
    let copy = TempFile::new("thin.ctf");
    stdout(&["convert", &fixture("typecore-1e-4-v2.ctf"), "-o", copy.path(), "--thin", "4"]);
    let (old, new) = (json(&["summary", &fixture("typecore-1e-4-v2.ctf")]), json(&["summary", copy.path()]));
    assert_eq!(new["info"]["sample_rate"], 0.25e-4);
    let (old, new) = (old["allocated_bytes"].as_f64().expect("bytes"), new["allocated_bytes"].as_f64().expect("bytes"));
    assert!((new / old - 1.0).abs() < 0.1, "{new} bytes of {old}");
}

#[test]
fn a_window_keeps_what_was_allocated_in_it() {
    let (trace, copy) = (fixture("phases-1e-4-v2.ctf"), TempFile::new("window.ctf"));
    stdout(&["convert", &trace, "-o", copy.path(), "--between", "1s..5s"]);
    let total = |args: &[&str]| json(&[&["flame"], args].concat())["total"].clone();
    let n = total(&[copy.path(), "--measure", "samples"]);
    assert!(n.as_f64() > Some(0.0));
    assert_eq!(n, total(&[&trace, "--measure", "samples", "--allocated", "1s..5s"]));
    assert_ne!(n, total(&[&trace, "--measure", "samples"]));
}

#[test]
fn an_anonymised_trace_tells_neither_who_nor_where() {
    let copy = TempFile::new("anonymous.ctf");
    stdout(&["convert", &fixture("tiny-0.1-v2.ctf"), "-o", copy.path(), "--anonymise"]);
    let bytes = fs::read(copy.path()).expect("written");
    for secret in ["Tiny", "tiny", "Stdlib", "sample/gen"] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret} is still there");
    }
    let info = &json(&["summary", copy.path()])["info"];
    assert_eq!((&info["pid"], &info["start_time_us"]), (&Value::from(0), &Value::from(0)));
    let weights = |path: &str| -> Vec<String> {
        let weight = |line: &str| line.rsplit_once(' ').map(|(_, weight)| weight.to_owned()).expect("a weight");
        stdout(&["flame", path]).lines().map(weight).collect()
    };
    assert_eq!(weights(copy.path()), weights(&fixture("tiny-0.1-v2.ctf")));
}

#[test]
fn profiles_are_told_by_the_name_of_the_file() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let folded = TempFile::new("out.folded");
    stdout(&["convert", &trace, "-o", folded.path()]);
    assert_eq!(fs::read_to_string(folded.path()).expect("written"), stdout(&["flame", &trace]));

    let speedscope = TempFile::new("out.speedscope.json");
    stdout(&["convert", &trace, "-o", speedscope.path(), "--measure", "samples"]);
    let file: Value = serde_json::from_slice(&fs::read(speedscope.path()).expect("written")).expect("JSON");
    assert_eq!(file["profiles"][0]["endValue"], 200.0);

    let pprof = TempFile::new("out.pb.gz");
    stdout(&["convert", &trace, "-o", pprof.path()]);
    let mut message = Vec::new();
    let packed = fs::read(pprof.path()).expect("written");
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut message).expect("gzip");
    assert!(message.windows(6).any(|window| window == b"Tiny.f"));

    stdout(&["convert", &trace, "-o", folded.path(), "--to", "folded", "--anonymise"]);
    assert!(!fs::read_to_string(folded.path()).expect("written").contains("Tiny"));
}

#[test]
fn every_export_sums_up_to_the_exact_total_with_all_stacks_or_some() {
    for name in ["orders-1e-4-v2.ctf", "domains-multi-1e-3-o5-v3.ctf", "phases-1e-4-v2.ctf"] {
        let trace = fixture(name);
        for measure in ["allocated", "blocks", "peak", "byte-seconds", "samples"] {
            let total = json(&["flame", &trace, "--measure", measure])["total"].as_f64().expect("a number");
            let is_exact = |sum: f64| (sum - total).abs() <= 1e-9 * total;
            for all in [&[][..], &["--all"]] {
                let export = |to: &str| {
                    let command = ["convert", &trace, "--output", "-", "--to", to, "--measure", measure];
                    run(&[&command, all].concat(), b"").stdout
                };
                let answer = json(&[&["flame", &trace, "--measure", measure], all].concat());
                let values = answer["stacks"].as_array().expect("a list").iter();
                let sum = values.map(|stack| stack["value"].as_f64().expect("a number")).sum();
                assert!(is_exact(sum), "{name} {measure} {all:?}: JSON says {sum}, not {total}");

                let file: Value = serde_json::from_slice(&export("speedscope")).expect("JSON");
                let weights = file["profiles"][0]["weights"].as_array().expect("a list").iter();
                let sum = weights.map(|weight| weight.as_f64().expect("a number")).sum();
                assert!(is_exact(sum), "{name} {measure} {all:?}: speedscope says {sum}, not {total}");
                assert_eq!(file["profiles"][0]["endValue"], total);

                // These have whole numbers.
                let sum = folded_sum(&String::from_utf8(export("folded")).expect("UTF-8"));
                assert!((sum - total).abs() <= 1.0, "{name} {measure} {all:?}: folded stacks say {sum}, not {total}");
                let sum = pprof_sum(&export("pprof")) as f64;
                assert!((sum - total).abs() <= 1.0, "{name} {measure} {all:?}: pprof says {sum}, not {total}");
            }
        }
    }
}

/// What the samples of a pprof file weigh together.
fn pprof_sum(packed: &[u8]) -> u64 {
    let mut message = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut message).expect("gzip");
    let values = fields(&message).filter(|(field, _)| *field == 2).flat_map(|(_, sample)| {
        fields(sample).filter(|(field, _)| *field == 2).map(|(_, value)| varint(value).0).collect::<Vec<_>>()
    });
    values.sum()
}

/// The length-prefixed fields of a protobuf message; numbers are skipped.
fn fields(mut message: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        while !message.is_empty() {
            let (tag, rest) = varint(message);
            let (n, rest) = varint(rest);
            let is_prefixed = tag & 7 == 2;
            let (content, rest) = rest.split_at(if is_prefixed { n as usize } else { 0 });
            message = rest;
            if is_prefixed {
                return Some((tag >> 3, content));
            }
        }
        None
    })
}

fn varint(bytes: &[u8]) -> (u64, &[u8]) {
    let n = bytes.iter().position(|byte| *byte < 0x80).expect("an end") + 1;
    let number = bytes[..n].iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
    (number, &bytes[n..])
}

#[test]
fn a_dash_writes_to_standard_output() {
    let trace = fixture("tiny-0.1-v2.ctf");
    assert_eq!(stdout(&["convert", &trace, "-o", "-", "--to", "folded"]), stdout(&["flame", &trace]));
    let copy = run(&["convert", &trace, "-o", "-"], b"").stdout;
    let again = run(&["convert", "-", "-o", "-"], &copy).stdout;
    assert!(copy == again && !copy.is_empty());
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check_refused(
        &["convert", &trace, "-o", "-", "--to", "folded", "--thin", "2"],
        expect![[r#"
        error: --thin is for traces: give it with --to ctf
    "#]],
    );
    check_refused(
        &["convert", &trace, "-o", "-", "--all"],
        expect![[r#"
        error: --all is for stacks: give it with --to folded, speedscope or pprof
    "#]],
    );
    check_refused(
        &["convert", &trace, "-o", "-", "--measure", "blocks"],
        expect![[r#"
        error: --measure has no meaning for a trace, which holds them all
    "#]],
    );
    check_refused(
        &["convert", &trace, "-o", "-", "--by", "file"],
        expect![[r#"
        error: --by has no meaning for a trace, which keeps its stacks as they are
    "#]],
    );
    check_refused(
        &["convert", &trace, "-o", "-", "--thin", "0"],
        expect![[r#"
        error: invalid value '0' for '--thin <N>': 0 is not in 1..=4294967295

        For more information, try '--help'.
    "#]],
    );
    check_refused(
        &["convert", &trace, "-o", "-", "--between", "noon"],
        expect![[r#"
        error: invalid value 'noon' for '--between <A..B>': “noon” is no value for allocated: a range of times such as 1s..2s, 500ms.. or ..3min is expected

        For more information, try '--help'.
    "#]],
    );
    check_refused(
        &["convert", &trace],
        expect![[r#"
        error: the following required arguments were not provided:
          --output <OUT>

        Usage: camlscope convert --output <OUT> <FILE>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_file_that_cannot_be_written_is_told_with_status_1() {
    let output = run(&["convert", &fixture("tiny-0.1-v2.ctf"), "-o", "no-such-folder/out.ctf"], b"");
    assert_eq!(output.status.code(), Some(1));
    let words = stderr_of(&output);
    assert!(words.starts_with("error: no-such-folder/out.ctf could not be written: "), "{words}");
}

#[test]
fn a_report_is_one_file_that_says_what_stands_out_and_takes_names_as_text() {
    let out = TempFile::new("report.html");
    stdout(&["convert", &fixture("orders-1e-4-v2.ctf"), "-o", out.path(), "--measure", "peak"]);
    let page = fs::read_to_string(out.path()).expect("written");
    for words in
        ["Orders.Session.visit", "keeps more and more", "bytes live at the peak of all objects", "<svg", "What grows"]
    {
        assert!(page.contains(words), "no {words:?}");
    }
    // `>>=` and the like are names, not markup.
    assert!(!page.contains("<script") && !page.contains("src="), "the report asks for other files");
    assert!(!page.contains("<lost") && page.matches("<svg").count() == page.matches("</svg>").count());
}
