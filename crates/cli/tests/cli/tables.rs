//! Several traces: tables for other tools, and one line per trace.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use camlscope_testkit::synth::{Extent, Options, RunInfo, Shape, generate_run};
use serde_json::{Value, json};

use crate::program::{TempPath, fixture, json, run, stderr_of, stdout};

const TABLES: [&str; 4] = ["frames", "objects", "stacks", "traces"];

/// Returns the relative paths of all files in a folder, except the lock.
fn files_in(folder: &TempPath) -> Vec<String> {
    let root = Path::new(folder.path());
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false => files.push(entry.strip_prefix(root).expect("below").display().to_string()),
            }
        }
    }
    files.retain(|file| file != ".staging/lock");
    files.sort();
    files
}

fn is_of(table: &str, file: &str, program: &str) -> bool {
    file.starts_with(&format!("{table}/trace={program}-")) && file.ends_with("/part-0.parquet")
}

#[test]
fn each_trace_has_four_tables_and_converting_again_replaces_them() {
    let folder = TempPath::new("tables-twice");
    let (trace, other) = (fixture("tiny-0.1-v2.ctf"), fixture("deep-1e-3-v2.ctf"));
    stdout(&["convert", &trace, &other, "--to", "parquet", "-o", folder.path()]);
    let files = files_in(&folder);
    assert_eq!(files.len(), 2 * TABLES.len(), "{files:?}");
    for table in TABLES {
        assert!(
            ["tiny-v023.exe", "deep-v023.exe"]
                .iter()
                .all(|program| files.iter().any(|file| is_of(table, file, program)))
        );
    }
    stdout(&["convert", &trace, "--to", "parquet", "-o", folder.path()]);
    assert_eq!(files_in(&folder), files, "no other file must be left in the folder");
}

#[cfg(unix)]
#[test]
fn an_interrupted_conversion_is_finished_by_the_next_run() {
    let folder = TempPath::new("tables-stopped");
    let (trace, other) = (fixture("tiny-0.1-v2.ctf"), fixture("deep-1e-3-v2.ctf"));
    stdout(&["convert", &trace, "--to", "parquet", "-o", folder.path()]);
    let before = files_in(&folder);
    // `frames` is in place, but `stacks` can't be moved into place.
    let (stacks, aside) = (Path::new(folder.path()).join("stacks"), Path::new(folder.path()).join("aside"));
    fs::rename(&stacks, &aside).expect("renamed");
    std::os::unix::fs::symlink("nowhere", &stacks).expect("linked");
    let output = run(&["convert", &trace, "--to", "parquet", "-o", folder.path()], b"");
    assert_eq!(output.status.code(), Some(1));
    let has = |table: &str| files_in(&folder).iter().any(|file| is_of(table, file, "tiny-v023.exe"));
    assert_eq!(TABLES.map(has), [true, false, false, false], "{:?}", files_in(&folder));

    fs::remove_file(&stacks).expect("removed");
    fs::rename(&aside, &stacks).expect("renamed");
    stdout(&["convert", &other, "--to", "parquet", "-o", folder.path()]);
    let mut after = files_in(&folder);
    after.retain(|file| !file.contains("trace=deep-v023.exe-"));
    assert_eq!(after, before);
}

#[test]
fn a_profile_has_snapshots_instead_of_objects() {
    let folder = TempPath::new("tables-profile");
    stdout(&["convert", &fixture("spacetime-11710"), "--to", "parquet", "-o", folder.path()]);
    let tables: Vec<String> =
        files_in(&folder).iter().filter_map(|file| Some(file.split_once('/')?.0.to_owned())).collect();
    assert_eq!(tables, ["frames", "snapshots", "stacks", "traces"]);
}

#[test]
fn an_invalid_file_does_not_stop_the_others() {
    let folder = TempPath::new("tables-some");
    let (trace, text) = (fixture("tiny-0.1-v2.ctf"), fixture("tiny-0.1-v2.facts.json"));
    let output = run(&["convert", &text, &trace, "--to", "parquet", "-o", folder.path()], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("tiny-0.1-v2.facts.json") && stderr_of(&output).contains("1 of 2 files"));
    assert_eq!(files_in(&folder).len(), TABLES.len());

    let output = run(&["fleet", &text, &trace, "--json"], b"");
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<Value> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&lines[0]["program"], &lines[1]["error"]["kind"]), (&json!("tiny-v023.exe"), &json!("not-a-trace")));
}

#[test]
fn a_file_given_twice_is_converted_once() {
    let folder = TempPath::new("tables-same");
    let trace = fixture("tiny-0.1-v2.ctf");
    stdout(&["convert", &trace, &trace, "--to", "parquet", "-o", folder.path()]);
    assert_eq!(files_in(&folder).len(), TABLES.len());
}

