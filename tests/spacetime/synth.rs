//! `camlscope synth --format spacetime`: a profile of a daemon, of the size that was asked for.

use std::process::{Command, Output};

use crate::recorder::read;

#[test]
fn the_profile_of_a_daemon_has_thousands_of_points_and_nothing_to_warn_of() {
    let output = synth("--bytes 3M");
    let (profile, finished) = read(&output.stdout);
    assert!(finished.is_complete && finished.warnings.is_empty(), "{:?}", finished.warnings);
    assert_eq!(profile.points.len(), 3_000);
    let depths: Vec<usize> = profile.points.iter().map(|(_, node)| profile.addresses(*node).len()).collect();
    assert!(depths.iter().all(|depth| (2..=30).contains(depth)));
    assert!(depths.iter().any(|depth| *depth > 20));
    let [first, .., last] = &profile.snapshots[..] else { panic!("{} snapshots", profile.snapshots.len()) };
    let live =
        |snapshot: &camlscope::spacetime::Snapshot| snapshot.entries.iter().map(|entry| entry.words).sum::<u64>();
    assert!(live(last) > 2 * live(first), "it grows");
    assert!(last.entries.len() > 2_000, "{} points have live blocks", last.entries.len());
    assert!(profile.marks.iter().any(|(name, _)| name == "phase 1"));
    assert!(profile.snapshots.is_sorted_by_key(|snapshot| snapshot.at_us));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("snapshots of 3,000 allocation points"), "{said}");
}

#[test]
fn the_same_seed_makes_the_same_bytes_and_most_of_them_are_snapshots() {
    let first = synth("--bytes 1M").stdout;
    assert!(first.len() >= 1 << 20);
    assert!(first == synth("--bytes 1M").stdout, "the same seed made other bytes");
    assert!(first != synth("--bytes 1M --seed 2").stdout, "another seed made the same bytes");
    // Behind the snapshots come tables and trie, of a size of their own.
    let more = synth("--bytes 3M").stdout;
    let n_bytes = more.len() - first.len();
    assert!(n_bytes.abs_diff(2 << 20) < 100_000, "{n_bytes}");
}

#[test]
fn options_of_traces_are_refused() {
    for option in ["--objects 5", "--bytes 1M --rate 0.1", "--bytes 1M --shape leak", "--bytes 1M --domains 2"] {
        let output = synth(option);
        assert_eq!(output.status.code(), Some(2), "{option}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("--format spacetime"), "{said}");
    }
    assert_eq!(synth("").status.code(), Some(2), "a size is needed");
}

fn synth(options: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_camlscope"));
    command.args(["synth", "--format", "spacetime", "-o", "-"]).args(options.split_whitespace());
    command.output().expect("starts")
}
