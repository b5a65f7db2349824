//! `camlscope compare`.

use expect_test::expect;

use crate::program::{TempPath, check, check_messages, fixture, json, json_of, run, stdout};

#[test]
fn a_trace_compared_with_itself_has_no_changes() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["compare", &trace, &trace],
        expect![[r#"
              before     after  change         ±   %  verdict                name         location   reason
            15.6 KiB  15.6 KiB     0 B  2.96 KiB  0%  within sampling error  everything              200 → 200 samples, the change is between −2.96 KiB and +2.96 KiB
            10.2 KiB  10.2 KiB     0 B  2.41 KiB  0%  within sampling error  Bytes.make   bytes.ml   131 → 131 samples, the change is between −2.41 KiB and +2.41 KiB
            10.2 KiB  10.2 KiB     0 B  2.41 KiB  0%  within sampling error  String.make  string.ml  131 → 131 samples, the change is between −2.41 KiB and +2.41 KiB
            15.6 KiB  15.6 KiB     0 B  2.96 KiB  0%  within sampling error  Tiny         tiny.ml    200 → 200 samples, the change is between −2.96 KiB and +2.96 KiB
            5.39 KiB  5.39 KiB     0 B  1.75 KiB  0%  within sampling error  Tiny.f       tiny.ml    69 → 69 samples, the change is between −1.75 KiB and +1.75 KiB
            10.2 KiB  10.2 KiB     0 B  2.41 KiB  0%  within sampling error  Tiny.g       tiny.ml    131 → 131 samples, the change is between −2.41 KiB and +2.41 KiB
        "#]],
    );
}

