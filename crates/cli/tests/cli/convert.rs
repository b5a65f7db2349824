//! `camlscope convert`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use expect_test::expect;
use serde_json::Value;

use crate::program::{TempPath, check_messages, check_refused, fixture, folded_sum, json, run, stderr_of, stdout};

#[test]
fn a_rewritten_trace_has_the_same_contents() {
    for name in ["tiny-0.1-v2.ctf", "leak-1e-4-v3.ctf", "domains-multi-1e-3-o5-v3.ctf"] {
        let copy = TempPath::new(name);
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
fn a_downsampled_trace_has_a_lower_rate() {
    let copy = TempPath::new("thin.ctf");
    stdout(&["convert", &fixture("typecore-1e-4-v2.ctf"), "-o", copy.path(), "--thin", "4"]);
    let (old, new) = (json(&["summary", &fixture("typecore-1e-4-v2.ctf")]), json(&["summary", copy.path()]));
    assert_eq!(new["info"]["sample_rate"], 0.25e-4);
    let (old, new) = (old["allocated_bytes"].as_f64().expect("bytes"), new["allocated_bytes"].as_f64().expect("bytes"));
    assert!((new / old - 1.0).abs() < 0.1, "{new} bytes of {old}");
}

#[test]
fn a_time_range_keeps_its_allocations() {
    let (trace, copy) = (fixture("phases-1e-4-v2.ctf"), TempPath::new("window.ctf"));
    stdout(&["convert", &trace, "-o", copy.path(), "--between", "1s..5s"]);
    let total = |args: &[&str]| json(&[&["flame"], args].concat())["total"].clone();
    let n = total(&[copy.path(), "--measure", "samples"]);
    assert!(n.as_f64() > Some(0.0));
    assert_eq!(n, total(&[&trace, "--measure", "samples", "--allocated", "1s..5s"]));
    assert_ne!(n, total(&[&trace, "--measure", "samples"]));
}

#[test]
fn an_anonymized_trace_has_no_identifying_names() {
    let copy = TempPath::new("anonymous.ctf");
    stdout(&["convert", &fixture("tiny-0.1-v2.ctf"), "-o", copy.path(), "--anonymize"]);
    let bytes = fs::read(copy.path()).expect("written");
    for secret in ["Tiny", "tiny", "Stdlib", "sample/gen"] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret} must be gone");
    }
    let info = &json(&["summary", copy.path()])["info"];
    assert_eq!((&info["pid"], &info["start_time_us"]), (&Value::from(0), &Value::from(0)));
    assert_eq!((&info["runtime_params"], &info["context"]), (&Value::from(""), &Value::Null));
    let sites = json(&["table", copy.path(), "--by", "site"])["rows"].clone();
    let sites = sites.as_array().expect("a list");
    assert_eq!(
        sites.len(),
        json(&["table", &fixture("tiny-0.1-v2.ctf"), "--by", "site"])["rows"].as_array().map_or(0, Vec::len)
    );
    assert!(sites.iter().all(|site| site["start_char"].as_u64().unwrap_or(0) == 0), "{sites:?}");
    let weights = |path: &str| -> Vec<String> {
        let weight = |line: &str| line.rsplit_once(' ').map(|(_, weight)| weight.to_owned()).expect("a weight");
        stdout(&["flame", path]).lines().map(weight).collect()
    };
    assert_eq!(weights(copy.path()), weights(&fixture("tiny-0.1-v2.ctf")));
}

