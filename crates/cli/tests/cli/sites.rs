//! `camlscope sites`.

use expect_test::expect;
use serde_json::Value;

use super::annotate::project;
use crate::program::{check, fixture, json, run, stderr_of, stdout};

#[test]
fn sites_are_lines_that_editors_read() {
    check(
        &["sites", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
        bytes.ml:42:11: 10.2 KiB ±1.8 (66%) allocated in Bytes.make
        tiny.ml:3:19: 5.00 KiB ±1.3 (32%) allocated in Tiny.f
        tiny.ml:3:19: 400 B ±496 (2.5%) allocated in Tiny.f
    "#]],
    );
    check(
        &["sites", &fixture("spacetime-11710"), "--measure", "peak", "--top", "2"],
        expect![[r#"
            leak.ml:4:78: 3.40 MiB (43%) live at the peak
            leak.ml:2:34: 2.22 MiB (28%) live at the peak
        "#]],
    );
    check(
        &["sites", &fixture("tiny-0.1-v2.ctf"), "--format", "github", "--measure", "blocks", "--top", "2"],
        expect![[r#"
            ::notice file=bytes.ml,line=42,col=11,title=Memory::18 blocks (35%25) allocated in Bytes.make
            ::notice file=tiny.ml,line=3,col=19,title=Memory::17 blocks (33%25) allocated in Tiny.f
        "#]],
    );
}

#[test]
fn source_folders_lead_to_real_paths() {
    let project = project("sites-paths", &[("src/orders.ml", "orders.ml")]);
    let trace = fixture("orders-1e-4-v2.ctf");
    let output = run(&["sites", &trace, "--source", project.path(), "--top", "100"], b"");
    let text = String::from_utf8_lossy(&output.stdout);
    let path = format!("{}/src/orders.ml", project.path());
    assert!(text.lines().any(|line| line.starts_with(&format!("{path}:88:35: "))), "{text}");
    assert!(text.lines().all(|line| line.starts_with(&path)), "{text}");
    expect![[r#"
        note: Left out 49 sites (75%): the --source folders don't contain buffer.ml, bytes.ml, list.ml, camlinternalFormat.ml, printf.ml and 7 more.
        note: To attribute library code to the lines that call it, add --hide '^(Stdlib|Camlinternal)'.
    "#]].assert_eq(&stderr_of(&output));
    let whole = stdout(&["sites", &trace]);
    assert!(whole.lines().any(|line| line.starts_with("bytes.ml:68:13: ")), "{whole}");
    let elsewhere = run(&["sites", &fixture("tiny-0.1-v2.ctf"), "--source", project.path()], b"");
    let text = stderr_of(&elsewhere);
    assert_eq!(elsewhere.status.code(), Some(1));
    assert!(text.contains("There are no source files of this trace in the --source folders."), "{text}");
}

#[test]
fn sites_have_the_figures_of_the_table() {
    for (name, measure) in [
        ("orders-1e-4-v2.ctf", "peak"),
        ("orders-1e-4-v2.ctf", "byte-seconds"),
        ("leak-1e-4-v3.ctf", "growth"),
        ("spacetime-11710", "blocks"),
    ] {
        let args = [&fixture(name), "--measure", measure, "--top", "100000"];
        let table = json(&[&["table"], &args[..], &["--by", "site"]].concat());
        let sites = json(&[&["sites"], &args[..]].concat());
        let figures = |list: &Value, column: &str, first: u64| -> Vec<String> {
            let rows = list.as_array().expect("a list").iter().filter(|row| row["line"].is_u64());
            let rows = rows.filter(|row| row["self"].as_f64() > Some(0.0));
            let text = |row: &Value| {
                let column = row[column].as_u64().expect("a column") - first;
                format!("{}:{}:{column} {} {}", row["file"], row["line"], row["name"], row["self"])
            };
            let mut rows: Vec<String> = rows.map(text).collect();
            rows.sort();
            rows
        };
        let sites = figures(&sites["sites"], "column", 1);
        assert_eq!(sites, figures(&table["rows"], "start_char", 0), "{name}, {measure}");
        assert!(sites.len() > 5, "{name}, {measure}");
    }
}
