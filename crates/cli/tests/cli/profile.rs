//! Every command on Spacetime profiles.

use expect_test::expect;
use serde_json::Value;

use crate::program::{check, fixture, json, json_of, run, run_on, stderr_of, stdout};

const RAW: &str = "spacetime-11710";
const SERIES: &str = "spacetime-11710.p";

fn facts() -> Value {
    let text = std::fs::read_to_string(fixture("spacetime-11710.facts.json")).expect("is a fixture");
    serde_json::from_str(&text).expect("is JSON")
}

/// `leak.ml:4:77-87`, the format of locations in the facts.
fn place(row: &Value) -> String {
    format!("{}:{}:{}-{}", row["file"].as_str().unwrap_or_default(), row["line"], row["start_char"], row["end_char"])
}

fn rows(file: &str, measure: &str) -> Vec<Value> {
    let table = json(&["table", &fixture(file), "--by", "site", "--measure", measure, "--top", "1000"]);
    table["rows"].as_array().expect("has rows").clone()
}

#[test]
fn the_summary_matches_the_reference_facts() {
    let (facts, summary) = (facts(), json(&["summary", &fixture(RAW)]));
    for name in ["format", "version", "has_call_counts", "file_bytes", "end_us", "marks", "allocation_points"] {
        assert_eq!(summary[name], facts[name], "{name}");
    }
    let (found, wanted) = (summary["snapshots"].as_array().unwrap(), facts["snapshots"].as_array().unwrap());
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        for (name, figure) in wanted.as_object().unwrap() {
            assert_eq!(&found[name], figure, "{name}");
        }
    }
    let of_objects = ["samples", "events", "distinct_stacks", "sizes", "info", "profile"];
    assert!(of_objects.iter().all(|name| summary.get(name).is_none()), "a profile must not have figures about objects");
}

#[test]
fn tables_of_both_forms_match_the_facts_of_each_location() {
    let facts = facts();
    for file in [RAW, SERIES] {
        for (at_us, wanted) in facts["live_by_place"].as_object().unwrap() {
            let at_s = at_us.parse::<f64>().unwrap() / 1e6;
            let rows = rows(file, &format!("live@{at_s:.6}s"));
            for fact in wanted.as_array().unwrap() {
                // Code without a position is merged into one row.
                let Some(row) = rows.iter().find(|row| place(row) == fact[0]) else { continue };
                assert_eq!(row["self_bytes"].as_f64(), fact[1].as_f64().map(|words| words * 8.0), "{file} {fact}");
                assert_eq!(row["blocks"], fact[2], "{file} {fact}");
            }
            assert!(rows.len() >= 10);
        }
        for (measure, column, facts, factor) in [
            ("allocated", "self_bytes", &facts["allocated_by_place"], 8.0),
            ("calls", "self_calls", &facts["calls_by_place"], 1.0),
        ] {
            let rows = rows(file, measure);
            for fact in facts.as_array().unwrap() {
                let Some(row) = rows.iter().find(|row| place(row) == fact[0]) else { continue };
                assert_eq!(row[column].as_f64(), fact[1].as_f64().map(|n| n * factor), "{file} {measure} {fact}");
            }
        }
    }
}

