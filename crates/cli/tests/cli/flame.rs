//! `camlscope flame`.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};

use expect_test::expect;
use serde_json::{Value, json as json_value};

use crate::program::{check, fixture, folded_sum, json, run, stderr_of, stdout};

#[test]
fn folded_stacks_are_in_tree_order_largest_first() {
    check(
        &["flame", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
            Tiny;Tiny.g;String.make;Bytes.make 10480
            Tiny;Tiny.f 5520
        "#]],
    );
}

#[test]
fn flame_supports_every_measure_grain_and_direction() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["flame", &trace, "--measure", "samples", "--inverted"],
        expect![[r#"
            Bytes.make;String.make;Tiny.g;Tiny 131
            Tiny.f;Tiny 69
        "#]],
    );
    check(
        &["flame", &trace, "--measure", "promoted", "--by", "module"],
        expect![[r#"
            Tiny;Tiny 5520
        "#]],
    );
    check(
        &["flame", &trace, "--measure", "blocks", "--by", "file"],
        expect![[r#"
            tiny.ml;tiny.ml 34
            tiny.ml;tiny.ml;string.ml;bytes.ml 18
        "#]],
    );
    assert!(run(&["flame", &trace, "--measure", "end"], b"").stdout.is_empty());
}

#[test]
fn hide_attributes_bytes_to_callers_and_focus_sets_the_root() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check(
        &["flame", &trace, "--hide", "^Stdlib"],
        expect![[r#"
            Tiny;Tiny.g 10480
            Tiny;Tiny.f 5520
        "#]],
    );
    check(
        &["flame", &trace, "--focus", "Tiny.g"],
        expect![[r#"
            Tiny.g;String.make;Bytes.make 10480
        "#]],
    );
}

#[test]
fn stacks_add_up_to_the_summary() {
    for name in ["tiny-0.1-v2.ctf", "leak-1e-4-v3.ctf", "phases-1e-4-v2.ctf", "domains-multi-1e-3-o5-v3.ctf"] {
        let trace = fixture(name);
        let summary = json(&["summary", &trace]);
        for (measure, expected) in [("allocated", &summary["allocated_bytes"]), ("peak", &summary["peak"]["bytes"])] {
            let total = json(&["flame", &trace, "--measure", measure])["total"].as_f64().expect("a number");
            let expected = expected.as_f64().expect("a number");
            assert!((total - expected).abs() <= 1e-9 * expected, "{name}: {measure} {total}, not {expected}");
        }
        let folded = String::from_utf8(run(&["flame", &trace, "--measure", "samples"], b"").stdout).expect("UTF-8");
        assert_eq!(folded_sum(&folded), summary["samples"]["total"].as_f64().expect("a number"), "{name}");
    }
}

#[test]
fn small_stacks_are_merged_into_callers_with_a_note() {
    let trace = fixture("orders-1e-4-v2.ctf");
    let short = run(&["flame", &trace], b"");
    assert_eq!(short.status.code(), Some(0));
    expect![[r#"
        note: 17 stacks below 0.01% of the total, 0.1% together, are merged into their callers. Use --all to write every stack.
    "#]]
    .assert_eq(&stderr_of(&short));
    let (short, all) = (String::from_utf8(short.stdout).expect("UTF-8"), stdout(&["flame", &trace, "--all"]));
    assert!(short.lines().count() < all.lines().count());
    assert_eq!(folded_sum(&short), folded_sum(&all));

    let (short, all) = (json(&["flame", &trace]), json(&["flame", &trace, "--all"]));
    assert_eq!(short["total"], all["total"]);
    let n_stacks = |answer: &Value| answer["stacks"].as_array().expect("a list").len();
    assert_eq!((&short["merged_stacks"], &all["merged_stacks"]), (&json_value!(17), &json_value!(0)));
    assert_eq!(short["merged_below"].as_f64(), short["total"].as_f64().map(|total| total * 1e-4));
    assert_eq!((&all["merged"], &all["merged_below"]), (&json_value!(0.0), &json_value!(0.0)));
    assert!(short["merged"].as_f64() > Some(0.0) && n_stacks(&short) < n_stacks(&all));
}

#[test]
fn inverted_stacks_keep_self_bytes_and_drop_outer_callers() {
    let trace = fixture("orders-1e-4-v2.ctf");
    let answer = |options: &[&str]| json(&[&["flame", &trace, "--inverted", "--measure", "samples"], options].concat());
    let (short, all) = (answer(&[]), answer(&["--all"]));
    let by_function = |answer: &Value| {
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for stack in answer["stacks"].as_array().expect("a list") {
            let function = stack["frames"][0].as_str().expect("a name").to_owned();
            *sums.entry(function).or_default() += stack["value"].as_f64().expect("a number");
        }
        sums.retain(|name, samples| name != "(other stacks)" && *samples >= 2.0);
        sums
    };
    assert_eq!(by_function(&short), by_function(&all));
    assert!(short["merged_stacks"].as_u64() > Some(0));
    let turned = |stack: &Value| {
        let reversed = |key: &str| stack[key].as_array().expect("a list").iter().rev().cloned().collect::<Vec<_>>();
        json_value!({ "frames": reversed("frames"), "labels": reversed("labels"), "value": stack["value"] })
    };
    let upright = json(&["flame", &trace, "--measure", "samples", "--all"]);
    let turned: Vec<Value> = all["stacks"].as_array().expect("a list").iter().map(turned).collect();
    assert_eq!(upright["stacks"], Value::from(turned));
}

#[test]
fn a_closed_pipe_ends_the_output_silently() {
    let trace = fixture("typecore-1e-4-v2.ctf");
    for command in [
        &["flame", &trace, "--all"][..],
        &["flame", &trace, "--all", "--inverted"],
        &["flame", &trace, "--all", "--json"],
        &["dump", &trace],
        &["convert", &trace, "--output", "-", "--to", "folded"],
        &["convert", &trace, "--output", "-", "--to", "speedscope", "--all"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
            .args(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        // Far less than the output, and less than a pipe can hold.
        let mut first = [0; 100];
        child.stdout.take().expect("piped").read_exact(&mut first).expect("a beginning");
        let output = child.wait_with_output().expect("ends");
        assert_eq!((output.status.code(), &*stderr_of(&output)), (Some(0), ""), "{command:?}");
    }
}

#[test]
fn pictures_are_svg_with_the_names_of_the_trace() {
    let trace = fixture("orders-1e-4-v2.ctf");
    for (command, words) in [
        (
            &["flame", &*trace, "--svg", "--live-at", "peak"][..],
            ["Flame graph of orders.exe", "objects live at the peak", "Orders.Session"],
        ),
        (
            &["timeline", &*trace, "--svg", "--by", "module"],
            ["Live bytes over time of orders.exe", "live bytes of all objects", "Orders.Session"],
        ),
        (&["timeline", &*fixture("spacetime-11710"), "--svg"], ["Live bytes over time", "CPU", "snapshots"]),
    ] {
        let picture = stdout(command);
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{command:?}");
        for word in words {
            assert!(picture.contains(word), "{command:?}: no {word:?}");
        }
    }
}