#[test]
fn comparing_two_times_shows_what_changed() {
    check(
        &["compare", &fixture("leak-1e-4-v3.ctf"), "--times", "100ms,end", "--top", "5"],
        expect![[r#"
              before     after     change         ±      %  verdict  name                       location  reason
            2.06 MiB  6.56 MiB  +4.50 MiB  1.68 MiB  +219%  grew     everything                           27 → 86 samples, p < 0.0001
            2.06 MiB  6.56 MiB  +4.50 MiB  1.68 MiB  +219%  grew     Leak                       leak.ml   27 → 86 samples, p < 0.0001
             391 KiB  4.04 MiB  +3.66 MiB  1.26 MiB  +960%  grew     Leak.make_session          leak.ml   5 → 53 samples, p < 0.0001
            1.60 MiB   469 KiB  −1.14 MiB   917 KiB   −71%  shrank   List.init_aux              list.ml   21 → 6 samples, p = 0.006
                 0 B  0.99 MiB  +0.99 MiB   721 KiB         new      Leak.register              leak.ml   0 → 13 samples, p = 0.0002
            1.07 MiB   234 KiB   −859 KiB   764 KiB   −79%  shrank   Leak.handle_request.(fun)  leak.ml   14 → 3 samples, p = 0.01
            12 more rows. Use --top to show more.
        "#]],
    );
}

#[test]
fn two_traces_can_be_compared_by_any_measure_and_per_second() {
    let (one, two) = (fixture("leak-1e-4-v3.ctf"), fixture("phases-1e-4-v2.ctf"));
    let args = ["compare", &one, &two, "--measure", "blocks", "--self", "--by", "module", "--per-second"];
    check(
        &args,
        expect![[r#"
                 before      after        change          ±      %  verdict             name                location  reason
            7,478,758/s  179,480/s  −7,299,279/s  181,762/s   −98%  shrank              everything                    6,667 → 6,026 samples, p < 0.0001
            2,528,199/s        0/s  −2,528,199/s  100,370/s  −100%  gone                Leak                          2,535 → 0 samples, p < 0.0001
            2,369,157/s        0/s  −2,369,157/s  121,388/s  −100%  gone                Stdlib                        1,539 → 0 samples, p < 0.0001
            2,447,667/s  163,417/s  −2,284,250/s  100,376/s   −93%  shrank              List                          2,385 → 3,776 samples, p < 0.0001
               71,388/s        0/s     −71,388/s   14,954/s  −100%  gone                CamlinternalFormat            106 → 0 samples, p < 0.0001
               24,631/s        0/s     −24,631/s   11,460/s  −100%  gone                Bytes                         26 → 0 samples, p < 0.0001
               21,552/s        0/s     −21,552/s    6,711/s  −100%  gone                Buffer                        52 → 0 samples, p < 0.0001
                    0/s   15,965/s     +15,965/s      826/s         new                 Phases                        0 → 2,246 samples, p < 0.0001
                8,468/s       98/s      −8,370/s    5,741/s   −99%  shrank              Hashtbl                       14 → 4 samples, p < 0.0001
                7,697/s        0/s      −7,697/s    6,459/s  −100%  not enough samples  Printf                        10 → 0 samples, the change may be up to −14,156/s
        "#]],
    );
}

#[test]
fn json_has_the_total_and_a_change_for_each_row() {
    let answer = json(&["compare", &fixture("leak-1e-4-v3.ctf"), "--times", "100ms,end"]);
    assert!(answer["all"]["after"].as_f64() > answer["all"]["before"].as_f64());
    assert!(answer["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
}

#[test]
fn a_comparison_fits_the_width_and_sites_keep_their_locations() {
    let trace = fixture("orders-1e-4-v2.ctf");
    for (by, width) in [("function", "80"), ("function", "60"), ("site", "80")] {
        let table = stdout(&["compare", &trace, "--times", "1s,end", "--by", by, "--width", width]);
        let longest = table.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(longest <= width.parse().expect("a number"), "{longest} characters by {by} at {width}:\n{table}");
        assert!(table.contains("verdict") && (by != "site" || table.contains("orders.ml:86")), "{table}");
    }
}

#[test]
fn a_comparison_needs_exactly_two_sides() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &["compare FILE", "compare FILE --times 1s", "compare FILE --times 1s,noon", "compare FILE FILE --times 1s,2s"],
        expect![[r#"
            error: the following required arguments were not provided:
              <AFTER>

            Usage: camlscope compare <BEFORE> <AFTER>
            error: invalid value '1s' for '--times <A,B>': expected two times separated by a comma, such as 10s,50s
            error: invalid value '1s,noon' for '--times <A,B>': expected a time such as 3.5s, peak or end
            error: the argument '[AFTER]' cannot be used with '--times <A,B>'

            Usage: camlscope compare <BEFORE> <AFTER>
        "#]],
    );
}

/// Compares two traces against a limit. Returns the exit status, standard output and the gate.
fn gate(before: &str, after: &str, args: &[&str]) -> (Option<i32>, String, serde_json::Value) {
    let args = [&["compare", before, after], args].concat();
    let output = run(&args, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let args: Vec<&str> = args.into_iter().filter(|arg| *arg != "--markdown").collect();
    let in_json = run(&[&args[..], &["--json"]].concat(), &[]);
    assert_eq!(in_json.status.code(), output.status.code(), "{args:?}");
    let answer: serde_json::Value = serde_json::from_slice(&in_json.stdout).unwrap_or_default();
    (output.status.code(), text, answer["gate"].clone())
}

/// The first 50 of the 60 seconds of a trace. The entire trace allocates a fifth more.
fn first_50_seconds(name: &str) -> (TempPath, String) {
    let (part, whole) = (TempPath::new(&format!("{name}.ctf")), fixture("orders-1e-4-v2.ctf"));
    assert!(run(&["convert", &whole, "--between", "0s..50s", "-o", part.path()], &[]).status.success());
    (part, whole)
}

#[test]
fn the_exit_status_is_3_exactly_when_the_gate_is_exceeded() {
    let (part, whole) = first_50_seconds("status");
    let part = part.path();
    let figure = |gate: &serde_json::Value, name: &str| gate[name].as_f64().unwrap_or(f64::NAN);
    for (limit, as_number) in [
        ("0%", 0.0),
        ("5%", 0.05),
        ("15%", 0.15),
        ("20%", 0.2),
        ("40%", 0.4),
        ("0", 0.0),
        ("10M", 10_485_760.0),
        ("1G", 1_073_741_824.0),
    ] {
        let (status, _, gate) = gate(part, &whole, &["--fail-above", limit]);
        let exceeded = gate["exceeded"].as_bool().expect("a verdict");
        assert_eq!(status, Some(if exceeded { 3 } else { 0 }), "{limit}: {gate}");
        assert_eq!(figure(&gate, "limit"), as_number);
        assert_eq!(exceeded, figure(&gate, "p") < 0.025, "{gate}");
        // If the limit is exceeded, the entire 95% interval is above it.
        assert_eq!(exceeded, figure(&gate, "growth_low") > as_number, "{gate}");
        assert!(figure(&gate, "growth_error") >= figure(&gate, "growth") - figure(&gate, "growth_low"), "{gate}");
    }
    let (_, _, gate) = gate(part, &whole, &["--fail-above", "5%"]);
    let (low, high) = (figure(&gate, "growth_low"), figure(&gate, "growth_high"));
    assert!(low < 0.2 && 0.2 < high && high - low < 0.15, "a fifth more: {gate}");
}

#[test]
fn growth_is_printed_with_its_interval_whether_the_limit_is_exceeded_or_not() {
    let (part, whole) = first_50_seconds("interval");
    let part = part.path();
    let line = |args: &[&str]| {
        let (_, text, _) = gate(part, &whole, args);
        text.lines().filter(|line| line.contains("limit")).collect::<Vec<_>>().join("\n") + "\n"
    };
    let lines = [
        line(&["--fail-above", "5%"]),
        line(&["--fail-above", "30%"]),
        line(&["--fail-above", "10M", "--markdown"]),
        line(&["--fail-above", "20%", "--measure", "peak", "--markdown"]),
    ];
    expect![[r#"
        allocated: 902 MiB → 1.04 GiB, +18% (95% interval +15% to +21%). Significantly above the limit of 5.0%.
        allocated: 902 MiB → 1.04 GiB, +18% (95% interval +15% to +21%). Not significantly above the limit of 30%.
        ❌ allocated: 902 MiB → 1.04 GiB, +159 MiB (95% interval +135 MiB to +183 MiB). Significantly above the limit of 10.0 MiB.
        ✅ live at the peak: 31.3 MiB → 32.8 MiB, +4.9% (95% interval −8.6% to +20%). Not significantly above the limit of 20%.
    "#]].assert_eq(&lines.concat());
}

#[test]
fn a_function_above_the_limit_fails_the_gate_and_is_named() {
    let (early, late) = (TempPath::new("early.ctf"), TempPath::new("late.ctf"));
    let whole = fixture("orders-1e-4-v2.ctf");
    for (part, between) in [(&early, "0s..20s"), (&late, "20s..60s")] {
        assert!(run(&["convert", &whole, "--between", between, "-o", part.path()], &[]).status.success());
    }
    let args =
        ["compare", early.path(), late.path(), "--measure", "peak", "--self", "--fail-above", "10%", "--top", "3"];
    let output = run(&[&args[..], &["--by", "function"]].concat(), &[]);
    assert_eq!(output.status.code(), Some(3));
    expect![[r#"
          before     after     change         ±     %  verdict                name                     location    reason
        23.3 MiB  26.9 MiB  +3.59 MiB  3.90 MiB  +15%  within sampling error  everything                           305 → 352 samples, the change is between −308 KiB and +7.48 MiB
        9.61 MiB  14.1 MiB  +4.50 MiB  2.71 MiB  +47%  grew                   Bytes.sub                bytes.ml    126 → 185 samples, p = 0.0010
             0 B  1.53 MiB  +1.53 MiB   851 KiB        new                    Orders.Report.run.(fun)  orders.ml   0 → 20 samples, p < 0.0001
             0 B  1.37 MiB  +1.37 MiB   816 KiB        new                    Hashtbl.add              hashtbl.ml  0 → 18 samples, p < 0.0001
        31 more rows. Use --top to show more.

        live at the peak: 2 functions are significantly above the limit of 10%:
        - Orders.Report.run.(fun) 0 B → 1.53 MiB, new
        - Hashtbl.add 0 B → 1.37 MiB, new
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stdout));
    expect![[r#"
        error: live at the peak: Orders.Report.run.(fun) and 1 more function are significantly above the limit of 10%
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
    let answer = json_of(&[&args[..], &["--by", "function", "--json"]].concat(), &[], 3);
    assert_eq!(answer["gate"]["name"], "Orders.Report.run.(fun)");
    let exceeded_by = answer["gate"]["exceeded_by"].as_array().expect("functions");
    assert_eq!(
        exceeded_by.iter().map(|label| &label["name"]).collect::<Vec<_>>(),
        ["Orders.Report.run.(fun)", "Stdlib__Hashtbl.add"]
    );
    // The program as a whole isn't above the limit.
    assert_eq!(run(&args, &[]).status.code(), Some(0));
    // A trace compared with itself exceeds no limit, in any function.
    for trace in [&whole, &fixture("typecore-1e-4-v2.ctf")] {
        let (status, _, gate) = gate(trace, trace, &["--by", "function", "--fail-above", "0%"]);
        assert_eq!((status, gate["exceeded"].as_bool()), (Some(0), Some(false)));
    }
}

#[test]
fn invalid_limits_are_rejected() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &[
            "compare FILE FILE --measure peak --fail-above much",
            "compare FILE FILE --measure peak --fail-above 5",
            "compare FILE FILE --measure blocks --fail-above 10M",
        ],
        expect![[r#"
            error: invalid value 'much' for '--fail-above <LIMIT>': expected a limit such as 5% or 10M, not “much”
            error: --fail-above 5 has no unit. Write 5% or 5M.
            error: --fail-above is in bytes, but --measure blocks doesn't count bytes. Leave out the unit.
        "#]],
    );
    let trace = fixture("tiny-0.1-v2.ctf");
    let (status, _, gate) = gate(&trace, &trace, &["--measure", "blocks", "--fail-above", "1000"]);
    assert!(status == Some(0) && gate["unit"] == "blocks" && gate["limit"] == 1000.0, "{gate}");
}

#[test]
fn very_different_sampling_rates_block_the_gate_and_warn() {
    let (some, none) = (fixture("leak-1e-4-v3.ctf"), fixture("leak-1e-6-v3.ctf"));
    let args = ["compare", &some, &none, "--measure", "end"];
    let refused = run(&[&args[..], &["--fail-above", "10%"]].concat(), &[]);
    assert_eq!(refused.status.code(), Some(2));
    expect![[r#"
        error: The sampling rates differ by 100× (1e-4 and 1e-6). A high rate changes when the GC runs, so live bytes aren't comparable. Record both at the same rate, or use --allow-different-rates to test the limit anyway.
    "#]].assert_eq(&String::from_utf8_lossy(&refused.stderr));
    // One sample is too little evidence to exceed a limit.
    let allowed = run(&[&args[..], &["--fail-above", "10%", "--allow-different-rates"]].concat(), &[]);
    assert_eq!(allowed.status.code(), Some(0));
    expect![[r#"
        warning: The sampling rates differ by 100× (1e-4 and 1e-6). A high rate changes when the GC runs, so live bytes aren't comparable.
    "#]].assert_eq(&String::from_utf8_lossy(&allowed.stderr));
    assert_eq!(run(&args, &[]).status.code(), Some(0));
    // Half the rate is close enough.
    let (half, orders) = (TempPath::new("half-rate.ctf"), fixture("orders-1e-4-v2.ctf"));
    assert!(run(&["convert", &orders, "--thin", "2", "-o", half.path()], &[]).status.success());
    let close = run(&["compare", &orders, half.path(), "--fail-above", "10%"], &[]);
    assert_eq!((close.status.code(), close.stderr.is_empty()), (Some(0), true));
}

#[test]
fn equal_figures_have_equal_verdicts() {
    // `all` and its only child have the same figures.
    let leak = fixture("leak-1e-4-v3.ctf");
    let typecore = [fixture("typecore-1e-4-v2.ctf"), fixture("orders-1e-4-v2.ctf")];
    for args in [
        vec!["compare", &leak, "--times", "100ms,end"],
        vec!["compare", &leak, "--times", "1s,peak"],
        vec!["compare", &typecore[0], &typecore[1]],
    ] {
        let answer = json(&[&args[..], &["--top", "10000"]].concat());
        for row in answer["rows"].as_array().expect("rows") {
            let (change, all) = (&row["change"], &answer["all"]);
            if ["before", "after", "error"].iter().all(|name| change[name] == all[name]) {
                assert_eq!(change["verdict"], all["verdict"], "{row}");
            }
        }
    }
}

#[test]
fn markdown_lists_significant_changes() {
    let (one, two) = (fixture("leak-1e-4-v3.ctf"), fixture("phases-1e-4-v2.ctf"));
    check(
        &["compare", &one, &two, "--markdown", "--per-second", "--self", "--top", "5"],
        expect![[r#"
            ### Memory, allocated: 157 MiB/s → 5.97 MiB/s, −151 MiB/s ±3.8 (shrank)

            | function | before | after | change | % | verdict |
            | --- | ---: | ---: | ---: | ---: | --- |
            | `Leak.handle_request.(fun)` `leak.ml` | 57.8 MiB/s | 0 B/s | −57.8 MiB/s ±2.3 | −100% | gone |
            | `List.init_aux` `list.ml` | 56.0 MiB/s | 3.74 MiB/s | −52.3 MiB/s ±2.3 | −93% | shrank |
            | `string_of_int` `stdlib.ml` | 36.2 MiB/s | 0 B/s | −36.2 MiB/s ±1.9 | −100% | gone |
            | `Phases.phase_steady` `phases.ml` | 0 B/s | 1.96 MiB/s | +1.96 MiB/s ±0.11 |  | new |
            | `CamlinternalFormat.make_int_padding_precision.(fun)` `camlinternalFormat.ml` | 1.74 MiB/s | 0 B/s | −1.74 MiB/s ±0.44 | −100% | gone |

            11 more changed significantly. Use `--top` to show more.

            3 did not change significantly, or have too few samples.

            ± is a 95% confidence interval, in the unit of the figure before it.
        "#]],
    );
}

#[test]
fn live_bytes_are_never_divided_by_time() {
    let (one, two) = (fixture("leak-1e-4-v3.ctf"), fixture("orders-1e-4-v2.ctf"));
    let plain = json(&["compare", &one, &two, "--measure", "peak"]);
    let divided = json(&["compare", &one, &two, "--measure", "peak", "--per-second"]);
    assert_eq!((&divided["all"], &divided["scale"]), (&plain["all"], &"as is".into()));
}

#[test]
fn a_trace_with_few_samples_gives_no_verdicts() {
    // One sample of the second trace represents 7.6 MiB, which is more than the first one has live at its end.
    let answer = json(&["compare", &fixture("leak-1e-4-v3.ctf"), &fixture("leak-1e-6-v3.ctf"), "--measure", "end"]);
    assert_eq!(answer["all"]["verdict"], "not enough samples");
    assert!(answer["all"]["error"].as_f64() > Some(7e6), "{}", answer["all"]["error"]);
    for row in answer["rows"].as_array().expect("rows") {
        assert_eq!(row["change"]["verdict"], "not enough samples", "{row}");
        // Code without a position has a different address in each run, so the address isn't a name.
        assert!(!row["label"]["name"].as_str().is_some_and(|name| name.starts_with('$')), "{row}");
    }
}

#[test]
fn the_main_growing_functions_grew_significantly() {
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
    assert_eq!(summary["findings"][0]["headline"], leaks["heap"]["text"], "summary and leaks must agree");
}

#[test]
fn thresholds_keep_only_changes_above_them_and_every_verdict_has_a_reason() {
    let (one, two) = (fixture("leak-3-long.ctf"), fixture("leak-15.ctf"));
    let rows = |args: &[&str]| {
        let answer = json(&[&["compare", &one, &two, "--by", "site", "--top", "10000"], args].concat());
        answer["rows"].as_array().expect("a list").clone()
    };
    let all = rows(&[]);
    let titles: std::collections::BTreeSet<&str> = all.iter().filter_map(|row| row["title"].as_str()).collect();
    assert_eq!(titles.len(), all.len());
    assert!(all.iter().all(|row| row["change"]["reason"].as_str().is_some_and(|reason| !reason.is_empty())));
    let is_weak = |row: &serde_json::Value| {
        ["within sampling error", "not enough samples"].contains(&row["change"]["verdict"].as_str().unwrap_or_default())
    };
    let changed = rows(&["--changed-only"]);
    assert!(!changed.iter().any(is_weak) && all.iter().any(is_weak) && !changed.is_empty());
    let large = rows(&["--min-change", "10M"]);
    let by = |row: &serde_json::Value| row["change"]["change"].as_f64().expect("a number").abs();
    assert!(!large.is_empty() && large.iter().all(|row| by(row) >= f64::from(10 << 20)));
    assert_eq!(large.len(), all.iter().filter(|row| by(row) >= f64::from(10 << 20)).count());
}
