//! `camlscope table`.

use std::collections::BTreeMap;

use expect_test::expect;
use serde_json::Value;

use crate::program::{check, check_refused, fixture, json, stdout};

#[test]
fn functions_are_rows_by_what_they_are_responsible_for() {
    check(
        &["table", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
                self     total             ±  samples  blocks  lifetime  promoted  at the end  name                 place
                 0 B  15.6 KiB  100 %  6.7 %      200      52    628 µs      34 %         0 B  Tiny                 tiny.ml
            10.2 KiB  10.2 KiB   66 %  8.3 %      131      18    347 µs       0 %         0 B  Stdlib__Bytes.make   bytes.ml
                 0 B  10.2 KiB   66 %  8.3 %      131      18    347 µs       0 %         0 B  Stdlib__String.make  string.ml
                 0 B  10.2 KiB   66 %  8.3 %      131      18    347 µs       0 %         0 B  Tiny.g               tiny.ml
            5.39 KiB  5.39 KiB   34 %   11 %       69      34   1.16 ms     100 %         0 B  Tiny.f               tiny.ml
        "#]],
    );
}

#[test]
fn sites_are_rows_by_what_they_allocated_themselves() {
    check(
        &["table", &fixture("tiny-0.1-v2.ctf"), "--by", "site", "--top", "2"],
        expect![[r#"
                self     total            ±  samples  blocks  lifetime  promoted  at the end  name                place
            10.2 KiB  10.2 KiB  66 %  8.3 %      131      18    347 µs       0 %         0 B  Stdlib__Bytes.make  bytes.ml:42:10-18
            5.00 KiB  5.00 KiB  32 %   12 %       64      17   1.16 ms     100 %         0 B  Tiny.f              tiny.ml:3:18-32
            and 5 more rows; --top shows more
        "#]],
    );
}

#[test]
fn the_filter_and_the_measure_say_which_objects_count() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["table", &trace, "--measure", "promoted", "--by", "module"],
        expect![[r#"
                self     total            ±  samples  blocks  lifetime  promoted  at the end  name  place
            5.39 KiB  5.39 KiB  100 %  11 %       69      34   1.16 ms     100 %         0 B  Tiny
        "#]],
    );
    check(
        &["table", &trace, "--function", "^Tiny.g$", "--search", "BYTES"],
        expect![[r#"
            self     total             ±  samples  blocks  lifetime  promoted  at the end  name                place
        10.2 KiB  10.2 KiB  100 %  8.3 %      131      18    347 µs       0 %         0 B  Stdlib__Bytes.make  bytes.ml
    "#]],
    );
    check(
        &["table", &trace, "--size", "100000.."],
        expect![[r#"
        self  total    ±  samples  blocks  lifetime  promoted  at the end  name  place
    "#]],
    );
}

#[test]
fn comma_separated_values_have_all_figures_in_full() {
    let table = stdout(&["table", &fixture("tiny-0.1-v2.ctf"), "--by", "site", "--csv"]);
    let mut lines = table.split("\r\n");
    assert!(lines.next().is_some_and(|heading| heading.starts_with("name,file,line,")));
    let first = lines.next().expect("a row");
    assert!(first.starts_with("Stdlib__Bytes.make,bytes.ml,42,10,18,10480,10480,131,131,"), "{first}");
    check_refused(
        &["table", &fixture("tiny-0.1-v2.ctf"), "--csv", "--json"],
        expect![[r#"
        error: the argument '--csv' cannot be used with '--json'

        Usage: camlscope table --csv <FILE>

        For more information, try '--help'.
    "#]],
    );
}

/// What memtrace's own reader counted.
#[test]
fn json_rows_are_those_of_the_reference_reader() {
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
