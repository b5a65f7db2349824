//! `camlscope table`.

use std::collections::BTreeMap;

use expect_test::expect;
use serde_json::Value;

use crate::program::{check, check_refused, fixture, json, run_on, stderr_of, stdout};

#[test]
fn rows_are_sorted_by_what_they_allocate_themselves() {
    check(
        &["table", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
                self  share     total         ±  samples  blocks  lifetime  promoted  at the end  name         location
            10.2 KiB    66%  10.2 KiB  1.80 KiB      131      18    347 µs        0%         0 B  Bytes.make   bytes.ml
            5.39 KiB    34%  5.39 KiB  1.35 KiB       69      34   1.16 ms      100%         0 B  Tiny.f       tiny.ml
                 0 B     0%  10.2 KiB  1.80 KiB      131      18    347 µs        0%         0 B  String.make  string.ml
                 0 B     0%  15.6 KiB  2.20 KiB      200      52    628 µs       34%         0 B  Tiny         tiny.ml
                 0 B     0%  10.2 KiB  1.80 KiB      131      18    347 µs        0%         0 B  Tiny.g       tiny.ml
        "#]],
    );
}

#[test]
fn rows_can_be_sorted_by_any_column() {
    let trace = fixture("orders-1e-4-v2.ctf");
    let rows = |args: &[&str]| -> Vec<Value> {
        let table = json(&[&["table", &trace, "--top", "1000"], args].concat());
        table["rows"].as_array().expect("a list").clone()
    };
    let columns = [
        ("self", "self_bytes"),
        ("total", "total_bytes"),
        ("blocks", "blocks"),
        ("promoted", "promoted_bytes"),
        ("end", "end_bytes"),
        ("lifetime", "mean_lifetime_us"),
    ];
    for (sort, field) in columns {
        let figures: Vec<f64> =
            rows(&["--sort", sort]).iter().map(|row| row[field].as_f64().unwrap_or_default()).collect();
        assert!(figures.is_sorted_by(|one, two| one >= two) && figures[0] > 0.0, "{sort}: {figures:?}");
    }
    let names: Vec<String> = rows(&["--sort", "name"]).iter().map(|row| row["label"].to_string()).collect();
    assert!(names.is_sorted(), "{names:?}");
    // Scripts rely on the order of JSON.
    assert_eq!(rows(&[]), rows(&["--sort", "total"]));
    assert_eq!(rows(&["--by", "site"]), rows(&["--by", "site", "--sort", "self"]));
    let output = run_on("spacetime-11710", "table FILE --sort lifetime");
    assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("has no lifetimes"), "{}", stderr_of(&output));
}