#[test]
fn two_files_of_one_run_are_rejected() {
    let (folder, truncated, downsampled) =
        (TempPath::new("tables-copies"), TempPath::new("truncated.ctf"), TempPath::new("downsampled.ctf"));
    let (trace, other) = (fixture("orders-1e-4-v2.ctf"), fixture("tiny-0.1-v2.ctf"));
    let bytes = fs::read(&trace).expect("a fixture");
    fs::write(truncated.path(), &bytes[..bytes.len() / 2]).expect("written");
    stdout(&["convert", &trace, "--thin", "4", "-o", downsampled.path()]);
    // The dataset keeps its tables of the run.
    stdout(&["convert", &trace, "--to", "parquet", "-o", folder.path()]);
    let before = files_in(&folder);
    for copy in [truncated.path(), downsampled.path()] {
        let output = run(&["convert", &trace, copy, &other, "--to", "parquet", "-o", folder.path()], b"");
        let text = stderr_of(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        for (one, two) in [(trace.as_str(), copy), (copy, trace.as_str())] {
            let words = format!("{one}: This is the same run as {two}");
            assert!(text.contains(&words), "no {words} in {text}");
        }
        assert!(text.contains("Keep one of them") && text.contains("2 of 3 files"), "{text}");
        let mut files = files_in(&folder);
        files.retain(|file| !file.contains("trace=tiny-v023.exe-"));
        assert_eq!(files, before);

        let output = run(&["fleet", &trace, copy], b"");
        assert_eq!(output.status.code(), Some(0));
        assert!(stderr_of(&output).contains("are the same run."), "{}", stderr_of(&output));
    }
    let empty = TempPath::new("tables-none");
    let output = run(&["convert", &trace, truncated.path(), "--to", "parquet", "-o", empty.path()], b"");
    assert_eq!((output.status.code(), Path::new(empty.path()).exists()), (Some(1), false), "nothing must be written");
    // A single file of a run replaces the run in the dataset, because a trace may have grown.
    stdout(&["convert", &trace, "--to", "parquet", "-o", folder.path()]);
}

#[test]
fn the_fleet_growth_query_includes_new_and_removed_functions() {
    let has_engines = Command::new("python3").args(["-c", "import duckdb, polars"]).output();
    if !has_engines.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no Python with duckdb and polars (`pip install duckdb polars`)");
        return;
    }
    let (traces, tables) = (TempPath::new("fleet-traces"), TempPath::new("fleet-tables"));
    fs::create_dir_all(traces.path()).expect("created");
    // Three months. The first and the last have functions that the second lacks.
    let (server, compiler, leak) = (Shape::Server, Shape::Compiler, Shape::Leak);
    let runs = [(0, server), (0, compiler), (30, leak), (30, compiler), (61, server), (61, leak)];
    for (seed, (day, shape)) in runs.into_iter().enumerate() {
        let start_us = (1_791_288_000 + day * 86_400 + seed as u64) * 1_000_000;
        let options = Options { shape, extent: Extent::Objects(1000), rate: 0.001, domains: 1, seed: seed as u64 };
        let run = RunInfo { program: Some("billing.exe".to_owned()), host: None, start_us: Some(start_us), pid: None };
        let file = fs::File::create(format!("{}/{seed}.ctf", traces.path())).expect("created");
        generate_run(&options, run, file).expect("written");
    }
    stdout(&["convert", traces.path(), "--to", "parquet", "-o", tables.path()]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = Command::new("python3")
        .arg(root.join("tests/cli/fleet.py"))
        .args([&root.join("../../examples/fleet"), Path::new(tables.path())])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 starts");
    assert!(script.status.success(), "{}{}", String::from_utf8_lossy(&script.stdout), stderr_of(&script));
}

#[test]
fn fleet_lines_match_summaries_in_the_requested_order() {
    let fixtures = fixture("");
    let output = stdout(&["fleet", &fixtures, "--sort", "peak", "--json"]);
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let peaks: Vec<f64> = lines.iter().map(|line| line["peak_bytes"].as_f64().expect("a number")).collect();
    assert!(peaks.is_sorted_by(|one, two| one >= two) && peaks.len() >= 17, "{peaks:?}");
    for line in lines.iter().filter(|line| line["format"] == "memtrace") {
        let summary = json(&["summary", line["file"].as_str().expect("a path")]);
        assert_eq!(
            [&line["peak_bytes"], &line["allocated_bytes"], &line["duration_us"], &line["samples"]],
            [&summary["peak"]["bytes"], &summary["allocated_bytes"], &summary["end_us"], &summary["samples"]["total"]]
        );
    }
}

#[test]
fn sql_on_the_tables_matches_the_command_line() {
    let has_duckdb = Command::new("python3").args(["-c", "import duckdb"]).output();
    if !has_duckdb.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no Python with duckdb (`pip install duckdb`)");
        return;
    }
    let folder = TempPath::new("tables-sql");
    stdout(&["convert", &fixture(""), "--to", "parquet", "-o", folder.path()]);
    let names = fs::read_dir(fixture("")).expect("fixtures").map(|entry| entry.expect("an entry").path());
    let traces: Vec<Value> = names
        .filter(|path| path.extension().is_some_and(|extension| extension == "ctf"))
        .map(|path| {
            let file = path.display().to_string();
            let histogram = |of: &str| json(&["histogram", &file, "--of", of]);
            json!({
                "file": file,
                "table": json(&["table", &file, "--by", "function", "--top", "1000000"]),
                "histograms": { "words": histogram("size"), "lifetime_us": histogram("lifetime") },
            })
        })
        .collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/tables.py");
    let mut python = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let given = json!({ "folder": folder.path(), "traces": traces }).to_string();
    python.stdin.take().expect("piped").write_all(given.as_bytes()).expect("taken");
    let output = python.wait_with_output().expect("ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn fleet_names_its_files_and_says_if_a_folder_has_no_trace() {
    let (trace, empty) = (fixture("tiny-0.1-v2.ctf"), TempPath::new("no-traces"));
    fs::create_dir_all(empty.path()).expect("created");
    let output = run(&["fleet", empty.path(), &trace], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("This folder contains no traces."), "{}", stderr_of(&output));
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(table.lines().nth(1).is_some_and(|line| line.starts_with(&trace)), "{table}");
    for width in ["80", "40"] {
        let table = stdout(&["fleet", &trace, "--width", width]);
        let longest = table.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(longest <= width.parse().expect("a number") && table.contains("v2.ctf"), "{table}");
    }
}
