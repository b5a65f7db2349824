//! Plain names, next to the compiler's names.

use std::collections::BTreeSet;
use std::fs;

use camlscope_formats::ctf::encode::{Block, Encoder};
use camlscope_formats::ctf::{AllocSource, Info, Location};
use expect_test::expect;
use serde_json::{Value, json as json_value};

use crate::program::{TempPath, check, fixture, json, run, stdout};

/// A program built with dune. It has a library, its own `List` next to OCaml's, and two call sites on one line.
fn dune_trace(name: &str) -> TempPath {
    let file = TempPath::new(name);
    let info = Info { version: 3, sample_rate: 0.5, word_size_bits: 64, start_us: 1, ..Info::default() };
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&info, &mut bytes).expect("a version to write");
    let frames = [
        ("Dune__exe__Slow.Route.make", "bin/slow.ml", 12, 4),
        ("Base__Map.add", "src/map.ml", 7, 2),
        ("Stdlib__List.map", "list.ml", 92, 20),
        ("Dune__exe__List.map", "bin/list.ml", 3, 6),
        ("Base__Map.add", "src/map.ml", 7, 30),
        ("Base__Map.add", "src/map.ml", 8, 2),
    ];
    for (code, (name, file, line, start_char)) in (1..).zip(frames) {
        let location = Location { file: file.into(), name: name.into(), line, start_char, end_char: start_char + 5 };
        encoder.location(code, &[location]);
    }
    let stacks: [(u64, &[u64]); 5] = [(100, &[1]), (40, &[1, 3]), (30, &[1, 4]), (20, &[1, 2]), (10, &[1, 5])];
    let block = |n_samples| Block { length_words: 40, n_samples, source: AllocSource::Minor };
    for (time_us, (n_samples, stack)) in (1..).zip(stacks) {
        encoder.alloc(0, time_us, block(n_samples), stack).expect("written");
    }
    encoder.alloc(0, 9, block(5), &[1, 6]).expect("written");
    encoder.finish().expect("written");
    fs::write(file.path(), bytes).expect("written");
    file
}

