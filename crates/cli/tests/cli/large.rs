//! Blocks of 2^31 words and more, and events with 2^33 samples and more. Every command counts them exactly.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

use crate::program::{TempPath, json, stdout};
use camlscope_testkit::large_blocks::{VALID, valid_trace};

fn written(name: &str) -> TempPath {
    let file = TempPath::new(name);
    fs::write(file.path(), valid_trace()).expect("written");
    file
}

fn all_samples() -> u64 {
    VALID.iter().map(|(_, samples)| samples).sum()
}

fn sum_of(rows: &Value, field: &str) -> u64 {
    rows.as_array().expect("a list").iter().map(|row| row[field].as_u64().expect("a number")).sum()
}

#[test]
fn large_blocks_have_exact_totals_in_every_command() {
    let file = written("large-sums.ctf");
    let summary = json(&["summary", file.path()]);
    assert_eq!(summary["samples"]["total"], all_samples());
    assert_eq!(summary["samples"]["live_at_end"], all_samples());
    assert_eq!(summary["peak"]["samples"], all_samples());
    assert_eq!(summary["allocated_bytes"], 8.0 * all_samples() as f64);
    assert_eq!(summary["warnings"], Value::Array(Vec::new()));

    let timeline = json(&["timeline", file.path()]);
    let last = timeline["live_last"].as_array().expect("a list").last().expect("steps");
    assert_eq!(last, 8.0 * all_samples() as f64);

    assert_eq!(sum_of(&json(&["table", file.path()])["rows"], "self_samples"), all_samples());
    let folded = stdout(&["flame", file.path(), "--measure", "samples", "--all"]);
    assert_eq!(folded.trim().rsplit_once(' ').expect("a weight").1, all_samples().to_string());
}

#[test]
fn large_blocks_appear_in_histograms_and_size_filters() {
    let file = written("large-sizes.ctf");
    let histogram = json(&["histogram", file.path(), "--of", "size"]);
    assert_eq!(sum_of(&histogram["bins"], "samples"), all_samples());
    assert_eq!(histogram["stats"]["max"], VALID[5].0);
    for (words, samples) in VALID {
        let bins = histogram["bins"].as_array().expect("a list");
        let holds = |bin: &&Value| bin["from"].as_u64() <= Some(words) && bin["to"].as_u64() > Some(words);
        assert!(bins.iter().find(holds).is_some_and(|bin| bin["samples"].as_u64() >= Some(samples)), "{words} words");
        let size = format!("{words}..{words}");
        let chosen = json(&["histogram", file.path(), "--of", "size", "--size", &size]);
        assert_eq!(sum_of(&chosen["bins"], "samples"), samples, "{words} words");
    }
}

#[test]
fn large_blocks_survive_dumps_copies_and_tables() {
    let (file, copy, tables) =
        (written("large-copies.ctf"), TempPath::new("large-copy.ctf"), TempPath::new("large-tables"));
    let dump = stdout(&["dump", file.path()]);
    for (line, (words, samples)) in dump.lines().zip(VALID) {
        assert!(line.contains(&format!(" samples={samples} words={words} ")), "{line}");
    }
    assert_eq!(dump.lines().count(), VALID.len());

    stdout(&["convert", file.path(), "--to", "ctf", "-o", copy.path()]);
    assert_eq!(stdout(&["dump", copy.path()]), dump);

    stdout(&["convert", file.path(), "--to", "parquet", "-o", tables.path()]);
    let objects = part_below(&Path::new(tables.path()).join("objects"));
    let reader = SerializedFileReader::new(fs::File::open(objects).expect("a table")).expect("Parquet");
    let rows: Vec<(u64, u64)> = reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"))
        .map(|row| (row.get_long(5).expect("words") as u64, row.get_long(6).expect("samples") as u64))
        .collect();
    assert_eq!(rows, VALID);
}

/// Returns the only file in the only partition of a table.
fn part_below(table: &Path) -> PathBuf {
    let partition = fs::read_dir(table).expect("a table").next().expect("a partition").expect("an entry").path();
    partition.join("part-0.parquet")
}

#[test]
fn downsampling_large_blocks_preserves_their_share() {
    let (file, copy) = (written("large-downsampled.ctf"), TempPath::new("large-downsampled-copy.ctf"));
    stdout(&["convert", file.path(), "--to", "ctf", "--thin", "16", "-o", copy.path()]);
    let summary = json(&["summary", copy.path()]);
    let kept = summary["samples"]["total"].as_f64().expect("a number") * 16.0;
    // A sixteenth of 2^45 samples is accurate to a millionth.
    assert!((kept / all_samples() as f64 - 1.0).abs() < 1e-5, "{kept}");
}