#[test]
fn the_summary_describes_the_profile() {
    check(
        &["summary", &fixture(RAW)],
        expect![[r#"
            format             Spacetime version 0
            file               262 KiB
            duration           3.26 s of CPU time
            snapshots          7
            allocation points  36
            call counts        yes
            events             iter 100 (1.699 s), iter 200 (2.187 s), iter 300 (2.697 s), iter 400 (3.265 s)

            allocated          179 MiB, 54.9 MiB/s of CPU time
            peak               9.61 MiB at 2.71 s of CPU time
            live at the end    9.50 MiB
            unattributed       1.91 MiB
            blocks at the end  331,956
            GC                 98 minor and 15 major collections, 0 compactions, heap 11.5 MiB

            • The heap keeps growing: +1.82 MiB/s (0.93–3.27) since the start. Three lines account for it: leak.ml:3 39%, leak.ml:2 38%, leak.ml:4 23%.
            • “leak.ml:4” accounts for 35% of the peak: 3.40 MiB of 9.61 MiB.
            • “leak.ml:4” allocates 97% of all memory: 174 MiB of 179 MiB.
        "#]],
    );
}

#[test]
fn timeline_has_a_row_for_each_snapshot() {
    check(
        &["timeline", &fixture(RAW)],
        expect![[r#"
             CPU time      live   blocks  unattributed  allocated so far
            23.071 ms  1.91 MiB   83,250       312 KiB          22.8 MiB
                1.7 s  3.36 MiB  146,873       604 KiB          47.5 MiB
               1.96 s  3.88 MiB  169,692       882 KiB          76.3 MiB
              2.194 s  4.54 MiB  198,536      1.13 MiB           104 MiB
              2.431 s  6.18 MiB  270,010      1.47 MiB           130 MiB
              2.708 s  7.85 MiB  343,073      1.76 MiB           153 MiB
              2.977 s  7.60 MiB  331,956      1.91 MiB           179 MiB
        "#]],
    );
    let (facts, timeline) = (facts(), json(&["timeline", &fixture(RAW)]));
    let figures = |name: &str, factor: f64| -> Vec<f64> {
        facts["snapshots"].as_array().unwrap().iter().map(|of| of[name].as_f64().unwrap() * factor).collect()
    };
    let found = |name: &str| -> Vec<f64> {
        timeline[name].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    assert_eq!(found("times_us"), figures("at_us", 1.0));
    assert_eq!(found("live_bytes"), figures("live_words", 8.0));
    assert_eq!(found("live_blocks"), figures("live_blocks", 1.0));
    assert_eq!(found("allocated_bytes"), figures("allocated_words", 8.0));
}

#[test]
fn layers_and_unknown_add_up_to_the_curve() {
    let timeline = json(&["timeline", &fixture(RAW), "--by", "site", "--top", "3", "--points", "9"]);
    let series = timeline["series"].as_array().unwrap();
    let names: Vec<&str> = series.iter().map(|series| series["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["leak.ml:4", "list.ml:67", "leak.ml:2", "other", "unknown"]);
    for (at, whole) in timeline["live_last"].as_array().unwrap().iter().enumerate() {
        let sum: f64 = series.iter().map(|series| series["live_last"][at].as_f64().unwrap()).sum();
        assert_eq!(sum, whole.as_f64().unwrap());
    }
}

#[test]
fn table_leaks_flame_and_compare_support_profiles() {
    check(
        &["table", &fixture(RAW), "--measure", "peak", "--top", "5"],
        expect![[r#"
                self  share     total   blocks      calls  name          location
            3.40 MiB    43%  3.40 MiB  148,332  8,000,000  leak.ml:4     leak.ml
            2.22 MiB    28%  2.22 MiB   97,200    120,400  leak.ml:2     leak.ml
            2.22 MiB    28%  2.22 MiB   97,200    120,000  list.ml:67    list.ml
            7.59 KiB  <0.1%  4.46 MiB  194,724        400  leak.ml:3     leak.ml
               792 B  <0.1%     792 B        2          0  stdlib.ml:16  stdlib.ml
            54 more rows. Use --top to show more.
        "#]],
    );
    check(
        &["leaks", &fixture(RAW), "--by", "function", "--top", "3"],
        expect![[r#"
            The heap keeps growing: +1.82 MiB/s (0.93–3.27) since the start. Three lines account for it:
            leak.ml:3 39%, leak.ml:2 38%, leak.ml:4 23%.
            A cache that is filling up or a program that builds up its result looks the same as a leak. Record
            for longer: a cache levels off, but a leak doesn't.
            Memory counts as never freed if no later snapshot has less of it. Times are CPU times.

            verdict    growth (95% interval)  share  at the end  never freed       site               reason
            growing     718 KiB/s (233–1677)  38.6%    2.62 MiB  ▂▂▂▂▂▂▂▂████▆▇▇▁  leak.ml:3 leak.ml  39% (16–67%) of the growth
            growing     716 KiB/s (234–1676)  38.5%    2.61 MiB  ▂▂▂▂▂▂▂▂████▆▇▇▁  leak.ml:2 leak.ml  38% (16–67%) of the growth
            undecided  426 KiB/s (65.3–1765)  22.9%    2.36 MiB  ▁▁▁▁▁▁▁▁▁▁▅█▁▁▁▁  leak.ml:4 leak.ml  426 KiB/s (65.3–1765) so far

            3 more sites. Use --top to show more.
        "#]],
    );
    check(
        &["flame", &fixture(RAW), "--all", "--by", "module", "--measure", "calls"],
        expect![[r#"
        Leak 13
        Leak;Leak 800
        Leak;Leak;Leak 8000800
        Leak;Leak;Leak;List 240400
        Leak;Leak;Leak;List;Leak 120000
        Leak;Leak;Leak;List;List 400
        Leak;Leak;Leak;Leak 400
        Leak;Leak;List 7999600
        Leak;List;List 1
        Leak;List;List;List 399
        Leak;Printf 23
        Leak;Printf;CamlinternalFormat 12
        Leak;Printf;CamlinternalFormat;Buffer 8
        Leak;Printf;Buffer;Bytes 4
        Leak;Printf;Printf 2
        Leak;CamlinternalFormat 24
        Leak;CamlinternalFormat;(no debug info) 5
        Leak;Spacetime 8
        Leak;(no debug info) 5
        (no debug info) 8
        Std_exit;Stdlib 1
        Std_exit;Stdlib;Stdlib 4
    "#]],
    );
    check(
        &["compare", &fixture(RAW), "--times", "1.699634s,end", "--self", "--top", "4"],
        expect![[r#"
              before     after     change  ±      %  verdict  name        location  reason
            3.36 MiB  7.60 MiB  +4.24 MiB  –  +126%  grew     everything            exact figures
             708 KiB  2.61 MiB  +1.92 MiB  –  +278%  grew     leak.ml:2   leak.ml   exact figures
             708 KiB  2.61 MiB  +1.92 MiB  –  +278%  grew     list.ml:67  list.ml   exact figures
            1.98 MiB  2.36 MiB   +394 KiB  –   +19%  grew     leak.ml:4   leak.ml   exact figures
            2.37 KiB  8.93 KiB  +6.56 KiB  –  +277%  grew     leak.ml:3   leak.ml   exact figures
            16 more rows. Use --top to show more.
        "#]],
    );
}

#[test]
fn a_time_between_snapshots_uses_the_previous_one() {
    let at = |time: &str| json(&["table", &fixture(RAW), "--by", "site", "--measure", time])["rows"].clone();
    assert_eq!(at("live@2.3s"), at("live@2.193764s"));
    assert_ne!(at("live@2.3s"), at("live@2.430809s"));
    assert_eq!(at("live@0s"), at("live@0.023071s"), "a time before the first snapshot becomes the first snapshot");
}

#[test]
fn every_command_notes_the_snapshot_used_for_a_time() {
    let note = "note: There is no snapshot at 1s. The figures are from the snapshot before it, at 23.071ms.\n";
    for command in [
        "table FILE --live-at 1s",
        "table FILE --measure live@1s",
        "table FILE --measure live --live-at 1s",
        "summary FILE --live-at 1s",
        "flame FILE --all --measure live@1s",
        "leaks FILE --live-at 1s",
        "compare FILE --times 1s,end",
        "convert FILE --to folded --all -o - --measure live@1s",
        "convert FILE --to html -o - --measure live@1s",
    ] {
        let output = run_on(RAW, command);
        assert_eq!((output.status.code(), stderr_of(&output).as_str()), (Some(0), note), "{command}");
    }
    let output = run_on(RAW, "table FILE --measure live@0.023071s");
    assert_eq!(stderr_of(&output), "", "a snapshot's own time needs no note");
    let output = run(&["table", &fixture(RAW), "--live-at", "0s"], b"");
    assert!(stderr_of(&output).contains("from the first snapshot, at 23.071ms"), "{}", stderr_of(&output));
}

#[test]
fn json_has_the_time_of_its_snapshot() {
    let at = |args: &[&str]| json(&[args, &[&fixture(RAW)]].concat())["snapshot_us"].clone();
    for args in [
        &["table", "--live-at", "1s"][..],
        &["summary", "--measure", "live@1s"],
        &["flame", "--measure", "live@1s"],
        &["leaks", "--live-at", "1s"],
    ] {
        assert_eq!(at(args), 23_071, "{args:?}");
    }
    assert_eq!([at(&["table", "--measure", "end"]), at(&["table"])], [Value::from(2_976_664), Value::Null]);
    let compared = json(&["compare", &fixture(RAW), "--times", "1s,2s"]);
    assert_eq!(compared["snapshots_us"], serde_json::json!([23_071, 1_960_009]));
    let table = json(&["table", &fixture("tiny-1.0-v3.ctf"), "--live-at", "peak"]);
    assert!(table.get("snapshot_us").is_none() && table.get("range_us").is_none(), "a trace has no snapshots");
}

#[test]
fn allocations_in_a_time_range_are_between_two_snapshots() {
    let allocated = |range: &str| json(&["table", &fixture(RAW), "--allocated", range, "--top", "1"]);
    let facts = facts();
    let words = |at: usize| facts["snapshots"][at]["allocated_words"].as_f64().unwrap();
    let us = |at: usize| facts["snapshots"][at]["at_us"].as_u64().unwrap();
    let seconds = |at: usize| format!("{:.6}s", us(at) as f64 / 1e6);
    let exact = allocated(&format!("{}..{}", seconds(1), seconds(3)));
    assert_eq!(exact["range_us"], serde_json::json!([us(1), us(3)]));
    assert_eq!(exact["all_bytes"].as_f64(), Some((words(3) - words(1)) * 8.0));
    let wider = allocated("1.8s..2.2s");
    assert_eq!((&wider["range_us"], &wider["all_bytes"]), (&exact["range_us"], &exact["all_bytes"]));
    assert_eq!(allocated("0s..1s")["range_us"], serde_json::json!([null, us(0)]));

    let notes = |range: &str| stderr_of(&run(&["table", &fixture(RAW), "--allocated", range], b""));
    assert_eq!(notes(&format!("{}..{}", seconds(1), seconds(3))), "");
    let words = format!("from the one at {} to the one at {}.", seconds(1), seconds(3));
    assert!(notes("1.8s..2.2s").contains(&words), "{}", notes("1.8s..2.2s"));
    let output = run(&["convert", &fixture(RAW), "--between", "1.8s..2.2s", "--to", "folded", "-o", "-"], b"");
    assert!(stderr_of(&output).contains(&words), "{}", stderr_of(&output));
    assert!(notes("1.8s..1.9s").contains("fewer than two snapshots"), "{}", notes("1.8s..1.9s"));
}

#[test]
fn growth_between_two_profiles_is_exact() {
    let compared = json(&["compare", &fixture(RAW), &fixture(SERIES), "--by", "site", "--measure", "peak"]);
    assert_eq!(compared["n_changed"], 0);
    assert!(
        compared["rows"].as_array().unwrap().iter().all(|row| row["change"]["verdict"] == "unchanged"),
        "{compared}"
    );
}

#[test]
fn a_trace_cannot_be_compared_with_a_profile() {
    let output = run(&["compare", &fixture(RAW), &fixture("tiny-1.0-v3.ctf")], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    expect![[r#"
        error: spacetime-11710: Can't compare a memtrace trace with a Spacetime profile.
        Compare two traces or two profiles.
    "#]]
    .assert_eq(&stderr_of(&output).replace(&fixture(""), ""));
}

#[test]
fn unsupported_queries_on_a_profile_exit_with_status_1() {
    for (command, words) in [
        ("histogram FILE --of size", "has no object sizes or lifetimes"),
        ("dump FILE", "has no object events"),
        ("convert FILE --to ctf -o -", "has no objects to export"),
        ("table FILE --measure promoted", "has no promotions"),
        ("table FILE --measure temporary", "has no lifetimes"),
        ("table FILE --size ..16", "has no object sizes"),
        ("timeline FILE --by heap", "has no heaps or domains"),
        ("timeline FILE --live-at 1s", "has no timeline of individual objects"),
    ] {
        let output = run_on(RAW, command);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{command}");
        assert!(stderr_of(&output).contains(words), "{command}: {}", stderr_of(&output));
    }
    let output = run(&["table", &fixture("tiny-1.0-v3.ctf"), "--measure", "calls"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("has no call counts"));
}

#[test]
fn a_profile_exports_to_all_formats_without_objects() {
    for format in ["folded", "speedscope", "html"] {
        let all: &[&str] = if format == "html" { &[] } else { &["--all"] };
        let text = stdout(&[&["convert", &fixture(RAW), "--to", format, "-o", "-"], all].concat());
        assert!(text.contains("leak.ml:4"), "{format}");
        assert!(!text.contains('±') && !text.contains("NaN"), "{format}");
    }
    let output = run(&["convert", &fixture(RAW), "--to", "pprof", "--all", "-o", "-"], b"");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert!(!output.stdout.is_empty());
}

#[test]
fn the_profile_of_a_killed_program_opens_with_its_totals() {
    let bytes = std::fs::read(fixture(RAW)).unwrap();
    let whole = json(&["summary", &fixture(RAW)]);
    // Truncated in the frame table, which comes after the snapshots.
    let cut = json_of(&["summary", "-", "--json"], &bytes[..bytes.len() / 2], 0);
    assert_eq!(cut["snapshots"], whole["snapshots"]);
    assert_eq!(cut["allocation_points"], Value::Null);
    let output = run(&["table", "-", "--by", "site", "--measure", "end"], &bytes[..bytes.len() / 2]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
            self  share     total   blocks  calls  name           location
        7.60 MiB   100%  7.60 MiB  331,956      –  <lost frames>
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stdout));
    expect![[r#"
        warning: The profile is truncated at byte 2,691. Everything before that was read.
        warning: The allocation points are missing: the program was killed before it wrote them, or that part of the file is lost. Totals are available.
    "#]]
    .assert_eq(&stderr_of(&output));
}

#[test]
fn other_marshaled_data_is_rejected() {
    // Marshal.to_string [1; 2] [].
    let list = b"\x84\x95\xa6\xbe\0\0\0\x05\0\0\0\x02\0\0\0\x06\0\0\0\x06\xa0\x41\xa0\x42\x40";
    let output = run(&["summary", "-"], list);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    expect![[r#"
        error: -: This is marshaled OCaml data, but it isn't a Spacetime profile.
        To record a trace, call Memtrace.trace_if_requested () in your program and run it with MEMTRACE=trace.ctf.
    "#]]
    .assert_eq(&stderr_of(&output));
}
