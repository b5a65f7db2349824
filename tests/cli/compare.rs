//! `camlscope compare`.

use expect_test::expect;

use crate::program::{check, check_refused, fixture, json, run, stdout};

#[test]
fn a_trace_compared_with_itself_is_the_same() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["compare", &trace, &trace],
        expect![[r#"
              before     after  change         ±  verdict                 name         place
            15.6 KiB  15.6 KiB     0 B  1.48 KiB  the same within chance  everything
            10.2 KiB  10.2 KiB     0 B  1.20 KiB  the same within chance  Bytes.make   bytes.ml
            10.2 KiB  10.2 KiB     0 B  1.20 KiB  the same within chance  String.make  string.ml
            15.6 KiB  15.6 KiB     0 B  1.48 KiB  the same within chance  Tiny         tiny.ml
            5.39 KiB  5.39 KiB     0 B     892 B  the same within chance  Tiny.f       tiny.ml
            10.2 KiB  10.2 KiB     0 B  1.20 KiB  the same within chance  Tiny.g       tiny.ml
        "#]],
    );
}

#[test]
fn two_times_of_one_trace_show_what_came_and_went() {
    check(
        &["compare", &fixture("leak-1e-4-v3.ctf"), "--times", "100ms,end", "--top", "5"],
        expect![[r#"
              before     after     change        ±  verdict  name                       place
            2.06 MiB  6.56 MiB  +4.50 MiB  823 KiB  grew     everything
            2.06 MiB  6.56 MiB  +4.50 MiB  823 KiB  grew     Leak                       leak.ml
             391 KiB  4.04 MiB  +3.66 MiB  585 KiB  grew     Leak.make_session          leak.ml
            1.60 MiB   469 KiB  −1.14 MiB  406 KiB  shrank   List.init_aux              list.ml
                 0 B  0.99 MiB  +0.99 MiB  305 KiB  new      Leak.register              leak.ml
            1.07 MiB   234 KiB   −859 KiB  322 KiB  shrank   Leak.handle_request.(fun)  leak.ml
            and 12 more rows; --top shows more
        "#]],
    );
}

#[test]
fn two_traces_are_compared_by_any_measure_and_a_second() {
    let (one, two) = (fixture("tiny-0.1-v2.ctf"), fixture("tiny-1.0-v3.ctf"));
    let args = ["compare", &one, &two, "--measure", "blocks", "--self", "--by", "module", "--per-second"];
    check(
        &args,
        expect![[r#"
              before    after     change        ±  verdict  name        place
            23,024/s  4,146/s  −18,879/s  1,545/s  shrank   everything
            14,927/s  2,764/s  −12,163/s  1,705/s  shrank   Tiny
             8,098/s  1,382/s   −6,716/s    671/s  shrank   Bytes
        "#]],
    );
}

#[test]
fn json_has_the_whole_and_a_change_for_each_row() {
    let answer = json(&["compare", &fixture("leak-1e-4-v3.ctf"), "--times", "100ms,end"]);
    assert!(answer["all"]["after"].as_f64() > answer["all"]["before"].as_f64());
    assert!(answer["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
}

#[test]
fn a_comparison_fits_the_width_and_sites_keep_their_places() {
    let trace = fixture("orders-1e-4-v2.ctf");
    for (by, width) in [("function", "80"), ("function", "60"), ("site", "80")] {
        let table = stdout(&["compare", &trace, "--times", "1s,end", "--by", by, "--width", width]);
        let longest = table.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(longest <= width.parse().expect("a number"), "{longest} characters by {by} at {width}:\n{table}");
        assert!(table.contains("verdict") && (by != "site" || table.contains("orders.ml:86")), "{table}");
    }
}

#[test]
fn two_sides_are_needed_and_no_more() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check_refused(
        &["compare", &trace],
        expect![[r#"
        error: the following required arguments were not provided:
          <AFTER>

        Usage: camlscope compare <BEFORE> <AFTER>

        For more information, try '--help'.
    "#]],
    );
    check_refused(
        &["compare", &trace, "--times", "1s"],
        expect![[r#"
        error: invalid value '1s' for '--times <A,B>': two times are expected, with a comma between them: 10s,50s

        For more information, try '--help'.
    "#]],
    );
    check_refused(
        &["compare", &trace, "--times", "1s,noon"],
        expect![[r#"
            error: invalid value '1s,noon' for '--times <A,B>': a time such as 3.5s, peak or end is expected

            For more information, try '--help'.
        "#]],
    );
    check_refused(
        &["compare", &trace, &trace, "--times", "1s,2s"],
        expect![[r#"
        error: the argument '[AFTER]' cannot be used with '--times <A,B>'

        Usage: camlscope compare <BEFORE> <AFTER>

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_limit_that_is_passed_by_more_than_chance_fails_a_build() {
    let (old, new) = (fixture("tiny-0.1-v2.ctf"), fixture("orders-1e-4-v2.ctf"));
    let status = |args: &[&str]| run(args, &[]).status.code();
    let compare = |before: &str, after: &str, limit: &str| {
        let args = ["compare", before, after, "--measure", "peak", "--fail-above", limit, "--markdown"];
        let output = run(&args, &[]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = compare(&old, &new, "5%");
    assert!(code == Some(3) && text.contains("❌ live at the peak: "), "{code:?}: {text}");
    let (code, text) = compare(&new, &new, "5%");
    assert!(code == Some(0) && text.contains("✅ live at the peak: "), "{code:?}: {text}");
    // 4.8% of error are no 0%: the same trace never passes a limit.
    assert_eq!(compare(&new, &new, "0").0, Some(0));
    // Nothing can be said of a trace with hardly a sample, so it passes no limit.
    let (some, none) = (fixture("leak-1e-4-v3.ctf"), fixture("leak-1e-6-v3.ctf"));
    assert_eq!(status(&["compare", &some, &none, "--measure", "end", "--fail-above", "10%"]), Some(0));
    assert_eq!(status(&["compare", &some, &none, "--fail-above", "much"]), Some(2));
    let answer = json(&["compare", &some, &none, "--measure", "end", "--fail-above", "10%"]);
    assert!(answer["gate"]["limit"] == 0.1 && answer["gate"]["is_passed"] == false, "{}", answer["gate"]);
}

#[test]
fn a_pull_request_shows_what_changed_by_more_than_chance() {
    let (one, two) = (fixture("tiny-0.1-v2.ctf"), fixture("tiny-1.0-v3.ctf"));
    check(
        &["compare", &one, &two, "--markdown", "--per-second", "--self"],
        expect![[r#"
            ### Memory, allocated: 6.72 MiB/s → 1.08 MiB/s, −5.64 MiB/s ± 462 KiB/s (shrank)

            | function | before | after | change | verdict |
            | --- | ---: | ---: | ---: | --- |
            | `Bytes.make` `bytes.ml` | 4.40 MiB/s | 726 KiB/s | −3.69 MiB/s ± 374 KiB/s | shrank |
            | `Tiny.f` `tiny.ml` | 2.32 MiB/s | 383 KiB/s | −1.94 MiB/s ± 271 KiB/s | shrank |
        "#]],
    );
}

#[test]
fn what_is_live_is_never_divided_by_time() {
    let (one, two) = (fixture("tiny-0.1-v2.ctf"), fixture("orders-1e-4-v2.ctf"));
    let plain = json(&["compare", &one, &two, "--measure", "peak"]);
    let divided = json(&["compare", &one, &two, "--measure", "peak", "--per-second"]);
    assert_eq!((&divided["all"], &divided["scale"]), (&plain["all"], &"as is".into()));
}

#[test]
fn a_trace_with_hardly_a_sample_says_nothing_about_what_changed() {
    // One sample of the second trace stands for 7.6 MiB, more than all that the first one has at its end.
    let answer = json(&["compare", &fixture("leak-1e-4-v3.ctf"), &fixture("leak-1e-6-v3.ctf"), "--measure", "end"]);
    assert_eq!(answer["all"]["verdict"], "not enough samples to tell");
    assert!(answer["all"]["error"].as_f64() > Some(7e6), "{}", answer["all"]["error"]);
    for row in answer["rows"].as_array().expect("rows") {
        assert_eq!(row["change"]["verdict"], "not enough samples to tell", "{row}");
        // Code without a position has another address in each run: it is no name.
        assert!(!row["label"]["name"].as_str().is_some_and(|name| name.starts_with('$')), "{row}");
    }
}

#[test]
fn the_functions_that_carry_most_of_the_growth_have_grown_significantly() {
    let orders = fixture("orders-1e-4-v2.ctf");
    let leaks = json(&["leaks", &orders, "--by", "function"]);
    let carriers = leaks["sites"].as_array().expect("sites").iter();
    let carriers = carriers.filter(|site| site["share_of_growth"].as_f64() > Some(0.3));
    let changes = json(&["compare", &orders, "--times", "15s,end", "--top", "1000"]);
    let changes = changes["rows"].as_array().expect("rows");
    let mut n_growing = 0;
    for site in carriers {
        let row = changes.iter().find(|row| row["label"]["name"] == site["name"]).expect("a row");
        assert_eq!(row["change"]["verdict"], "grew", "{row}");
        n_growing += 1;
    }
    assert_eq!(n_growing, 2);
    let summary = json(&["summary", &orders]);
    assert_eq!(summary["findings"][0]["headline"], leaks["heap"]["text"], "the summary says something else");
}
