//! `camlscope annotate`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::program::{TempPath, fixture, json, json_of, run, run_with, stderr_of, stdout};

const ORDERS: &str = "orders-1e-4-v2.ctf";
const LEAK: &str = "spacetime-11710";

/// A folder with these files, older than all traces. Each is a copy of a source fixture, or a text.
pub fn project(name: &str, files: &[(&str, &str)]) -> TempPath {
    let folder = TempPath::new(name);
    for (path, source) in files {
        let path = Path::new(folder.path()).join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        match source.strip_suffix(".ml") {
            Some(_) => fs::write(&path, fs::read(fixture(&format!("source/{source}"))).expect("a fixture")),
            None => fs::write(&path, source),
        }
        .expect("written");
        set_modified(&path, SystemTime::UNIX_EPOCH + Duration::from_secs(1));
    }
    folder
}

fn set_modified(path: &Path, time: SystemTime) {
    let file = File::options().write(true).open(path).expect("opened");
    file.set_modified(time).expect("changed");
}

/// Checks standard output, then standard error. The project's folder is replaced by its name.
fn check(project: &TempPath, status: i32, args: &[&str], expected: Expect) {
    let output = run(&[args, &["--source", project.path()]].concat(), b"");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr_of(&output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    let fixtures = fixture("");
    expected.assert_eq(&text.replace(project.path(), "PROJECT").replace(&fixtures, ""));
}

fn lines(args: &[&str]) -> Vec<Value> {
    json(args)["files"][0]["lines"].as_array().expect("lines").clone()
}

#[test]
fn a_small_program_is_printed_with_figures() {
    let project = project("annotate-leak", &[("src/leak.ml", "leak.ml")]);
    check(
        &project,
        0,
        &["annotate", &fixture(LEAK)],
        expect![[r#"
        PROJECT/src/leak.ml: 179 MiB (>99.9%) allocated
            self     total  share  line
            16 B      16 B  <0.1%     1  let keep = ref []
        2.61 MiB  2.61 MiB   1.5%     2  let mk n = List.init n (fun i -> (i, string_of_int i))
        8.93 KiB  5.24 MiB   2.9%     3  let leak n = keep := mk n :: !keep
         174 MiB   174 MiB    97%     4  let rec tail_loop k acc = if k = 0 then List.length acc else tail_loop (k-1) (k :: acc)
                  5.24 MiB   2.9%     5  let apply f x = f x
                                      6  let even n = leak (n*2)
                                      7  let odd n = leak n
                   174 MiB    97%     8  let tc n = tail_loop n []
                                      9  let () =
                                     10    for i = 1 to 400 do
                  5.24 MiB   2.9%    11      apply (if i mod 2 = 0 then even else odd) 200;
                   174 MiB    97%    12      ignore (tc 20000);
                                     13      ignore (Bytes.create 5000);
                     720 B  <0.1%    14      if i mod 100 = 0 then Spacetime.save_event_for_automatic_snapshots ~event_name:(Printf.sprintf "iter %d" i)
                                     15    done;
        note: These files aren't in PROJECT: list.ml, stdlib.ml, camlinternalFormat.ml, printf.ml, spacetime.ml and 2 more.
    "#]],
    );
}

#[test]
fn hot_regions_have_context_and_the_name_of_their_function() {
    let project = project("annotate-hot", &[("src/orders.ml", "orders.ml")]);
    let args =
        ["annotate", &fixture(ORDERS), "orders.ml", "--live-at", "peak", "--function", "Session", "--context", "1"];
    check(
        &project,
        0,
        &args,
        expect![[r#"
        PROJECT/src/orders.ml: 3.74 MiB ±1.2 (100%) allocated
            self     total  share         ±  line
                                                …
                                               85    let start id =
        1.37 MiB  1.37 MiB    37%   816 KiB    86      let s = { id; basket = []; history = []; prefs = Array.make 48 0. } in
                   312 KiB   8.2%   488 KiB    87      Hashtbl.replace open_sessions id s; s
         625 KiB  1.60 MiB    43%   867 KiB    88    let visit s page = s.history <- String.sub page 0 (min 40 (String.length page)) :: s.history
         469 KiB   469 KiB    12%   552 KiB    89    let add s sku = s.basket <- (sku, 1) :: s.basket
                                               90    let close s = Hashtbl.remove open_sessions s.id
                                                …  Orders.Server.handle
                                              126      in
                  1.60 MiB    43%   867 KiB   127      Session.visit session page;
                                              128      if Random.State.int rng 4 = 0 then Session.add session (field "sku" r)
                                              129    let serve id =
                  1.68 MiB    45%   884 KiB   130      let s = Session.start id in
                  2.06 MiB    55%   960 KiB   131      for k = 1 to 6 + Random.State.int rng 6 do handle s (request id k) done;
                                              132      (* One client in three goes away without closing: its session stays. *)
                                                …  Orders
                                              143    while Unix.gettimeofday () -. t0 < seconds do
                  3.74 MiB   100%  1.20 MiB   144      for _ = 1 to 4 do incr id; Server.serve !id done;
                                              145      let e = Unix.gettimeofday () -. t0 in
    "#]],
    );
    let hot = stdout(&["annotate", &fixture(ORDERS), "orders.ml", "--source", project.path(), "--context", "0"]);
    let all = stdout(&["annotate", &fixture(ORDERS), "orders.ml", "--source", project.path(), "--all"]);
    let code = fs::read_to_string(fixture("source/orders.ml")).expect("a fixture");
    assert_eq!(all.lines().count(), 2 + code.lines().count());
    assert!(all.lines().skip(2).zip(code.lines()).all(|(line, code)| line.ends_with(code.trim_end())));
    assert!(hot.lines().count() < all.lines().count() / 2, "{hot}");
}

#[test]
fn library_code_is_attributed_to_its_callers_only_on_request() {
    let project = project("annotate-hide", &[("orders.ml", "orders.ml")]);
    let args = ["annotate", &fixture(ORDERS), "--source", project.path()];
    let figures = |lines: &[Value], figure: &str| -> Vec<u64> {
        lines.iter().map(|line| line[figure].as_u64().expect("a count")).collect()
    };
    let plain = lines(&args);
    let hiding = lines(&[&args[..], &["--hide", "^(Stdlib|Camlinternal)"]].concat());
    assert_eq!(figures(&plain, "total_samples"), figures(&hiding, "total_samples"));
    let sum = |lines: &[Value]| figures(lines, "self_samples").iter().sum::<u64>();
    assert!(sum(&hiding) > 3 * sum(&plain), "{} and {}", sum(&hiding), sum(&plain));
}

/// The samples that each line allocated itself and in total, from a list of all events.
fn slow_lines(trace: &str, file: &str) -> BTreeMap<u64, (u64, u64)> {
    let mut lines: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for event in stdout(&["dump", trace]).lines().filter(|line| line.contains(" alloc ")) {
        let (head, frames) = event.split_once(": ").expect("a stack");
        let (_, samples) = head.split_once("samples=").expect("a count");
        let samples: u64 = samples.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        // `Orders.Catalog.load@orders.ml:60:17-104`, or `$47173359319736` for code without a location.
        let line = |frame: &str| {
            let (of_file, rest) = frame.split_once('@')?.1.split_once(':')?;
            (of_file == file).then(|| rest.split(':').next()?.parse::<u64>().ok())?
        };
        if let Some(line) = frames.split(' ').next_back().and_then(line) {
            lines.entry(line).or_default().0 += samples;
        }
        for line in frames.split(' ').filter_map(line).collect::<BTreeSet<_>>() {
            lines.entry(line).or_default().1 += samples;
        }
    }
    lines
}

#[test]
fn the_lines_of_orders_have_the_figures_of_their_sites_and_of_all_events() {
    let project = project("annotate-orders", &[("orders.ml", "orders.ml")]);
    let trace = fixture(ORDERS);
    let found = lines(&["annotate", &trace, "--source", project.path()]);
    let count = |line: &Value, name: &str| line[name].as_u64().expect("a count");
    let figures = |line: &Value| (count(line, "line"), (count(line, "self_samples"), count(line, "total_samples")));
    let fast: BTreeMap<u64, (u64, u64)> = found.iter().map(figures).collect();
    assert_eq!(fast, slow_lines(&trace, "orders.ml"));

    assert!(fast.len() > 40);

    for measure in ["allocated", "peak", "blocks", "byte-seconds", "growth"] {
        let mut of_sites: BTreeMap<u64, f64> = BTreeMap::new();
        let table = json(&["table", &trace, "--by", "site", "--top", "100000", "--measure", measure]);
        for row in table["rows"].as_array().expect("rows").iter().filter(|row| row["file"] == "orders.ml") {
            *of_sites.entry(count(row, "line")).or_default() += row["self"].as_f64().expect("a figure");
        }
        let found = lines(&["annotate", &trace, "--source", project.path(), "--measure", measure]);
        assert_eq!(found.len(), of_sites.len(), "{measure}");
        for (line, (number, of_sites)) in found.iter().zip(of_sites) {
            let own = line["self"].as_f64().expect("a figure");
            assert_eq!(count(line, "line"), number, "{measure}");
            assert!((own - of_sites).abs() <= 1e-9 * of_sites, "{measure}, line {number}: {own}, not {of_sites}");
        }
    }
}

#[test]
fn the_lines_of_a_profile_have_the_figures_of_its_table() {
    let project = project("annotate-profile", &[("leak.ml", "leak.ml")]);
    for measure in ["allocated", "peak", "blocks", "calls"] {
        // A profile names functions by file and line, and each of these lines is in one function.
        let table = json(&["table", &fixture(LEAK), "--top", "1000", "--measure", measure]);
        let rows = table["rows"].as_array().expect("rows").iter().filter(|row| row["file"] == "leak.ml");
        let rows = rows.filter(|row| row["total"].as_f64() > Some(0.0));
        let rows: BTreeMap<String, [&Value; 2]> =
            rows.map(|row| (row["name"].as_str().expect("a name").to_owned(), [&row["self"], &row["total"]])).collect();
        let found = lines(&["annotate", &fixture(LEAK), "--source", project.path(), "--measure", measure]);
        let found = found.iter().map(|line| (format!("leak.ml:{}", line["line"]), [&line["self"], &line["total"]]));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), rows, "{measure}");
        assert!(rows.len() > 5);
    }
}

#[test]
fn json_has_the_functions_of_a_file_and_figures_as_text() {
    let project = project("annotate-json", &[("src/orders.ml", "orders.ml")]);
    let reply = json(&["annotate", &fixture(ORDERS), "--source", project.path()]);
    let file = &reply["files"][0];
    assert_eq!((&file["file"], &file["newer_than_trace"]), (&"orders.ml".into(), &false.into()));
    assert!(file["path"].as_str().is_some_and(|path| path.ends_with("src/orders.ml")), "{}", file["path"]);
    let is_visit = |function: &&Value| function["label"] == "Orders.Session.visit";
    let visit = file["functions"].as_array().expect("a list").iter().find(is_visit).expect("a function that allocates");
    assert_eq!([&visit["first_line"], &visit["last_line"], &visit["hottest_line"]], [88, 88, 88]);
    let line = file["lines"].as_array().expect("a list").iter().find(|line| line["line"] == 95).expect("a hot line");
    assert_eq!(line["text"], "168 MiB ±7.2 (16%) allocated");
    assert_eq!([&line["self_text"], &line["total_text"]], ["124 MiB", "168 MiB"]);
    assert!(line["source"].as_str().is_some_and(|source| source.starts_with("    Json.Obj [")), "{line}");
}

#[test]
fn a_source_that_changed_is_reported() {
    let project = project("annotate-changed", &[("orders.ml", "let x =\n  42\n")]);
    set_modified(&Path::new(project.path()).join("orders.ml"), SystemTime::now());
    let args = ["annotate", &fixture(ORDERS), "--function", "Session.visit", "--context", "0"];
    check(
        &project,
        0,
        &args,
        expect![[r#"
        PROJECT/orders.ml: 7.25 MiB ±1.6 (100%) allocated
            self     total  share         ±  line
                                                …  Orders.Session.visit
        2.37 MiB  7.25 MiB   100%  1.61 MiB    88  (past the end of the file)
                                                …  Orders.Server.handle
                  7.25 MiB   100%  1.61 MiB   127  (past the end of the file)
                                                …  Orders.Server.serve
                  7.25 MiB   100%  1.61 MiB   131  (past the end of the file)
                                                …  Orders
                  7.25 MiB   100%  1.61 MiB   144  (past the end of the file)
        note: These files aren't in PROJECT: bytes.ml, string.ml.
        warning: PROJECT/orders.ml was changed after the trace was recorded. Figures may be on the wrong lines.
        warning: 4 lines with figures are past the end of PROJECT/orders.ml, which has 2 lines. This isn't the file that was compiled.
    "#]],
    );
}

#[test]
fn files_without_a_source_are_explained() {
    let project = project(
        "annotate-missing",
        &[("a/orders.ml", "orders.ml"), ("b/orders.ml", "orders.ml"), ("src/parser.mly", "%%"), ("main.ml", "()")],
    );
    let trace = fixture(ORDERS);
    check(
        &project,
        1,
        &["annotate", &trace],
        expect![[r#"
        warning: orders.ml could be any of PROJECT/a/orders.ml, PROJECT/b/orders.ml.
        error: orders-1e-4-v2.ctf: There are no source files of this trace in PROJECT. The trace's files are list.ml, buffer.ml, camlinternalFormat.ml, option.ml, printf.ml and 8 more.
        Use --source DIR to name the folder with the source code, or name a FILE to print only its figures.
    "#]],
    );
    check(
        &project,
        1,
        &["annotate", &trace, "orders.ml"],
        expect![[r#"
        error: orders-1e-4-v2.ctf: orders.ml could be any of PROJECT/a/orders.ml, PROJECT/b/orders.ml.
        Use one of these as FILE.
    "#]],
    );
    check(
        &project,
        1,
        &["annotate", &trace, "nowhere.ml"],
        expect![[r#"
        error: orders-1e-4-v2.ctf: No call stack contains code from nowhere.ml.
        The files with the largest totals are orders.ml, list.ml, buffer.ml, camlinternalFormat.ml, option.ml and 9 more.
    "#]],
    );
    let main = format!("{}/main.ml", project.path());
    check(
        &project,
        1,
        &["annotate", &trace, &main],
        expect![[r#"
        error: orders-1e-4-v2.ctf: No call stack contains code from PROJECT/main.ml.
        The files with the largest totals are orders.ml, list.ml, buffer.ml, camlinternalFormat.ml, option.ml and 9 more.
    "#]],
    );
    // Figures need no source.
    check(
        &project,
        0,
        &["annotate", &trace, "option.ml"],
        expect![[r#"
        option.ml: 173 MiB ±7.3 (16%) allocated
            self    total  share         ±  line
        5.65 MiB  173 MiB    16%  7.28 MiB    24
        warning: option.ml isn't in the --source folders.
    "#]],
    );
    // A real file needs no search.
    let orders = format!("{}/b/orders.ml", project.path());
    let reply = json(&["annotate", &trace, &orders]);
    assert_eq!(reply["files"][0]["path"], Value::from(orders));
    let error = json_of(&["annotate", &trace, "nowhere.ml", "--json"], b"", 1);
    assert_eq!(error["error"]["kind"], "no-such-file");
    let no_folder = run(&["annotate", &trace, "--source", "no-such-folder"], b"");
    assert_eq!(no_folder.status.code(), Some(1));
    assert!(stderr_of(&no_folder).starts_with("error: no-such-folder: Can't read the --source folder"));
}

#[test]
fn code_is_cut_to_the_width_and_colored_only_on_request() {
    let project = project("annotate-width", &[("orders.ml", "orders.ml")]);
    let args = ["annotate", &fixture(ORDERS), "orders.ml", "--source", project.path(), "--width", "80"];
    let text = stdout(&args);
    assert!(text.lines().skip(1).all(|line| line.chars().count() <= 80) && text.contains('…'), "{text}");
    let is_colored = |more: &[&str], environment: &[(&str, &str)]| {
        run_with(&[&args, more].concat(), b"", environment).stdout.contains(&0x1b)
    };
    assert!(is_colored(&["--color", "always"], &[]));
    assert!(!is_colored(&[], &[]) && !is_colored(&["--color", "auto"], &[("NO_COLOR", "1")]));
}

#[test]
fn filtering_by_a_line_leaves_the_total_of_that_line() {
    let project = project("annotate-by-line", &[("src/orders.ml", "orders.ml"), ("src/leak.ml", "leak.ml")]);
    for (trace, file) in [(ORDERS, "orders.ml"), (LEAK, "leak.ml")] {
        let trace = fixture(trace);
        let bytes =
            |options: &[&str]| json(&[&["table", &trace], options].concat())["all_bytes"].as_f64().expect("bytes");
        let all = bytes(&[]);
        let found = lines(&["annotate", &trace, file, "--all", "--source", project.path()]);
        let found: Vec<&Value> = found.iter().filter(|line| line["total_bytes"].as_f64() > Some(0.0)).collect();
        assert!(found.len() > 5, "{file}: {found:?}");
        // The engine's tests try every line.
        for line in found.iter().step_by(3) {
            let name = format!("{file}:{}", line["line"]);
            let [own, total] = ["self_bytes", "total_bytes"].map(|field| line[field].as_f64().expect("bytes"));
            let is = |option: &str, expected: f64| {
                let found = bytes(&[option, &name]);
                assert!((found - expected).abs() <= 1e-9 * all, "{option} {name}: {found} instead of {expected}");
            };
            is("--line", total);
            is("--not-line", all - total);
            is("--allocating-line", own);
        }
    }
}
