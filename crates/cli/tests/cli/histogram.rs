//! `camlscope histogram`.

use expect_test::expect;
use serde_json::Value;

use crate::program::{check, check_messages, fixture, json, run};

#[test]
fn sizes_have_bars_and_statistics() {
    check(
        &["histogram", &fixture("tiny-0.1-v2.ctf"), "--of", "size"],
        expect![[r#"
             words  samples  share
               2–3        5   2.5%  ██
               4–7        1   0.5%  ▍
              8–15        3   1.5%  █▏
             16–31       15   7.5%  █████▉
             32–63       74    37%  █████████████████████████████
            64–127      102    51%  ████████████████████████████████████████

            total               200
            mean                72.3 words
            standard deviation  34.7 words
            median              69 words
            90th percentile     119 words
            99th percentile     126 words
            largest             126 words
            above 256 words     0%
        "#]],
    );
}

#[test]
fn lifetimes_have_readable_units_and_a_row_for_never_collected() {
    check(
        &["histogram", &fixture("leak-1e-4-v3.ctf"), "--of", "lifetime", "--weight", "bytes"],
        expect![[r#"
                      lifetime     bytes  share
               10 µs to 100 µs  7.25 MiB   1.4%  █▍
             100 µs to 1.00 ms   129 MiB    25%  ████████████████████████▏
            1.00 ms to 10.0 ms   213 MiB    42%  ████████████████████████████████████████
             10.0 ms to 100 ms   150 MiB    30%  ████████████████████████████▏
              100 ms to 1.00 s  2.37 MiB   0.5%  ▌
              1.00 s to 10.0 s  78.1 KiB  <0.1%  ▏
               never collected  6.56 MiB   1.3%  █▎

            collected           502 MiB
            mean of collected   9.36 ms
            standard deviation  44.1 ms
            median              2.57 ms
            90th percentile     15.2 ms
            99th percentile     30.9 ms
            largest             1.12 s
            above 256 words     0%
        "#]],
    );
}

#[test]
fn equal_bins_report_values_outside() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["histogram", &trace, "--of", "size", "--bins", "10..50:4", "--weight", "blocks"],
        expect![[r#"
            words  blocks  share
            below      19    36%  ████████████████████████████████████████
            10–19       4   6.9%  ███████▋
            20–29       4   7.7%  ████████▌
            30–39       5   8.9%  █████████▉
            40–49       4   8.4%  █████████▎
            above      17    32%  ███████████████████████████████████▍

            total               52
            mean                37.3 words
            standard deviation  36.6 words
            median              26 words
            90th percentile     101 words
            99th percentile     126 words
            largest             126 words
            above 256 words     0%
        "#]],
    );
    check(
        &["histogram", &trace, "--of", "lifetime", "--bins", "0ms..2ms:4"],
        expect![[r#"
                      lifetime  samples  share
                0 µs to 500 µs      131    66%  ████████████████████████████████████████
             500 µs to 1.00 ms        0     0%
            1.00 ms to 1.50 ms       69    34%  █████████████████████▏
            1.50 ms to 2.00 ms        0     0%
               never collected        0     0%

            collected           200
            mean of collected   628 µs
            standard deviation  398 µs
            median              390 µs
            90th percentile     1.17 ms
            99th percentile     1.20 ms
            largest             1.20 ms
            above 256 words     0%
        "#]],
    );
}

#[test]
fn an_empty_selection_has_an_empty_histogram() {
    let output = run(&["histogram", &fixture("tiny-0.1-v2.ctf"), "--of", "size", "--size", "100000.."], b"");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "words  samples  share\n\nNo objects.\n");
}

/// The reference figures are from memtrace's own reader.
#[test]
fn json_bins_match_the_reference_reader() {
    for name in ["tiny-0.1-v2", "leak-1e-4-v3", "menhir-1e-5-v3", "domains-multi-1e-3-o5-v3"] {
        let facts = std::fs::read(fixture(&format!("{name}.facts.json"))).expect("facts");
        let facts: Value = serde_json::from_slice(&facts).expect("JSON");
        let trace = fixture(&format!("{name}.ctf"));
        for (of, bins, key, base) in
            [("size", "log2", "size_log2_samples", 2u64), ("lifetime", "log10", "lifetime_log10us_samples", 10)]
        {
            let answer = json(&["histogram", &trace, "--of", of, "--bins", bins]);
            let mut expected = facts[key].as_object().expect("bins").clone();
            for bin in answer["bins"].as_array().expect("a list").iter().filter(|bin| bin["samples"] != 0) {
                let log = bin["from"].as_u64().expect("a bound").checked_ilog(base).map_or(-1, |log| log as i64);
                assert_eq!(expected.remove(&log.to_string()).as_ref(), Some(&bin["samples"]), "{name}: {of} {log}");
            }
            expected.retain(|_, samples| *samples != 0);
            assert!(expected.is_empty(), "{name}: {of} lacks {expected:?}");
        }
    }
}

#[test]
fn invalid_bins_explain_what_is_expected() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &[
            "histogram FILE",
            "histogram FILE --of size --bins log3",
            "histogram FILE --of size --bins 9..3:2",
            "histogram FILE --of lifetime --bins 0s..:4",
            "histogram FILE --of size --bins 0..9:0",
        ],
        expect![[r#"
            error: the following required arguments were not provided:
              --of <OF>

            Usage: camlscope histogram --of <OF> <FILE>
            error: Invalid value “log3” for --bins: expected log2, log10, classic, or equal bins such as 0..256:16.
            error: Invalid value “9..3:2” for --bins: expected log2, log10, classic, or equal bins such as 0..256:16.
            error: Invalid value “0s..:4” for --bins: expected log2, log10, or equal bins such as 0s..2s:20.
            error: Invalid value “0..9:0” for --bins: expected log2, log10, classic, or equal bins such as 0..256:16.
        "#]],
    );
}