#[test]
fn the_largest_sites_come_first() {
    check(
        &["table", &fixture("tiny-0.1-v2.ctf"), "--by", "site", "--top", "2"],
        expect![[r#"
                self  share     total         ±  samples  blocks  lifetime  promoted  at the end  name        location
            10.2 KiB    66%  10.2 KiB  1.80 KiB      131      18    347 µs        0%         0 B  Bytes.make  bytes.ml:42:10-18
            5.00 KiB    32%  5.00 KiB  1.31 KiB       64      17   1.16 ms      100%         0 B  Tiny.f      tiny.ml:3:18-32
            5 more rows. Use --top to show more.
        "#]],
    );
}

#[test]
fn the_filter_and_the_measure_select_objects() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["table", &trace, "--measure", "promoted", "--by", "module"],
        expect![[r#"
                self  share     total         ±  samples  blocks  lifetime  promoted  at the end  name  location
            5.39 KiB   100%  5.39 KiB  1.35 KiB       69      34   1.16 ms      100%         0 B  Tiny
        "#]],
    );
    check(
        &["table", &trace, "--function", "^Tiny.g$", "--search", "BYTES"],
        expect![[r#"
                self  share     total         ±  samples  blocks  lifetime  promoted  at the end  name        location
            10.2 KiB   100%  10.2 KiB  1.80 KiB      131      18    347 µs        0%         0 B  Bytes.make  bytes.ml
        "#]],
    );
}

#[test]
fn rows_are_sorted_and_summed_by_the_measure() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["table", &trace, "--measure", "blocks", "--top", "4"],
        expect![[r#"
            self  share  total  samples  lifetime  promoted  at the end  name         location
              34    65%     34       69   1.16 ms      100%         0 B  Tiny.f       tiny.ml
              18    35%     18      131    347 µs        0%         0 B  Bytes.make   bytes.ml
               0     0%     18      131    347 µs        0%         0 B  String.make  string.ml
               0     0%     52      200    628 µs       34%         0 B  Tiny         tiny.ml
            1 more row. Use --top to show more.
        "#]],
    );
    check(
        &["table", &trace, "--measure", "samples", "--top", "3"],
        expect![[r#"
            self  share  total   ±  blocks  lifetime  promoted  at the end  name         location
             131    66%    131  23      18    347 µs        0%         0 B  Bytes.make   bytes.ml
              69    34%     69  17      34   1.16 ms      100%         0 B  Tiny.f       tiny.ml
               0     0%    131  23      18    347 µs        0%         0 B  String.make  string.ml
            2 more rows. Use --top to show more.
        "#]],
    );
    check(
        &["table", &trace, "--measure", "byte-seconds", "--by", "site", "--top", "3"],
        expect![[r#"
             self  share  total  samples  blocks  lifetime  promoted  at the end  name        location
            6 B·s    59%  6 B·s       64      17   1.16 ms      100%         0 B  Tiny.f      tiny.ml:3:18-32
            4 B·s    36%  4 B·s      131      18    347 µs        0%         0 B  Bytes.make  bytes.ml:42:10-18
            0 B·s   4.7%  0 B·s        5      17   1.18 ms      100%         0 B  Tiny.f      tiny.ml:3:18-41
            4 more rows. Use --top to show more.
        "#]],
    );
}

#[test]
fn json_rows_have_self_and_total_in_the_unit_of_the_measure() {
    let trace = fixture("leak-1e-4-v3.ctf");
    for (measure, unit, own, total) in [
        ("allocated", "bytes", Some("self_bytes"), "total_bytes"),
        ("peak", "bytes", Some("self_bytes"), "total_bytes"),
        ("blocks", "blocks", Some("self_blocks"), "blocks"),
        ("samples", "samples", Some("self_samples"), "total_samples"),
        ("byte-seconds", "byte-seconds", None, "byte_seconds"),
    ] {
        let table = json(&["table", &trace, "--measure", measure, "--top", "1000"]);
        assert_eq!((&table["measure"], &table["unit"]), (&measure.into(), &unit.into()));
        let rows = table["rows"].as_array().expect("a list");
        let number = |value: &Value| value.as_f64().expect("a number");
        let all = number(&table["all"]);
        let whole = json(&["flame", &trace, "--measure", measure])["total"].as_f64().expect("a number");
        assert!((all - whole).abs() <= 1e-9 * whole, "{measure}: {all}, not {whole}");
        for row in rows {
            assert_eq!(number(&row["total"]), number(&row[total]), "{measure}: {row}");
            assert!(own.is_none_or(|own| number(&row["self"]) == number(&row[own])), "{measure}: {row}");
        }
        assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse((number(&row["total"]) * 1e6) as u64)), "{measure}");
        // The sum of what functions allocated themselves is the total.
        let sum: f64 = rows.iter().map(|row| number(&row["self"])).sum();
        assert!((sum - all).abs() <= 1e-9 * all, "{measure}: {sum}, not {all}");
    }
}

#[test]
fn a_table_fits_the_width_and_sites_keep_their_locations() {
    let trace = fixture("orders-1e-4-v2.ctf");
    for (by, width) in [("function", "80"), ("function", "60"), ("site", "80"), ("site", "120")] {
        let table = stdout(&["table", &trace, "--by", by, "--width", width]);
        let longest = table.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(longest <= width.parse().expect("a number"), "{longest} characters by {by} at {width}:\n{table}");
        assert!(by != "site" || table.contains("orders.ml:95:33-53"), "{table}");
    }
    assert!(stdout(&["table", &trace, "--width", "80"]).contains("…"));
    let whole = stdout(&["table", &trace]);
    assert!(whole.lines().any(|line| line.chars().count() > 100) && !whole.contains("…"), "into a pipe:\n{whole}");
}

#[test]
fn csv_has_unrounded_figures() {
    let table = stdout(&["table", &fixture("tiny-0.1-v2.ctf"), "--by", "site", "--csv"]);
    let mut lines = table.split("\r\n");
    let heading = lines.next().expect("a heading");
    assert!(heading.starts_with("name,label,file,line,") && heading.ends_with(",end_bytes,byte_seconds"), "{heading}");
    let first = lines.next().expect("a row");
    assert!(first.starts_with("Stdlib__Bytes.make,Bytes.make,bytes.ml,42,10,18,10480,10480,131,131,"), "{first}");
    check_refused(
        &["table", &fixture("tiny-0.1-v2.ctf"), "--csv", "--json"],
        expect![[r#"
        error: the argument '--csv' cannot be used with '--json'

        Usage: camlscope table --csv <FILE>

        For more information, try '--help'.
    "#]],
    );
}

/// The reference figures are from memtrace's own reader.
#[test]
fn json_rows_match_the_reference_reader() {
    for name in ["tiny-0.1-v2", "leak-1e-4-v3", "menhir-1e-5-v3", "domains-multi-1e-3-o5-v3"] {
        let facts = std::fs::read(fixture(&format!("{name}.facts.json"))).expect("facts");
        let facts: Value = serde_json::from_slice(&facts).expect("JSON");
        let trace = fixture(&format!("{name}.ctf"));
        let table = json(&["table", &trace, "--by", "site", "--top", "1000000"]);
        let mut samples: BTreeMap<String, u64> = BTreeMap::new();
        for row in table["rows"].as_array().expect("a list") {
            let text = |field: &str| row[field].as_str().unwrap_or("").to_owned();
            let (name, file) = (text("name"), text("file"));
            let place = format!("{name}@{file}:{}:{}-{}", row["line"], row["start_char"], row["end_char"]);
            *samples.entry(place).or_default() += row["self_samples"].as_u64().expect("a count");
        }
        let sites = facts["top_sites"].as_array().expect("a list").iter();
        let sites: Vec<&Value> =
            sites.filter(|site| site["site"].as_str().is_some_and(|site| !site.starts_with(['$', '<']))).collect();
        for site in &sites {
            let place = site["site"].as_str().expect("a place");
            assert_eq!(samples.get(place).copied(), site["samples"].as_u64(), "{name}: {place}");
        }
        assert!(!sites.is_empty());
    }
}

#[test]
fn mean_lifetimes_explain_which_objects_they_include() {
    let note = "lifetime: mean, weighted by bytes. Uncollected objects live until the end.\n";
    let table = stdout(&["table", &fixture("orders-1e-4-v2.ctf"), "--sort", "total", "--top", "1"]);
    assert!(table.contains("1.14 s") && table.contains(note), "{table}");
    let histogram = stdout(&["histogram", &fixture("orders-1e-4-v2.ctf"), "--of", "lifetime"]);
    assert!(histogram.contains("mean of collected   749 ms\n"), "{histogram}");
}
