//! `camlscope leaks`.

use expect_test::expect;

use crate::program::{check, fixture, json, stdout};

#[test]
fn the_site_that_leaks_stands_first_with_the_reason() {
    check(
        &["leaks", &fixture("leak-1e-4-v3.ctf"), "--top", "4"],
        expect![[r#"
            verdict  a second  at the end  samples  live              site
            growing   802 KiB    2.75 MiB       51  ▂▂▂▃▄▅▅▅▅▅▆▆▇███  Leak.make_session leak.ml:5
            growing   289 KiB     781 KiB       11  ▁▁▁▂▂▂▂▂▅▆▆▆▆▇██  Stdlib__Hashtbl.replace hashtbl.ml:593
            growing   257 KiB     859 KiB       16  ▁▁▂▃▄▅▅▆▆▆▇█▇▇▇█  Stdlib__Bytes.sub bytes.ml:68
            growing   257 KiB     625 KiB        9  ▁▁▁▁▂▂▁▂▂▂▂▃▄▆▆█  Leak.handle_request leak.ml:10

            Leak.make_session leak.ml:5
                grew from 859 KiB to 2.75 MiB since the first quarter, at 802 KiB/s ± 190 KiB/s; 100 % of what it allocated in the last quarter is still alive

            Stdlib__Hashtbl.replace hashtbl.ml:593
                grew from 78.1 KiB to 781 KiB since the first quarter, at 289 KiB/s ± 106 KiB/s; 11 samples alone would be too few, but Leak.register grows as a whole

            Stdlib__Bytes.sub bytes.ml:68
                grew from 234 KiB to 859 KiB since the first quarter, at 257 KiB/s ± 111 KiB/s; 16 samples alone would be too few, but Leak.make_session grows as a whole

            Leak.handle_request leak.ml:10
                grew from 0 B to 625 KiB since the first quarter, at 257 KiB/s ± 90.7 KiB/s; 9 samples alone would be too few, but Leak.handle_request grows as a whole

            and 17 more sites; --top shows more
        "#]],
    );
}

#[test]
fn where_nothing_grows_that_is_said() {
    check(
        &["leaks", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
            verdict          a second  at the end  samples  live              site
            burst                 0 B         0 B      131  ▁▁▁▁▁▁▁████▁▁▁▁▁  Stdlib__Bytes.make bytes.ml:42
            burst                 0 B         0 B       64  ▁▁▁▁▁▁▁█████████  Tiny.f tiny.ml:3
            too few samples       0 B         0 B        5  ▁▁▁▁▁▁▁█████████  Tiny.f tiny.ml:3

            Nothing grows, but 1 site has too few samples to tell.
        "#]],
    );
}

#[test]
fn too_few_samples_are_not_taken_for_nothing_growing() {
    let text = stdout(&["leaks", &fixture("leak-1e-6-v3.ctf")]);
    assert!(text.ends_with("\nThere are too few samples to tell whether anything grows.\n"), "{text}");
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
