//! `camlscope dump`.

use expect_test::expect;
use serde_json::Value;

use crate::program::{check, check_refused, fixture, json, run, stdout};

#[test]
fn a_dump_has_one_line_per_event() {
    check(
        &["dump", &fixture("tiny-0.1-v2.ctf"), "--from-event", "38", "--limit", "8"],
        expect![[r#"
                0.001127        38 alloc minor samples=12 words=119 domain=0: $47167550294752 Tiny@tiny.ml:7:32-42 Tiny.g@tiny.ml:4:38-57 Stdlib__String.make@string.ml:41:2-12 Stdlib__Bytes.make@bytes.ml:42:10-18
                0.001134        39 alloc minor samples=9 words=60 domain=0: $47167550294752 Tiny@tiny.ml:7:21-30 Tiny.f@tiny.ml:3:18-32
                0.001464        40 alloc minor samples=13 words=126 domain=0: $47167550294752 Tiny@tiny.ml:7:32-42 Tiny.g@tiny.ml:4:38-57 Stdlib__String.make@string.ml:41:2-12 Stdlib__Bytes.make@bytes.ml:42:10-18
                0.001483         0 collect
                0.001484         1 promote
                0.001484         2 promote
                0.001484         3 collect
                0.001485         4 promote
        "#]],
    );
}

#[test]
fn a_dump_can_start_at_a_time_an_object_or_the_peak() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["dump", &trace, "--from-time", "2.27ms"],
        expect![[r#"
                0.002270        37 collect
                0.002270        39 collect
        "#]],
    );
    check(
        &["dump", &trace, "--from-object", "40", "--limit", "1", "--frames", "1"],
        expect![[r#"
                0.001464        40 alloc minor samples=13 words=126 domain=0: … Stdlib__Bytes.make@bytes.ml:42:10-18
        "#]],
    );
    check(
        &["dump", &trace, "--from-time", "peak", "--limit", "2", "--frames", "0"],
        expect![[r#"
                0.001464        40 alloc minor samples=13 words=126 domain=0: …
                0.001483         0 collect
        "#]],
    );
    check_refused(
        &["dump", &trace, "--from-time", "1s", "--from-event", "3"],
        expect![[r#"
        error: the argument '--from-time <TIME>' cannot be used with '--from-event <N>'

        Usage: camlscope dump --from-time <TIME> <FILE>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_filtered_dump_has_only_events_of_matching_objects() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let all = stdout(&["dump", &trace]);
    assert_eq!(all.lines().count(), 104);
    let promoted = stdout(&["dump", &trace, "--heap", "promoted"]);
    assert_eq!(promoted.lines().count(), 3 * 22);
    assert!(promoted.lines().all(|line| all.contains(line)));
    let of_function = stdout(&["dump", &trace, "--function", "^Tiny.g$"]);
    let n = |kind: &str| of_function.lines().filter(|line| line.contains(kind)).count();
    assert_eq!((n(" alloc "), n(" promote"), n(" collect")), (19, 0, 19));
    assert!(run(&["dump", &trace, "--size", "100000.."], b"").stdout.is_empty());
}

#[test]
fn json_has_the_same_events() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let json = json(&["dump", &trace]);
    assert_eq!((&json["total"], &json["first"]), (&Value::from(104), &Value::from(0)));
    let events = json["events"].as_array().expect("a list");
    assert_eq!(events.len(), 104);
    assert_eq!(events[1]["block"]["size_words"], 9);
    assert_eq!(
        events[103],
        serde_json::json!({
            "number": 103, "time_us": 2270, "object": 39, "kind": "collect", "block": null
        })
    );
    let none = crate::program::json(&["dump", &trace, "--size", "100000.."]);
    assert_eq!(none["events"], serde_json::json!([]));
}

#[test]
fn a_dump_of_several_pages_is_complete() {
    let trace = fixture("leak-1e-4-v3.ctf");
    let summary = json(&["summary", &trace]);
    let n = |kind: &str| summary["events"][kind].as_u64().expect("a count") as usize;
    let lines = stdout(&["dump", &trace]);
    assert_eq!(lines.lines().count(), n("alloc") + n("promote") + n("collect"));
    assert_eq!(lines.lines().filter(|line| line.contains(" alloc ")).count(), n("alloc"));
}
