//! `camlscope leaks`.

use expect_test::expect;

use crate::program::{check, fixture, json};

#[test]
fn the_site_that_leaks_stands_first_with_the_reason() {
    check(
        &["leaks", &fixture("leak-1e-4-v3.ctf"), "--top", "4"],
        expect![[r#"
            verdict  a second  at the end  samples  live              site
            growing   802 KiB    2.75 MiB       51  ▂▂▂▃▄▅▅▅▅▅▆▆▇███  Leak.make_session leak.ml:5
            growing   385 KiB    0.99 MiB       14  ▁▁▁▂▂▃▃▃▄▅▅▆▆▇██  Leak.register leak.ml:6
            growing   257 KiB     625 KiB        9  ▁▁▁▁▂▂▁▂▂▂▂▃▄▆▆█  Leak.handle_request leak.ml:10
            growing   224 KiB     859 KiB       16  ▂▂▂▄▄▅▇▇▇▅▅▅▅▆▇█  Leak.make_session leak.ml:5

            3 functions keep growing.

            Leak.make_session leak.ml:5
                grew from 859 KiB to 2.75 MiB since the first quarter, at 802 KiB/s ± 190 KiB/s; 100 % of what it allocated in the last quarter is still alive

            Leak.register leak.ml:6
                grew from 78.1 KiB to 0.99 MiB since the first quarter, at 385 KiB/s ± 120 KiB/s; 100 % of what it allocated in the last quarter is still alive

            Leak.handle_request leak.ml:10
                grew from 0 B to 625 KiB since the first quarter, at 257 KiB/s ± 90.7 KiB/s; 9 samples alone would be too few, but Leak.handle_request grows as a whole

            Leak.make_session leak.ml:5
                grew from 312 KiB to 859 KiB since the first quarter, at 224 KiB/s ± 96.2 KiB/s; 16 samples alone would be too few, but Leak.make_session grows as a whole

            and 6 more sites; --top shows more
        "#]],
    );
}

#[test]
fn where_nothing_grows_that_is_said() {
    check(
        &["leaks", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
            verdict          a second  at the end  samples  live              site
            burst                 0 B         0 B       64  ▁▁▁▁▁▁▁█████████  Tiny.f tiny.ml:3
            too few samples       0 B         0 B        5  ▁▁▁▁▁▁▁█████████  Tiny.f tiny.ml:3
            burst                 0 B         0 B      131  ▁▁▁▁▁▁▁████▁▁▁▁▁  Tiny.g tiny.ml:4

            Nothing grows beyond chance.
        "#]],
    );
}

#[test]
fn json_has_all_sites_with_verdicts() {
    let answer = json(&["leaks", &fixture("leak-1e-4-v3.ctf")]);
    let sites = answer["sites"].as_array().expect("a list");
    assert!(sites.len() > 4);
    assert_eq!(sites[0]["verdict"], "growing");
    assert!(sites[0]["growth_bytes_per_s"].as_f64() > Some(0.0));
    for field in ["name", "file", "line", "reason", "end_bytes", "samples"] {
        assert!(!sites[0][field].is_null(), "{field}");
    }
}
