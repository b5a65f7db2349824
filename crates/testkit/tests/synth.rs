//! `synth` writes files that open without warnings, have the requested length, and look like real traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use camlscope_engine::query::{self, summary::Summary};
use camlscope_engine::trace::Budget;
use camlscope_testkit::fixtures::load;

#[test]
fn the_summary_counts_the_requested_objects_without_warnings() {
    for shape in ["server", "compiler", "leak"] {
        for (domains, version) in [(1, 2), (3, 3)] {
            let file = temporary(&format!("{shape}-{domains}.ctf"));
            let options = format!("--shape {shape} --domains {domains} --objects 30001 --rate 0.01 --seed 7 -o");
            synth(&options, &file);
            let summary = summary(&file);
            assert_eq!(summary.events.alloc, 30_001, "{shape}");
            assert_eq!(summary.warnings, [], "{shape}");
            assert_eq!(summary.version, version, "{shape}");
            assert_eq!(summary.domains.len(), domains, "{shape}");
            assert_eq!(summary.info.sample_rate, 0.01, "{shape}");
        }
    }
}

#[test]
fn shares_match_real_programs() {
    for (shape, rate, promoted, collected, bytes) in [
        ("compiler", "0.01", 0.14..0.16, 0.85..0.95, 18.0..27.0),
        ("server", "0.001", 0.05..0.15, 0.85..0.98, 18.0..24.0),
        ("leak", "0.01", 0.01..0.02, 0.93..0.99, 16.0..20.0),
    ] {
        let file = temporary(&format!("{shape}-shares.ctf"));
        synth(&format!("--shape {shape} --objects 60000 --rate {rate} -o"), &file);
        let summary = summary(&file);
        let an_object = |n: u64| n as f64 / 60_000.0;
        let share = an_object(summary.events.promote);
        assert!(promoted.contains(&share), "{shape}: {share} promoted");
        let share = an_object(summary.events.collect);
        assert!(collected.contains(&share), "{shape}: {share} collected");
        let share = an_object(summary.file_bytes);
        assert!(bytes.contains(&share), "{shape}: {share} bytes per object");
    }
}

#[test]
fn output_depends_only_on_the_options_and_the_seed() {
    let bytes = |seed: u32| run(&format!("--objects 5000 --domains 2 --seed {seed} -o -")).stdout;
    let first = bytes(1);
    assert!(first.len() > 50_000, "{} bytes", first.len());
    assert!(first == bytes(1), "the same seed produced different bytes");
    assert!(first != bytes(2), "another seed produced the same bytes");
}

#[test]
fn the_output_barely_exceeds_the_requested_size() {
    let output = run("--bytes 2M -o -");
    assert!(((2 << 20)..(2 << 20) + 100_000).contains(&output.stdout.len()), "{} bytes", output.stdout.len());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("objects") && stderr.contains("packets"), "{stderr}");
}

#[test]
fn usage_errors_exit_with_status_2() {
    for wrong in ["-o -", "--objects 1 --bytes 1 -o -", "--objects 1 --rate 0 -o -", "--bytes 3X -o -", "--objects 1"] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong}");
    }
    assert_eq!(run("--objects 1 -o no-such-folder/file.ctf").status.code(), Some(1));
}

#[test]
fn profiles_reject_options_for_traces() {
    for option in ["--objects 5", "--bytes 1M --rate 0.1", "--bytes 1M --shape leak", "--bytes 1M --domains 2"] {
        let output = run(&format!("--format spacetime -o - {option}"));
        assert_eq!(output.status.code(), Some(2), "{option}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("--format spacetime"), "{stderr}");
    }
    assert_eq!(run("--format spacetime -o -").status.code(), Some(2), "a size is required");
}

fn synth(options: &str, file: &Path) {
    let output = command(options).arg(file).output().expect("can't run synth");
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
}

fn summary(file: &Path) -> Summary {
    let bytes = fs::read(file).expect("can't read the file");
    let trace = load(&bytes, bytes.len(), Budget::default()).expect("not a trace");
    query::summary::summary(&trace)
}

fn run(args: &str) -> Output {
    command(args).output().expect("can't run synth")
}

fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_synth"));
    command.args(args.split(' '));
    command
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}
