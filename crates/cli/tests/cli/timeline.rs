//! `camlscope timeline`.

use expect_test::expect;

use crate::program::{check, fixture, json};

#[test]
fn steps_are_rows_with_bars() {
    check(
        &["timeline", &fixture("phases-1e-4-v2.ctf"), "--points", "8"],
        expect![[r#"
              from  live: min       max      last                                  allocated  promoted
              0 µs        0 B  6.18 MiB  4.12 MiB  ███████████████████               104 MiB  34.7 MiB
            9.63 s   2.44 MiB  5.26 MiB  3.89 MiB  ██████████████████               5.42 MiB  1.30 MiB
            19.3 s   3.89 MiB  3.89 MiB  3.89 MiB  ██████████████████                    0 B       0 B
            28.9 s   3.89 MiB  3.89 MiB  3.89 MiB  ██████████████████                    0 B       0 B
            38.5 s   3.89 MiB  3.89 MiB  3.89 MiB  ██████████████████                    0 B       0 B
            48.1 s   1.37 MiB  6.48 MiB  4.73 MiB  █████████████████████▉           80.1 MiB  25.5 MiB
            57.8 s   1.60 MiB  6.33 MiB  5.04 MiB  ███████████████████████▎          135 MiB  44.8 MiB
            67.4 s        0 B  6.48 MiB  4.04 MiB  ██████████████████▊               134 MiB  44.6 MiB

            peak 6.48 MiB at 53.3 s
        "#]],
    );
}

#[test]
fn series_are_shown_as_sparklines() {
    check(
        &["timeline", &fixture("tiny-0.1-v2.ctf"), "--points", "6", "--by", "site", "--top", "2"],
        expect![[r#"
               from  live: min       max      last                                  allocated  promoted
               0 µs        0 B       0 B       0 B                                        0 B       0 B
             378 µs        0 B       0 B       0 B                                        0 B       0 B
             757 µs        0 B  14.6 KiB  14.6 KiB  ████████████████████████████     14.6 KiB       0 B
            1.14 ms   5.39 KiB  15.6 KiB  5.39 KiB  ██████████▍                      1.02 KiB  5.39 KiB
            1.51 ms   5.39 KiB  5.39 KiB  5.39 KiB  ██████████▍                           0 B       0 B
            1.89 ms        0 B  5.39 KiB       0 B                                        0 B       0 B

            peak 15.6 KiB at 1.46 ms

            live                         max  at the end  curve
            Tiny.f tiny.ml:3        5.00 KiB         0 B  ▁▁███▁
            Bytes.make bytes.ml:42  9.22 KiB         0 B  ▁▁█▁▁▁
            other                      400 B         0 B  ▁▁███▁
        "#]],
    );
}

#[test]
fn json_has_a_value_per_step_and_adds_up() {
    let trace = fixture("leak-1e-4-v3.ctf");
    let answer = json(&["timeline", &trace, "--points", "50", "--by", "heap"]);
    let list = |name: &str| -> Vec<f64> {
        answer[name].as_array().expect("a list").iter().map(|n| n.as_f64().expect("a number")).collect()
    };
    for name in ["live_min", "live_max", "live_last", "allocated", "promoted"] {
        assert_eq!(list(name).len(), 50, "{name}");
    }
    let summary = json(&["summary", &trace]);
    let close = |one: f64, other: &serde_json::Value| {
        let other = other.as_f64().expect("a number");
        assert!((one - other).abs() <= 1e-9 * other, "{one} is not {other}");
    };
    close(list("allocated").iter().sum(), &summary["allocated_bytes"]);
    close(list("live_max").into_iter().fold(0.0, f64::max), &summary["peak"]["bytes"]);
    assert!(answer["series"].as_array().is_some_and(|series| !series.is_empty()));
}
