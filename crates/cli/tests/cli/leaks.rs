//! `camlscope leaks`.

use expect_test::expect;

use crate::program::{check, fixture, json, stdout};

#[test]
fn the_verdict_comes_first_then_sites_by_share_of_growth() {
    check(
        &["leaks", &fixture("leak-1e-4-v3.ctf"), "--top", "4"],
        expect![[r#"
            The heap keeps growing: +2.08 MiB/s (1.54–2.74) since 558 ms (406–609 ms). Three functions account
            for it, all called from Leak: Leak.make_session 69% (55–80%), Leak.register 16% (8.5–29%),
            Leak.handle_request 14% (7.1–27%).
            A cache that is filling up or a program that builds up its result looks the same as a leak. Record
            for longer: a cache levels off, but a leak doesn't.
            Objects younger than 885 ms don't count: they may still be in use.

            verdict   growth (95% interval)  share  at the end  samples  never freed       site                               reason
            growing  1.10 MiB/s (0.72–1.61)  53.1%    2.75 MiB       51  ▁▁▃██▆▆▁▆▆▆██▃▃▃  Leak.make_session leak.ml:5:69-86  53% (39–66%) of the growth, from 26 samples
            growing     347 KiB/s (150–684)  16.3%    0.99 MiB       14  ▁▁▁▁▅▅▅▁█▅▁█▁▅▅▁  Leak.register leak.ml:6            16% (8.5–29%) of the growth, from 8 samples
            growing    217 KiB/s (70.4–506)  10.2%     469 KiB       91  ▁▁▁▁▅█▁▁▁▁▅▅▁▁▁▁  Leak.handle_request leak.ml:10     10% (4.4–22%) of the growth, from 5 samples
            growing    173 KiB/s (47.3–444)   8.2%     859 KiB       16  █▁▁█▁██▁▁▁▁█████  Leak.make_session leak.ml:5:2-88   8.2% (3.2–19%) of the growth, from 4 samples

            6 more sites. Use --top to show more.
        "#]],
    );
}

#[test]
fn a_level_heap_shows_an_upper_bound() {
    check(
        &["leaks", &fixture("none.ctf"), "--by", "function", "--top", "2"],
        expect![[r#"
            Any steady growth of the heap is below 4.10 KiB/s.
            This covers objects allocated before 57.2 s. Growth that started later isn't visible yet.
            Objects younger than 2.43 s don't count: they may still be in use.

            verdict  growth (95% interval)  share  at the end  samples  never freed       site                                      reason
            level         0 KiB/s (0–4.10)      –    1.53 MiB      404  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█  Growth.Metric.make.(fun) truth/growth.ml  any steady growth is below 4.10 KiB/s
            level         0 KiB/s (0–4.10)      –    1.37 MiB      424  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█  Growth.Cart.make truth/growth.ml          any steady growth is below 4.10 KiB/s

            30 more sites. Use --top to show more.
        "#]],
    );
}

#[test]
fn too_few_samples_do_not_mean_no_growth() {
    let text = stdout(&["leaks", &fixture("leak-1e-6-v3.ctf")]);
    assert!(text.starts_with("Can't tell: not enough samples"), "{text}");
}

#[test]
fn a_filter_changes_sites_but_not_the_verdict() {
    let all = json(&["leaks", &fixture("leak-1e-4-v3.ctf")]);
    let part = json(&["leaks", &fixture("leak-1e-4-v3.ctf"), "--allocated", "1s..2s"]);
    assert_eq!(all["heap"], part["heap"]);
    assert_ne!(all["sites"], part["sites"]);
    let text = stdout(&["leaks", &fixture("leak-1e-4-v3.ctf"), "--allocated", "1s..2s"]);
    assert!(text.contains("The verdict is for the entire trace"), "{text}");
}

#[test]
fn json_has_intervals_and_shares_of_heap_and_sites() {
    let answer = json(&["leaks", &fixture("leak-1e-4-v3.ctf")]);
    let heap = &answer["heap"];
    assert_eq!(heap["verdict"], "growing");
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    assert!(number(&heap["growth_low"]) < number(&heap["growth_bytes_per_s"]));
    assert!(number(&heap["growth_bytes_per_s"]) < number(&heap["growth_high"]));
    assert!(number(&heap["since_us"]) < 1e6 && heap["until_us"].is_null());
    let sites = answer["sites"].as_array().expect("a list");
    assert!(sites.len() > 4);
    assert_eq!(sites[0]["verdict"], "growing");
    for field in
        ["name", "file", "line", "reason", "growth_bytes_per_s", "growth_low", "growth_high", "end_bytes", "samples"]
    {
        assert!(!sites[0][field].is_null(), "{field}");
    }
    let shares: f64 = sites.iter().map(|site| number(&site["share_of_growth"])).sum();
    let rates: f64 = sites.iter().map(|site| number(&site["growth_bytes_per_s"])).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    assert!((rates / number(&heap["growth_bytes_per_s"]) - 1.0).abs() < 1e-9, "{rates}");
}

#[test]
fn stopped_growth_has_an_end_and_a_level_heap_has_no_start() {
    let stopped = json(&["leaks", &fixture("fill-30.ctf")]);
    assert_eq!((&stopped["heap"]["verdict"], &stopped["heap"]["since_us"]), (&"stopped".into(), &0.into()));
    let until = stopped["heap"]["until_us"].as_f64().expect("an end");
    assert!((until - 30e6).abs() < 1e6, "{until}");
    let level = json(&["leaks", &fixture("none.ctf")]);
    assert_eq!(level["heap"]["verdict"], "level");
    assert!(level["heap"]["since_us"].is_null() && level["heap"]["until_us"].is_null());
    assert!(level["heap"]["growth_high"].as_f64() > Some(0.0), "a bound");
}

#[test]
fn growth_works_as_a_measure_in_tables_flame_graphs_and_the_gate() {
    let leak = fixture("leak-15.ctf");
    let heap = json(&["leaks", &leak])["heap"]["growth_bytes_per_s"].as_f64().expect("a rate");
    let table = json(&["table", &leak, "--measure", "growth"]);
    assert_eq!(table["unit"], "bytes-per-second");
    let all = table["all"].as_f64().expect("a sum");
    assert!((all / heap - 1.0).abs() < 1e-9, "{all} {heap}");
    let flame = stdout(&["flame", &leak, "--measure", "growth", "--all"]);
    let folded: f64 = flame.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum();
    assert!((folded / heap - 1.0).abs() < 0.01, "{folded} {heap}");
    let text = stdout(&["table", &leak, "--measure", "growth", "--top", "1"]);
    assert!(text.contains(" KiB/s"), "{text}");
    let gate = |before: &str, after: &str| {
        let args = ["compare", before, after, "--measure", "growth", "--fail-above", "20%", "--json"];
        crate::program::run(&args, &[]).status.code()
    };
    assert_eq!(gate(&fixture("leak-3-long.ctf"), &leak), Some(3), "it leaks twice as much");
    assert_eq!(gate(&leak, &fixture("leak-3-long.ctf")), Some(0));
}

#[test]
fn thresholds_keep_only_sites_above_them_and_titles_tell_sites_apart() {
    let trace = fixture("leak-1e-4-v3.ctf");
    let sites = |args: &[&str]| json(&[&["leaks", &trace], args].concat())["sites"].as_array().expect("a list").clone();
    let all = sites(&[]);
    let titles: std::collections::BTreeSet<&str> = all.iter().filter_map(|site| site["title"].as_str()).collect();
    assert_eq!(titles.len(), all.len(), "{titles:?}");
    let above = sites(&["--min-share", "10%"]);
    assert!(!above.is_empty() && above.len() < all.len());
    assert!(above.iter().all(|site| site["share_of_growth"].as_f64() >= Some(0.1)));
    let fast = sites(&["--min-growth", "300K", "--verdict", "growing,stopped"]);
    assert!(!fast.is_empty() && fast.iter().all(|site| site["growth_bytes_per_s"].as_f64() >= Some(300.0 * 1024.0)));
    assert_eq!(sites(&["--verdict", "undecided"]), [] as [serde_json::Value; 0]);
}
