//! `camlscope flame`.

use expect_test::expect;

use crate::program::{check, fixture, json, stdout};

#[test]
fn stacks_are_folded_the_heaviest_first() {
    check(
        &["flame", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
        $47167550294752;Tiny;Tiny.g;Stdlib__String.make;Stdlib__Bytes.make 10480
        $47167550294752;Tiny;Tiny.f 5520
    "#]],
    );
}

#[test]
fn any_measure_grain_and_direction_can_be_asked_for() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["flame", &trace, "--measure", "samples", "--inverted"],
        expect![[r#"
        Stdlib__Bytes.make;Stdlib__String.make;Tiny.g;Tiny;$47167550294752 131
        Tiny.f;Tiny;$47167550294752 69
    "#]],
    );
    check(
        &["flame", &trace, "--measure", "promoted", "--by", "module"],
        expect![[r#"
        $47167550294752;Tiny;Tiny 5520
    "#]],
    );
    check(
        &["flame", &trace, "--measure", "blocks", "--by", "file"],
        expect![[r#"
        $47167550294752;tiny.ml;tiny.ml 34
        $47167550294752;tiny.ml;tiny.ml;string.ml;bytes.ml 18
    "#]],
    );
    check(&["flame", &trace, "--measure", "end"], expect![[""]]);
}

#[test]
fn hidden_functions_leave_their_bytes_to_the_caller_and_a_focus_is_the_root() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["flame", &trace, "--hide", "^Stdlib"],
        expect![[r#"
        $47167550294752;Tiny;Tiny.g 10480
        $47167550294752;Tiny;Tiny.f 5520
    "#]],
    );
    check(
        &["flame", &trace, "--focus", "Tiny.g"],
        expect![[r#"
        Tiny.g;Stdlib__String.make;Stdlib__Bytes.make 10480
    "#]],
    );
}

#[test]
fn the_stacks_of_a_measure_sum_up_to_what_the_summary_says() {
    for name in ["tiny-0.1-v2.ctf", "leak-1e-4-v3.ctf", "phases-1e-4-v2.ctf", "domains-multi-1e-3-o5-v3.ctf"] {
        let trace = fixture(name);
        let summary = json(&["summary", &trace]);
        for (measure, expected) in [("allocated", &summary["allocated_bytes"]), ("peak", &summary["peak"]["bytes"])] {
            let total = json(&["flame", &trace, "--measure", measure])["total"].as_f64().expect("a number");
            let expected = expected.as_f64().expect("a number");
            assert!((total - expected).abs() <= 1e-9 * expected, "{name}: {measure} {total}, not {expected}");
        }
        let samples: u64 = stdout(&["flame", &trace, "--measure", "samples"])
            .lines()
            .map(|line| line.rsplit_once(' ').and_then(|(_, n)| n.parse::<u64>().ok()).expect("a weight"))
            .sum();
        assert_eq!(samples, summary["samples"]["total"], "{name}");
    }
}
