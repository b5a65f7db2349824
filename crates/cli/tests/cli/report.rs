//! `camlscope report`, with a minimal page, because its contents don't matter here.

use std::fs;

use expect_test::expect;

use crate::program::{TempPath, check_refused, fixture, run, stderr_of, stdout};

/// The part of `camlscope.html` that the command line checks.
const PAGE: &str = "<html><body><script id=\"camlscope-glue\">glue</script></body></html>";

struct Files {
    page: TempPath,
    out: TempPath,
}

fn files(name: &str) -> Files {
    let page = TempPath::new(&format!("{name}-page.html"));
    fs::write(page.path(), PAGE).expect("written");
    Files { page, out: TempPath::new(&format!("{name}-out.html")) }
}

#[test]
fn a_report_is_the_page_with_header_and_trace_inside() {
    let Files { page, out } = files("report");
    let trace = fixture("tiny-0.1-v2.ctf");
    let link = "https://example.org/camlscope/#tab=table&show=promoted";
    let notes = ["--title", "</script>", "--notes", "Look here.", "--view", link, "--size", "3.."];
    stdout(&[&["report", &trace, "-o", out.path(), "--page", page.path()][..], &notes].concat());
    let report = fs::read_to_string(out.path()).expect("written");
    let (before, behind) = PAGE.split_once("</body>").expect("a page");
    assert!(report.starts_with(before) && report.ends_with(&format!("</script>\n</body>{behind}")), "{report}");
    let header = "{\"name\":\"tiny-0.1-v2.ctf\",\"view\":\"tab=table&show=promoted\",\"notes\":{\"title\":\
                  \"\\u003c/script>\",\"remarks\":\"Look here.\"},\"filter\":\"size=3..\",\"is_cut\":true";
    assert!(report.contains(header), "{report}");
    assert!(report.contains("id=\"camlscope-trace\">H4sI"), "{report}");
}

#[test]
fn an_anonymized_report_has_no_file_name_or_selection() {
    let Files { page, out } = files("nameless");
    let options = ["--page", page.path(), "--anonymize", "--function", "Tiny", "--view", "#tab=table&select=Tiny.f"];
    stdout(&[&["report", &fixture("tiny-0.1-v2.ctf"), "-o", out.path()][..], &options].concat());
    let report = fs::read_to_string(out.path()).expect("written").to_lowercase();
    assert!(!report.contains("tiny") && report.contains("\"is_anonymized\":true"), "{report}");
}

#[test]
fn large_traces_are_downsampled_but_profiles_are_rejected() {
    let Files { page, out } = files("large");
    let report = |name: &str, max: &str| {
        run(&["report", &fixture(name), "-o", out.path(), "--page", page.path(), "--max", max], b"")
    };
    let downsampled = report("orders-1e-4-v2.ctf", "60k");
    assert_eq!(downsampled.status.code(), Some(0));
    assert!(stderr_of(&downsampled).contains("The report is downsampled"), "{}", stderr_of(&downsampled));
    assert!(fs::metadata(out.path()).expect("written").len() <= 60 << 10);
    assert_eq!(report("spacetime-11710", "1M").status.code(), Some(0));
    let refused = report("spacetime-11710", "10k");
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr_of(&refused).contains("a profile can't be downsampled"), "{}", stderr_of(&refused));
}

#[test]
fn a_static_report_equals_the_output_of_convert() {
    let trace = fixture("orders-1e-4-v2.ctf");
    let options = ["--measure", "peak", "--size", "3.."];
    let report = stdout(&[&["report", &trace, "--static", "-o", "-"][..], &options].concat());
    assert_eq!(report, stdout(&[&["convert", &trace, "--to", "html", "-o", "-"][..], &options].concat()));
}

/// The message of a program built without the page.
#[cfg(not(feature = "page"))]
#[test]
fn without_a_page_the_error_explains_where_to_get_it() {
    check_refused(
        &["report", &fixture("tiny-0.1-v2.ctf"), "-o", "-"],
        expect![[r#"
            error: This build of camlscope doesn't include camlscope.html, the page. Get it from a release, or build it with `cargo xtask build` (dist/camlscope.html). Then use --page camlscope.html, or put it next to the program. --static doesn't need it.
        "#]],
    );
}

#[test]
fn invalid_pages_and_options_are_rejected() {
    let Files { page, out } = files("refused");
    let trace = fixture("tiny-0.1-v2.ctf");
    let refuse = |options: &[&str], words: &str| {
        let output = run(&[&["report", &trace, "-o", out.path()], options].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(stderr_of(&output).contains(words), "{options:?}: {}", stderr_of(&output));
    };
    refuse(&["--page", &trace], "Can't read");
    refuse(&["--page", &fixture("tiny-0.1-v2.facts.json")], "isn't a valid camlscope.html");
    refuse(&["--page", page.path(), "--max", "10"], "the page alone takes");
    refuse(&["--page", page.path(), "--measure", "peak"], "--measure only works with --static");
    refuse(&["--static", "--anonymize"], "A static report shows function names");
}

#[test]
fn a_view_that_is_no_link_is_refused() {
    for view in ["garbage", "#garbage", "tab=nothing"] {
        let output = run(&["report", &fixture("tiny-0.1-v2.ctf"), "-o", "never.html", "--view", view], b"");
        assert_eq!(output.status.code(), Some(2), "{view}");
        assert!(stderr_of(&output).contains("isn't a link to a view"), "{}", stderr_of(&output));
    }
}
