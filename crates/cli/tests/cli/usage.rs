//! Invalid options, and options that every command has.

#[cfg(target_os = "linux")]
use std::fs;
#[cfg(target_os = "linux")]
use std::process::{Command, Output};

use camlscope_testkit::synth::{Extent, Options, Shape, generate};
use expect_test::expect;
#[cfg(target_os = "linux")]
use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::program::TempPath;
use crate::program::{check_messages, check_refused, fixture, run, run_with, stderr_of, stdout};

#[test]
fn usage_errors_exit_with_status_2() {
    for args in [&["no-such-command"][..], &[], &["summary"], &["summary", "a.ctf", "b.ctf"], &["dump", "--no-such"]] {
        assert_eq!(run(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn view_rejects_a_pipe() {
    check_refused(
        &["view", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
            error: view needs a terminal for input and output. For plain text, use camlscope summary, table, leaks or timeline.
        "#]],
    );
}

#[test]
fn invalid_values_explain_what_is_expected() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &[
            "dump FILE --size large",
            "flame FILE --size k..",
            "dump FILE --allocated noon",
            "dump FILE --live-at noon",
            "dump FILE --heap minor,stack",
            "dump FILE --domain main",
            "dump FILE --function (",
            "flame FILE --measure time",
            "flame FILE --measure temporary:10",
            "summary FILE --memory much",
            "timeline FILE --points 0",
        ],
        expect![[r#"
            error: invalid value 'large' for '--size <A..B>': expected a number of words such as 257.., or of bytes such as 1KiB..2MiB
            error: invalid value 'k..' for '--size <A..B>': expected a number of words such as 257.., or of bytes such as 1KiB..2MiB
            error: invalid value 'noon' for '--allocated <A..B>': expected a time range such as 1s..2s, 500ms.. or ..3min
            error: invalid value 'noon' for '--live-at <TIME>': expected a time such as 3.5s, peak or end
            error: invalid value 'minor,stack' for '--heap <HEAP,…>': expected a comma-separated list of minor, promoted, major and external
            error: invalid value 'main' for '--domain <N,…>': expected a comma-separated list of domains such as 0,1
            error: invalid value '(' for '--function <RE>': “(” isn't a valid regular expression: found open group without closing ')'.
            error: invalid value 'time' for '--measure <MEASURE>': expected allocated, blocks, live, peak, end, promoted, temporary, byte-seconds, samples, growth or calls
            error: invalid value 'temporary:10' for '--measure <MEASURE>': expected a time such as 10ms, or further allocation such as 4MiB
            error: invalid value 'much' for '--memory <SIZE>': unknown unit “much”: use K, M or G
            error: invalid value '0' for '--points <N>': 0 is not in 1..=1000000
        "#]],
    );
}

#[test]
fn a_contradictory_filter_is_a_usage_error() {
    check_messages(
        2,
        "tiny-0.1-v2.ctf",
        &["dump FILE --allocated 2s..1s", "dump FILE --heap minor --heap major"],
        expect![[r#"
            error: invalid value '2s..1s' for '--allocated <A..B>': No object can match this filter: a range ends before it starts.
            error: No object can match this filter: it excludes every heap.
        "#]],
    );
}

#[test]
fn live_needs_a_time() {
    let trace = fixture("tiny-0.1-v2.ctf");
    check_refused(
        &["flame", &trace, "--measure", "live"],
        expect![[r#"
            error: --measure live needs a time. Use --measure live@1.5s, or add --live-at 1.5s.
        "#]],
    );
    let at = stdout(&["flame", &trace, "--measure", "live@1.4ms"]);
    assert_eq!(at, stdout(&["flame", &trace, "--measure", "live", "--live-at", "1.4ms"]));
    assert_ne!(at, stdout(&["flame", &trace]));
}

#[test]
fn text_is_colored_only_if_enabled() {
    let args = ["timeline", &fixture("tiny-0.1-v2.ctf"), "--points", "3"];
    let is_colored = |more: &[&str], environment: &[(&str, &str)]| {
        let output = run_with(&[&args, more].concat(), b"", environment);
        assert!(output.status.success(), "{}", stderr_of(&output));
        output.stdout.contains(&0x1b)
    };
    assert!(!is_colored(&[], &[]), "into a pipe");
    assert!(is_colored(&["--color", "always"], &[]));
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]), "an option overrides the environment");
    assert!(!is_colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_colored(&["--color", "auto"], &[("NO_COLOR", "1")]));
}

/// A trace of 800,000 objects, too many for the smallest memory limit.
fn large_trace() -> Vec<u8> {
    let options = Options { shape: Shape::Server, extent: Extent::Objects(800_000), rate: 0.01, domains: 1, seed: 1 };
    let mut trace = Vec::new();
    generate(&options, &mut trace).expect("written into memory");
    trace
}

#[test]
fn a_low_memory_limit_downsamples_the_trace_with_a_warning() {
    let trace = large_trace();
    let output = run(&["summary", "-", "--memory", "16M"], &trace);
    assert!(output.status.success());
    assert!(stderr_of(&output).contains("downsampled (1 in "), "{}", stderr_of(&output));
}

#[test]
fn a_memory_limit_below_the_minimum_is_rejected() {
    for memory in ["1", "16K", "15M"] {
        let output = run(&["summary", &fixture("tiny-0.1-v2.ctf"), "--memory", memory], b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{memory}");
        assert!(stderr_of(&output).contains("the minimum is 16M"), "{}", stderr_of(&output));
    }
    stdout(&["summary", &fixture("tiny-0.1-v2.ctf"), "--memory", "16M"]);
}

/// Runs a command in a process whose address space is limited to `kib`.
#[cfg(target_os = "linux")]
fn run_within(kib: u32, args: &[&str]) -> Output {
    let script = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
    Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_camlscope")]).args(args).output().expect("sh starts")
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_of_the_process_is_respected() {
    let trace = TempPath::new("memory-limit.ctf");
    fs::write(trace.path(), large_trace()).expect("written");
    // Without --memory, the system's limit applies.
    let output = run_within(250_000, &["summary", trace.path()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("limited to 244 MiB (ulimit -v)"), "{}", stderr_of(&output));

    let output = run_within(250_000, &["summary", trace.path(), "--memory", "2G"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let text = stderr_of(&output);
    assert!(text.contains("--memory 2G can use up to 2.71 GiB"), "{text}");
    let (_, advice) = text.split_once("Use --memory ").expect("a value that works");
    let output = run_within(250_000, &["table", trace.path(), "--memory", advice.trim().trim_end_matches('.')]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));

    let output = run_within(250_000, &["summary", trace.path(), "--memory", "2G", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &reply["error"]["kind"]), (Some(1), &Value::from("no-memory")));
    assert_eq!(reply["error"]["offset"], Value::Null);
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_trace_opens_under_any_memory_limit() {
    let output = run_within(150_000, &["summary", &fixture("tiny-0.1-v2.ctf"), "--memory", "8G"]);
    assert_eq!((output.status.code(), stderr_of(&output).as_str()), (Some(0), ""));
}

#[test]
fn unsupported_measures_are_rejected() {
    let trace = fixture("tiny-0.1-v2.ctf");
    for command in ["timeline", "leaks", "dump"] {
        for measure in ["blocks", "byte-seconds", "samples"] {
            let output = run(&[command, &trace, "--measure", measure], b"");
            assert_eq!(output.status.code(), Some(2), "{command} {measure}");
            let expected = format!(
                "error: {command} doesn't support --measure {measure}. Use allocated, live, peak, end, promoted or temporary.\n"
            );
            assert_eq!(stderr_of(&output), expected);
        }
    }
}

#[test]
fn completions_include_option_values() {
    let bash = stdout(&["completions", "bash"]);
    for values in [
        "allocated blocks live live@peak live@end peak end promoted temporary byte-seconds samples growth growth-blocks growth-samples",
        "function site file module",
        "ctf speedscope pprof firefox folded html parquet",
        "minor promoted major external",
        "log2 log10 classic",
        "locations parameters context stdlib",
        "peak end",
    ] {
        assert!(bash.contains(&format!("compgen -W \"{values}\"")), "no {values}");
    }
    assert!(stdout(&["completions", "fish"]).contains("byte-seconds"));
    assert!(stdout(&["completions", "zsh"]).contains("byte-seconds"));
}

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let help = stdout(&["help"]);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.contains(&"summary") && commands.contains(&"convert"), "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let completions = stdout(&["completions", shell]);
        assert!(commands.iter().all(|command| completions.contains(command)), "{shell}");
    }
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = stdout(&["man", command]);
        assert!(page.contains(".TH") && page.contains(command), "{command}");
    }
    assert!(stdout(&["man"]).contains("SUBCOMMANDS"));
    check_refused(
        &["man", "nothing"],
        expect![[r#"
            error: Unknown command nothing. Run `camlscope help` for a list.
        "#]],
    );
}

#[test]
fn standard_input_is_refused_where_it_cannot_work() {
    check_refused(
        &["view", "-"],
        expect![[r#"
            error: view can't read a trace from standard input: it needs the keyboard. Use a file.
        "#]],
    );
    check_refused(
        &["watch", "-"],
        expect![[r#"
            error: watch can't read a trace from standard input: it follows a file while a program writes it. Use a file.
        "#]],
    );
}
