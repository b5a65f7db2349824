//! The synthetic profile of a daemon, in any size.

use camlscope_testkit::synth::generate_profile;

use crate::recorder::read;

#[test]
fn the_profile_of_a_daemon_has_thousands_of_points_and_no_warnings() {
    let bytes = daemon(3 << 20, 1);
    let (profile, finished) = read(&bytes);
    assert!(finished.is_complete && finished.warnings.is_empty(), "{:?}", finished.warnings);
    assert_eq!(profile.points.len(), 3_000);
    let depths: Vec<usize> = profile.points.iter().map(|(_, node)| profile.addresses(*node).len()).collect();
    assert!(depths.iter().all(|depth| (2..=30).contains(depth)));
    assert!(depths.iter().any(|depth| *depth > 20));
    let [first, .., last] = &profile.snapshots[..] else { panic!("{} snapshots", profile.snapshots.len()) };
    let live = |snapshot: &camlscope_formats::spacetime::Snapshot| {
        snapshot.entries.iter().map(|entry| entry.words).sum::<u64>()
    };
    assert!(live(last) > 2 * live(first), "it doesn't grow");
    assert!(last.entries.len() > 2_000, "{} points have live blocks", last.entries.len());
    assert!(profile.marks.iter().any(|(name, _)| name == "phase 1"));
    assert!(profile.snapshots.is_sorted_by_key(|snapshot| snapshot.at_us));
}

#[test]
fn the_same_seed_makes_the_same_bytes_and_most_of_them_are_snapshots() {
    let first = daemon(1 << 20, 1);
    assert!(first.len() >= 1 << 20);
    assert!(first == daemon(1 << 20, 1), "the same seed made other bytes");
    assert!(first != daemon(1 << 20, 2), "another seed made the same bytes");
    // Tables and trie follow the snapshots, and their size is independent.
    let more = daemon(3 << 20, 1);
    let n_bytes = more.len() - first.len();
    assert!(n_bytes.abs_diff(2 << 20) < 100_000, "{n_bytes}");
}

fn daemon(bytes: u64, seed: u64) -> Vec<u8> {
    let mut profile = Vec::new();
    generate_profile(bytes, seed, &mut profile).expect("written into memory");
    profile
}