#[test]
fn tables_show_plain_names_and_json_has_both() {
    let trace = dune_trace("names-table.ctf");
    check(
        &["table", trace.path()],
        expect![[r#"
                self  share     total      ±  samples  blocks  lifetime  promoted  at the end  name             location
            1.56 KiB    49%  3.20 KiB  333 B      205      10      7 µs        0%    3.20 KiB  Slow.Route.make  bin/slow.ml
               640 B    20%     640 B  157 B       40       2      7 µs        0%       640 B  List.map         list.ml
               560 B    17%     560 B  148 B       35       2      4 µs        0%       560 B  Base.Map.add     src/map.ml
               480 B    15%     480 B  138 B       30       1      6 µs        0%       480 B  List.map         bin/list.ml
            lifetime: mean, weighted by bytes. Uncollected objects live until the end.
        "#]],
    );
    let table = json(&["table", trace.path()]);
    let names = |key: &str| -> Vec<&str> {
        table["rows"].as_array().expect("rows").iter().filter_map(|row| row[key].as_str()).collect()
    };
    assert_eq!(
        names("name"),
        ["Dune__exe__Slow.Route.make", "Stdlib__List.map", "Base__Map.add", "Dune__exe__List.map"]
    );
    assert_eq!(names("label"), ["Slow.Route.make", "List.map", "Base.Map.add", "List.map"]);
    let csv = stdout(&["table", trace.path(), "--csv"]);
    assert_eq!(
        csv.lines().nth(1).map(|line| line.split(',').take(3).collect()),
        Some(vec!["Dune__exe__Slow.Route.make", "Slow.Route.make", "bin/slow.ml"])
    );
}

#[test]
fn findings_and_comparisons_show_plain_names() {
    let trace = dune_trace("names-words.ctf");
    let summary = stdout(&["summary", trace.path()]);
    assert!(summary.contains("“Slow.Route.make”") && !summary.contains("__"), "{summary}");
    let compared = stdout(&["compare", trace.path(), trace.path()]);
    assert!(compared.contains("Base.Map.add") && !compared.contains("__"), "{compared}");
    let compared = json(&["compare", trace.path(), trace.path()]);
    let labels: Vec<&Value> = compared["rows"].as_array().expect("rows").iter().map(|row| &row["label"]).collect();
    let is_route =
        |label: &&Value| label["name"] == "Dune__exe__Slow.Route.make" && label["label"] == "Slow.Route.make";
    assert!(labels.iter().any(is_route), "{labels:?}");
    let markdown = run(&["compare", "--markdown", &fixture("leak-1e-4-v3.ctf"), trace.path()], &[]).stdout;
    let markdown = String::from_utf8_lossy(&markdown);
    assert!(markdown.contains("`List.init_aux` `list.ml`"), "{markdown}");
    assert!(!stdout(&["leaks", trace.path()]).contains("__"));
}

#[test]
fn timeline_series_have_distinct_plain_names() {
    let trace = dune_trace("names-timeline.ctf");
    let text = stdout(&["timeline", trace.path(), "--by", "site", "--points", "2"]);
    for name in [
        "Base.Map.add src/map.ml:7:2-7",
        "Base.Map.add src/map.ml:7:30-35",
        "Base.Map.add src/map.ml:8 ",
        "Stdlib__List.map list.ml:92",
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
    let series = &json(&["timeline", trace.path(), "--by", "function"])["series"][0];
    assert_eq!(
        (&series["name"], &series["label"]),
        (&json_value!("Dune__exe__Slow.Route.make"), &json_value!("Slow.Route.make"))
    );
}

#[test]
fn folded_stacks_have_plain_names_unless_ambiguous() {
    let trace = dune_trace("names-folded.ctf");
    check(
        &["flame", trace.path()],
        expect![[r#"
        Slow.Route.make 1600
        Slow.Route.make;Stdlib__List.map 640
        Slow.Route.make;Base.Map.add 560
        Slow.Route.make;Dune__exe__List.map 480
    "#]],
    );
}

#[test]
fn stacks_by_site_show_locations() {
    let trace = dune_trace("names-sites.ctf");
    check(
        &["flame", "--by", "site", trace.path()],
        expect![[r#"
        Slow.Route.make bin/slow.ml:12 1600
        Slow.Route.make bin/slow.ml:12;Stdlib__List.map list.ml:92 640
        Slow.Route.make bin/slow.ml:12;Dune__exe__List.map bin/list.ml:3 480
        Slow.Route.make bin/slow.ml:12;Base.Map.add src/map.ml:7:2-7 320
        Slow.Route.make bin/slow.ml:12;Base.Map.add src/map.ml:7:30-35 160
        Slow.Route.make bin/slow.ml:12;Base.Map.add src/map.ml:8 80
    "#]],
    );
    let first = &json(&["flame", "--by", "site", trace.path()])["stacks"][1];
    assert_eq!(first["frames"], json_value!(["Dune__exe__Slow.Route.make", "Stdlib__List.map"]));
    assert_eq!(first["labels"], json_value!(["Slow.Route.make bin/slow.ml:12", "Stdlib__List.map list.ml:92"]));
}

#[test]
fn stacks_are_written_distinctly() {
    for name in ["orders-1e-4-v2.ctf", "typecore-1e-4-v2.ctf", "longline-1.0-o5-v2.ctf", "phases-1e-4-v2.ctf"] {
        for grain in ["function", "site"] {
            let text = run(&["flame", "--all", "--by", grain, &fixture(name)], b"").stdout;
            let text = String::from_utf8(text).expect("UTF-8");
            let stacks: Vec<&str> = text.lines().filter_map(|line| Some(line.rsplit_once(' ')?.0)).collect();
            assert_eq!(stacks.iter().collect::<BTreeSet<_>>().len(), stacks.len(), "{name} by {grain}");
        }
    }
}

#[test]
fn speedscope_shows_locations_of_call_sites() {
    let (trace, file) = (dune_trace("names-speedscope.ctf"), TempPath::new("names.speedscope.json"));
    stdout(&["convert", trace.path(), "--to", "speedscope", "-o", file.path()]);
    let profile: Value = serde_json::from_slice(&fs::read(file.path()).expect("written")).expect("JSON");
    let frames = profile["shared"]["frames"].as_array().expect("frames");
    let names: BTreeSet<&str> = frames.iter().filter_map(|frame| frame["name"].as_str()).collect();
    assert!(names.iter().any(|name| name.starts_with("Slow.Route.make")), "{names:?}");
    assert_eq!(names.len(), frames.len());
}

#[test]
fn filters_match_plain_and_compiler_names() {
    let trace = dune_trace("names-filters.ctf");
    let patterns = ["^Base\\.Map\\.add$", "^Base__Map\\.add$", "nothing"];
    let names = ["Base.Map.add", "Base__Map.add", "nothing"];
    let options = [("--function", patterns), ("--not-function", patterns), ("--hide", patterns), ("--focus", names)];
    for (option, asked) in options {
        let [plain, raw, nothing] = asked.map(|name| run(&["flame", trace.path(), option, name], b"").stdout);
        assert_eq!(plain, raw, "{option}");
        assert_ne!(plain, nothing, "{option}");
    }
    for search in ["base.map", "base__map"] {
        let rows = json(&["table", trace.path(), "--search", search]);
        assert_eq!(rows["n_rows"], 1, "{search}");
    }
}

#[test]
fn a_static_report_shows_only_plain_names() {
    let (trace, file) = (dune_trace("names-report.ctf"), TempPath::new("names-report.html"));
    stdout(&["report", trace.path(), "--static", "--by", "site", "-o", file.path()]);
    let page = fs::read_to_string(file.path()).expect("written");
    let row = "<tr><td>Base.Map.add <span class=\"weak\">src/map.ml:7:2-7</span>";
    assert!(page.contains(row), "{page}");
    assert!(page.contains("<title>Slow.Route.make bin/slow.ml:12:4-9 100%"), "{page}");
    assert!(!page.contains("Dune__exe__"), "{page}");
}

#[test]
fn events_show_compiler_names() {
    let trace = dune_trace("names-dump.ctf");
    assert!(stdout(&["dump", trace.path()]).contains("Dune__exe__Slow.Route.make@bin/slow.ml:12:4-9"));
}
