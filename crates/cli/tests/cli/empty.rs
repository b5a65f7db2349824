//! Explanations of empty results.

use expect_test::expect;

use crate::program::{check_messages, fixture, json, run, stderr_of, stdout};

#[test]
fn an_unknown_name_is_reported() {
    let trace = fixture("tiny-0.1-v2.ctf");
    for command in [
        &["table"][..],
        &["table", "--json"],
        &["table", "--csv"],
        &["flame"],
        &["flame", "--all"],
        &["leaks"],
        &["timeline"],
        &["histogram", "--of", "size"],
        &["histogram", "--of", "lifetime"],
        &["dump"],
        &["summary"],
        &["compare", "--times", "peak,end"],
        &["convert", "-o", "-"],
        &["convert", "-o", "-", "--to", "folded"],
        &["convert", "-o", "-", "--to", "pprof"],
    ] {
        let output = run(&[&command[..1], &[&trace, "--function", "nosuch"], &command[1..]].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(stderr_of(&output), "note: No function matches “nosuch”.\n", "{command:?}");
    }
    check_messages(
        0,
        "tiny-0.1-v2.ctf",
        &[
            "table FILE --focus nosuch",
            "table FILE --file nosuch",
            "table FILE --allocating-function ^Tiny.g$",
            "table FILE --line tiny.ml:999",
            "table FILE --allocating-line nosuch.ml:1",
            "table FILE --search nosuch",
            "table FILE --hide .",
        ],
        expect![[r#"
            note: No function is named “nosuch”.
            note: No file matches “nosuch”.
            note: No allocating function matches “^Tiny.g$”.
            note: No line is “tiny.ml:999”.
            note: No allocating line is “nosuch.ml:1”.
            note: No name or file matches “nosuch”.
            note: All frames are hidden by the filter.
        "#]],
    );
}

#[test]
fn the_filter_that_hides_everything_is_named() {
    check_messages(
        0,
        "tiny-0.1-v2.ctf",
        &[
            "table FILE --heap minor --size 1M..",
            "table FILE --allocated 1s..",
            "table FILE --lifetime 1h..",
            "table FILE --domain 3",
            "table FILE --measure end",
            "table FILE --function Tiny.f --function Tiny.g",
        ],
        expect![[r#"
            note: There are no objects of 1 MiB or more.
            note: There are no objects allocated at 1 s or later: the trace ends at 2.27ms.
            note: There are no objects that lived 3600 s or longer: the trace ends at 2.27ms.
            note: There are no objects allocated by domain 3. The trace has domain 0.
            note: There are no objects live at the end.
            note: There are no objects with a function that matches “Tiny.f” on the stack, with a function that matches “Tiny.g” on the stack.
        "#]],
    );
}

#[test]
fn a_trace_without_samples_is_reported() {
    for command in ["table FILE", "leaks FILE", "flame FILE", "timeline FILE", "dump FILE"] {
        check_messages(
            0,
            "empty-1e-6-v3.ctf",
            &[command],
            expect![[r#"
                note: The trace has no samples (rate: 1 sample per 7.63 MiB).
            "#]],
        );
    }
}

#[test]
fn zero_rows_are_rejected() {
    let trace = fixture("tiny-0.1-v2.ctf");
    for command in [&["table"][..], &["leaks"], &["compare", "--times", "peak,end"], &["timeline", "--by", "heap"]] {
        let output = run(&[&command[..1], &[&trace, "--top", "0"], &command[1..]].concat(), b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{command:?}");
        let words = stderr_of(&output);
        assert!(words.contains("invalid value '0' for '--top <N>': expected at least 1"), "{words}");
    }
}

#[test]
fn times_past_the_end_are_rejected() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &[
            "table FILE --live-at 5s",
            "flame FILE --measure live@5s",
            "compare FILE --times 1ms,5s",
            "dump FILE --from-time 5s",
            "leaks FILE --live-through 1ms..5s",
        ],
        expect![[r#"
            error: --live-at 5s is past the end of the trace (2.27ms). Use --live-at end.
            error: --measure live@5s is past the end of the trace (2.27ms). Use --measure live@end.
            error: --times: 5s is past the end of the trace (2.27ms). Use `end` for the end of the trace.
            error: --from-time 5s is past the end of the trace (2.27ms). Use --from-time end.
            error: --live-through: 5s is past the end of the trace (2.27ms). Use `end` for the end of the trace.
        "#]],
    );
}

#[test]
fn time_ranges_accept_peak_and_end() {
    let trace = fixture("leak-1e-4-v3.ctf");
    let summary = json(&["summary", &trace]);
    let us = |value: &serde_json::Value| format!("{}us", value.as_u64().expect("a time"));
    let (peak, end) = (us(&summary["peak"]["at_us"]), us(&summary["end_us"]));
    for option in ["--allocated", "--collected", "--live-within", "--live-through"] {
        let flame = |range: &str| stdout(&["flame", &trace, option, range]);
        assert_eq!(flame("peak..end"), flame(&format!("{peak}..{end}")), "{option}");
        assert_eq!(flame("1s..peak"), flame(&format!("1s..{peak}")), "{option}");
        assert_ne!(flame("peak..end"), flame("1s..end"), "{option}");
    }
    // Next to a named time, a bound without a unit is in seconds.
    assert_eq!(
        stdout(&["flame", &trace, "--allocated", "1..peak"]),
        stdout(&["flame", &trace, "--allocated", "1s..peak"])
    );
    let copy = run(&["convert", &trace, "-o", "-", "--between", "peak..end"], b"").stdout;
    assert!(copy == run(&["convert", &trace, "-o", "-", "--allocated", "peak..end"], b"").stdout);
    check_messages(
        2,
        "leak-1e-4-v3.ctf",
        &["flame FILE --allocated end..peak", "compare FILE FILE --allocated peak..end"],
        expect![[r#"
            error: No object can match this filter: a range ends before it starts.
            error: Filters can't use peak or end here: each trace has its own. Use times such as 10s..20s.
        "#]],
    );
}

#[test]
fn short_byte_units_match_the_memory_option() {
    let trace = fixture("leak-1e-4-v3.ctf");
    let samples = |size: &str| json(&["flame", &trace, "--measure", "samples", "--size", size])["total"].clone();
    assert_eq!(samples("1k.."), samples("1KiB.."));
    assert_eq!(samples("1K..1M"), samples("1024B..1048576B"));
    assert_ne!(samples("1k.."), samples("1.."));
}