#[test]
fn an_anonymized_trace_keeps_what_keep_lists() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let copy = TempPath::new("kept.ctf");
    stdout(&["convert", &trace, "-o", copy.path(), "--anonymize", "--keep", "places,parameters"]);
    let (old, new) = (json(&["summary", &trace]), json(&["summary", copy.path()]));
    assert_eq!(old["info"]["runtime_params"], new["info"]["runtime_params"]);
    assert_ne!(new["info"]["runtime_params"], "");
    let places = |path: &str| -> Vec<Value> {
        let table = json(&["table", path, "--by", "site"]);
        let mut places: Vec<Value> =
            table["rows"].as_array().expect("a list").iter().map(|row| row["line"].clone()).collect();
        places.sort_by_key(|line| line.as_u64());
        places
    };
    assert_eq!(places(&trace), places(copy.path()));
    check_refused(
        &["convert", &trace, "-o", copy.path(), "--keep", "places"],
        expect![[r#"
            error: the following required arguments were not provided:
              --anonymize

            Usage: camlscope convert --output <OUT> --anonymize --keep <WHAT,…> <FILE>...

            For more information, try '--help'.
        "#]],
    );
}

/// Numbers follow the order of first appearance. They aren't derived from names, so they can't be looked up.
#[test]
fn anonymized_names_are_numbered_by_first_appearance() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let copy = TempPath::new("numbers.ctf");
    stdout(&["convert", &trace, "-o", copy.path(), "--anonymize"]);
    expect![[r#"
        M1;M1.f1;M2.f2;M3.f3 10480
        M1;M1.f4 5520
    "#]]
    .assert_eq(&stdout(&["flame", copy.path()]));
    let stacks = run(&["convert", &trace, "-o", "-", "--to", "folded", "--anonymize"], b"").stdout;
    expect![[r#"
        M1;M1.f1;M2.f2;M3.f3 10480
        M1;M1.f4 5520
    "#]]
    .assert_eq(&String::from_utf8(stacks).expect("UTF-8"));
}

#[test]
fn help_lists_what_an_anonymized_file_keeps() {
    let help = stdout(&["convert", "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Times, sizes, lifetimes, heaps, domains, the sampling rate and the call structure stay",
        "The executable, host, pid and start time are removed",
        "The numbers differ from file to file",
    ] {
        assert!(help.contains(words), "no {words:?} in {help}");
    }
}

#[test]
fn an_unknown_extension_needs_a_format_and_the_input_is_not_overwritten() {
    let copy = TempPath::new("own.ctf");
    fs::copy(fixture("tiny-0.1-v2.ctf"), copy.path()).expect("copied");
    let before = fs::read(copy.path()).expect("there");
    for out in ["out", "out.trace", "out.ctf.gz"] {
        let output = run(&["convert", copy.path(), "-o", out], b"");
        assert_eq!(output.status.code(), Some(2), "{out}");
        let expected = format!(
            "error: The extension of {out} isn't a known format. Use --to ctf, speedscope, pprof, firefox, folded or html.\n"
        );
        assert_eq!(stderr_of(&output), expected);
    }
    let folder = std::path::Path::new(copy.path()).parent().expect("a folder");
    let other_name = folder.join(".").join(std::path::Path::new(copy.path()).file_name().expect("a name"));
    for out in [copy.path(), &other_name.display().to_string()] {
        let output = run(&["convert", copy.path(), "-o", out], b"");
        assert_eq!(output.status.code(), Some(2), "{out}");
        let expected = format!("error: {out} is the input file. Use another name, or --force to overwrite it.\n");
        assert_eq!(stderr_of(&output), expected);
        assert!(fs::read(copy.path()).expect("there") == before, "the trace was overwritten");
    }
    stdout(&["convert", copy.path(), "-o", copy.path(), "--force", "--thin", "2"]);
    assert!(fs::read(copy.path()).expect("there") != before);
}

#[test]
fn a_pprof_file_has_what_was_allocated_and_what_is_in_use() {
    let trace = fixture("orders-1e-4-v2.ctf");
    const USUAL: [&str; 4] = ["alloc_objects count", "alloc_space bytes", "inuse_objects count", "inuse_space bytes"];
    for (measure, when, more) in [
        ("allocated", "end", &[][..]),
        ("blocks", "end", &[]),
        ("peak", "peak", &[]),
        ("promoted", "end", &["promoted_space bytes", "promoted_objects count"]),
        ("temporary", "end", &["temporary_space bytes", "temporary_objects count"]),
        ("samples", "end", &["samples count"]),
        ("byte-seconds", "end", &["byte_seconds count"]),
        ("growth", "end", &["growth_space bytes", "growth_objects count", "growth_samples count"]),
    ] {
        let file =
            Pprof::read(&run(&["convert", &trace, "-o", "-", "--to", "pprof", "--measure", measure], b"").stdout);
        assert_eq!(file.types, [&USUAL[..], more].concat(), "{measure}");
        let shown = match measure {
            "allocated" => "alloc_space",
            "blocks" => "alloc_objects",
            "peak" => "inuse_space",
            _ => more[0].split(' ').next().expect("a name"),
        };
        assert_eq!((&*file.default_type, &*file.period_type), (shown, "space bytes"), "{measure}");
        let summary = json(&["summary", &trace]);
        let nanos = |value: &Value| value.as_u64().expect("a time") * 1000;
        assert_eq!((file.numbers[&12], file.numbers[&10]), (80_000, nanos(&summary["end_us"])), "{measure}");
        assert_eq!(file.numbers[&9], nanos(&summary["info"]["start_time_us"]));
        let in_use = ["--live-at", when];
        for (n, of, objects) in
            [(0, "blocks", &[][..]), (1, "allocated", &[]), (2, "blocks", &in_use), (3, "allocated", &in_use)]
        {
            let total =
                json(&[&["flame", &trace, "--measure", of], objects].concat())["total"].as_f64().expect("a number");
            assert!((file.sum(n) as f64 - total).abs() <= 1.0, "{measure}: {} {of}, not {total}", file.sum(n));
        }
    }
    let file = Pprof::read(&run(&["convert", &trace, "-o", "-", "--to", "pprof", "--anonymize"], b"").stdout);
    assert!(!file.numbers.contains_key(&9), "an anonymized file must not have a start time");
}

#[test]
fn a_base_is_subtracted() {
    let (old, new) = (fixture("leak-3-long.ctf"), fixture("leak-15.ctf"));
    let read = |args: &[&str]| {
        let output = run(&[&["convert", "-o", "-", "--to", "pprof", "--all"], args].concat(), b"");
        assert_eq!(stderr_of(&output), "");
        Pprof::read(&output.stdout)
    };
    let [before, after] = [&old, &new].map(|trace| read(&[trace]));
    let change = read(&[&new, "--base", &old]);
    for of in 0..4 {
        assert!((change.sum(of) - (after.sum(of) - before.sum(of))).abs() <= 1, "{}", change.types[of]);
    }
    assert!(change.samples.iter().any(|values| values[1] < 0), "nothing is negative");
    let same = read(&[&new, "--base", &new]);
    assert!((0..4).all(|of| same.sum(of) == 0));
}

#[test]
fn json_describes_the_written_file() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let out = TempPath::new("described.folded");
    let written = json(&["convert", &trace, "-o", out.path(), "--measure", "blocks"]);
    let size = fs::metadata(out.path()).expect("written").len();
    assert_eq!((&written["format"], &written["bytes"]), (&"folded".into(), &size.into()));
    assert_eq!(
        (&written["measure"], &written["total"]),
        (&"blocks".into(), &json(&["flame", &trace, "--measure", "blocks"])["total"])
    );
    let copy = TempPath::new("described.ctf");
    let written = json(&["convert", &trace, "-o", copy.path()]);
    assert_eq!(written["objects"], json(&["summary", &trace])["objects"]);
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &["convert FILE -o - --json"],
        expect![[r#"
            error: --json describes the written file, so -o can't be standard output.
        "#]],
    );
}

#[test]
fn an_anonymized_trace_can_keep_the_names_of_the_standard_library() {
    let (trace, copy) = (fixture("orders-1e-4-v2.ctf"), TempPath::new("kept-stdlib.ctf"));
    stdout(&["convert", &trace, "-o", copy.path(), "--anonymize", "--keep", "stdlib"]);
    let bytes = fs::read(copy.path()).expect("written");
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("Stdlib__Bytes.sub") && !has("Orders") && !has("orders"));
    // Findings attribute library code to its callers, so they are about the same functions.
    let figures = |path: &str| {
        let findings = json(&["summary", path])["findings"].as_array().expect("a list").clone();
        findings.iter().map(|finding| finding["figures"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(figures(&trace), figures(copy.path()));
    let anonymous = TempPath::new("no-stdlib.ctf");
    stdout(&["convert", &trace, "-o", anonymous.path(), "--anonymize"]);
    assert_ne!(figures(&trace), figures(anonymous.path()));
}

/// Stacks with a common prefix must be adjacent, so that they form one box in speedscope's time order.
#[test]
fn speedscope_stacks_are_in_call_tree_order() {
    for (name, options) in [
        ("orders-1e-4-v2.ctf", &[][..]),
        ("orders-1e-4-v2.ctf", &["--all"]),
        ("orders-1e-4-v2.ctf", &["--by", "site"]),
        ("orders-1e-4-v2.ctf", &["--measure", "blocks"]),
        ("typecore-1e-4-v2.ctf", &["--by", "site", "--all"]),
    ] {
        let command = ["convert", &fixture(name), "-o", "-", "--to", "speedscope"];
        let file: Value = serde_json::from_slice(&run(&[&command, options].concat(), b"").stdout).expect("JSON");
        let stacks: Vec<Vec<u64>> = serde_json::from_value(file["profiles"][0]["samples"].clone()).expect("stacks");
        let mut ended: std::collections::HashSet<&[u64]> = Default::default();
        for pair in stacks.windows(2) {
            let common = pair[0].iter().zip(&pair[1]).take_while(|(one, two)| one == two).count();
            ended.extend((common + 1..=pair[0].len()).map(|depth| &pair[0][..depth]));
            let again = (common + 1..=pair[1].len()).find(|depth| ended.contains(&pair[1][..*depth]));
            assert_eq!(again, None, "{name} {options:?}: {:?} comes twice", pair[1]);
        }
    }
}

#[test]
fn the_extension_determines_the_export_format() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let folded = TempPath::new("out.folded");
    stdout(&["convert", &trace, "-o", folded.path()]);
    assert_eq!(fs::read_to_string(folded.path()).expect("written"), stdout(&["flame", &trace]));

    let speedscope = TempPath::new("out.speedscope.json");
    stdout(&["convert", &trace, "-o", speedscope.path(), "--measure", "samples"]);
    let file: Value = serde_json::from_slice(&fs::read(speedscope.path()).expect("written")).expect("JSON");
    assert_eq!(file["profiles"][0]["endValue"], 200.0);

    let pprof = TempPath::new("out.pb.gz");
    stdout(&["convert", &trace, "-o", pprof.path()]);
    let mut message = Vec::new();
    let packed = fs::read(pprof.path()).expect("written");
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut message).expect("gzip");
    assert!(message.windows(6).any(|window| window == b"Tiny.f"));

    stdout(&["convert", &trace, "-o", folded.path(), "--to", "folded", "--anonymize"]);
    assert!(!fs::read_to_string(folded.path()).expect("written").contains("Tiny"));
}

#[test]
fn every_export_adds_up_to_the_exact_total() {
    let traces = ["orders-1e-4-v2.ctf", "domains-multi-1e-3-o5-v3.ctf", "phases-1e-4-v2.ctf"];
    let measures = ["allocated", "blocks", "peak", "byte-seconds", "samples"];
    for (nth, (name, measure)) in traces.iter().flat_map(|name| measures.map(|measure| (name, measure))).enumerate() {
        let trace = fixture(name);
        let total = json(&["flame", &trace, "--measure", measure])["total"].as_f64().expect("a number");
        let is_exact = |sum: f64| (sum - total).abs() <= 1e-9 * total;
        let all = if nth % 2 == 0 { &[][..] } else { &["--all"] };
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

        // These formats have integers.
        let sum = folded_sum(&String::from_utf8(export("folded")).expect("UTF-8"));
        assert!((sum - total).abs() <= 1.0, "{name} {measure} {all:?}: folded stacks say {sum}, not {total}");
        let file = Pprof::read(&export("pprof"));
        let default_type = file.types.iter().position(|of| of.starts_with(&file.default_type)).expect("a type");
        let sum = file.sum(default_type) as f64;
        assert!((sum - total).abs() <= 1.0, "{name} {measure} {all:?}: pprof says {sum}, not {total}");
    }
}

/// A parsed pprof file.
struct Pprof {
    /// `alloc_space bytes`, …
    types: Vec<String>,
    default_type: String,
    period_type: String,
    /// The values of each sample.
    samples: Vec<Vec<i64>>,
    /// By field.
    numbers: BTreeMap<u64, u64>,
}

impl Pprof {
    fn read(packed: &[u8]) -> Pprof {
        let mut message = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut message).expect("gzip");
        let all = |wanted: u64| contents(&message, wanted);
        let texts: Vec<&str> = all(6).map(|text| std::str::from_utf8(text).expect("UTF-8")).collect();
        let value_type = |content: &[u8]| {
            let of = numbers(content);
            format!("{} {}", texts[of[&1] as usize], texts[of[&2] as usize])
        };
        let values = |sample: &[u8]| {
            let mut packed = contents(sample, 2).next().expect("values");
            let mut values = Vec::new();
            while !packed.is_empty() {
                let (value, rest) = varint(packed);
                values.push(value as i64);
                packed = rest;
            }
            values
        };
        let numbers = numbers(&message);
        Pprof {
            types: all(1).map(value_type).collect(),
            default_type: texts[numbers[&14] as usize].to_owned(),
            period_type: all(11).map(value_type).next().expect("a period"),
            samples: all(2).map(values).collect(),
            numbers,
        }
    }

    /// Returns the sum of all values of a type.
    fn sum(&self, of: usize) -> i64 {
        self.samples.iter().map(|values| values[of]).sum()
    }
}

/// Returns the numeric fields of a protobuf message by number. If a field repeats, the last value counts.
fn numbers(message: &[u8]) -> BTreeMap<u64, u64> {
    fields(message).filter(|(tag, ..)| tag & 7 != 2).map(|(tag, n, _)| (tag >> 3, n)).collect()
}

/// Returns the length-prefixed fields of a protobuf message with this number.
fn contents(message: &[u8], field: u64) -> impl Iterator<Item = &[u8]> {
    fields(message).filter(move |(tag, ..)| *tag == field << 3 | 2).map(|(_, _, content)| content)
}

/// Returns the fields of a protobuf message: tag, number or length, and the content after a length.
fn fields(mut message: &[u8]) -> impl Iterator<Item = (u64, u64, &[u8])> {
    std::iter::from_fn(move || {
        let (tag, rest) = (!message.is_empty()).then(|| varint(message))?;
        let (n, rest) = varint(rest);
        let (content, rest) = rest.split_at(if tag & 7 == 2 { n as usize } else { 0 });
        message = rest;
        Some((tag, n, content))
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
fn conflicting_options_are_rejected() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &[
            "convert FILE -o - --to folded --thin 2",
            "convert FILE -o - --all",
            "convert FILE -o - --measure blocks",
            "convert FILE -o - --by file",
            "convert FILE -o - --thin 0",
            "convert FILE -o - --between noon",
            "convert FILE",
        ],
        expect![[r#"
            error: --downsample only works with --to ctf.
            error: --all only works with --to folded, speedscope, firefox or pprof.
            error: --measure doesn't work with --to ctf: a trace has all measures.
            error: --by doesn't work with --to ctf: a trace keeps its stacks unchanged.
            error: invalid value '0' for '--downsample <N>': 0 is not in 1..=4294967295
            error: invalid value 'noon' for '--between <A..B>': expected a time range such as 1s..2s, 500ms.. or ..3min
            error: the following required arguments were not provided:
              --output <OUT>

            Usage: camlscope convert --output <OUT> <FILE>...
        "#]],
    );
}

#[test]
fn an_unwritable_output_exits_with_status_1() {
    let output = run(&["convert", &fixture("tiny-0.1-v2.ctf"), "-o", "no-such-folder/out.ctf"], b"");
    assert_eq!(output.status.code(), Some(1));
    let words = stderr_of(&output);
    assert!(words.starts_with("error: Can't write no-such-folder/out.ctf: "), "{words}");
}

#[test]
fn a_static_report_is_one_file_with_findings_and_escaped_names() {
    let out = TempPath::new("report.html");
    stdout(&["convert", &fixture("orders-1e-4-v2.ctf"), "-o", out.path(), "--measure", "peak"]);
    let page = fs::read_to_string(out.path()).expect("written");
    for words in [
        "Orders.Session.visit",
        "The heap keeps growing",
        "bytes live at the peak of all objects",
        "<svg",
        "<h2>Growth",
    ] {
        assert!(page.contains(words), "no {words:?}");
    }
    // `>>=` and similar names are data, not markup.
    assert!(!page.contains("<script") && !page.contains("src="), "the report must not load other files");
    assert!(!page.contains("<lost") && page.matches("<svg").count() == page.matches("</svg>").count());
}

#[test]
fn the_table_of_a_report_uses_its_measure() {
    let out = TempPath::new("blocks.html");
    stdout(&["convert", &fixture("tiny-0.1-v2.ctf"), "-o", out.path(), "--measure", "blocks"]);
    let page = fs::read_to_string(out.path()).expect("written");
    let row = page.lines().find(|line| line.starts_with("<tr><td>Tiny.f ")).expect("a row of the table");
    assert!(row.contains("</td><td>34</td><td>34</td><td></td><td>69</td>"), "{row}");
}
