//! `camlscope record` in a real terminal, with this test's own executable as the program.

use std::env;
use std::fs;

use camlscope_testkit::stand_in;

use super::tmux::{CAMLSCOPE, Shell};

/// Run by the tests below, with the options in STAND_IN.
#[test]
#[ignore = "the other tests record it"]
fn program() {
    stand_in::run_as_test();
}

fn record(options: &str, stand_in: &str) -> String {
    let program = env::current_exe().expect("this test");
    let arguments = "--ignored --exact record::program --nocapture";
    format!("STAND_IN='{stand_in}' {CAMLSCOPE} record {options} -o run.ctf -- {} {arguments}", program.display())
}

#[test]
fn status_stays_at_the_bottom_while_output_scrolls_and_control_c_ends_the_program() {
    let Some(mut shell) = Shell::start("record") else { return };
    let before = shell.modes();
    shell.begin(&record("", "--speed 0 --lines 60 --then wait"));
    let is_status =
        |line: &str| line.starts_with("camlscope  ") && line.contains("  live ") && line.contains("  peak ");
    let screen = shell.wait_until("the status line", |screen| {
        screen.contains("the program waits") && screen.lines().last().is_some_and(is_status)
    });
    for n in 45..=60 {
        assert!(screen.contains(&format!("\nline {n} of the program\n")), "{screen}");
    }
    assert!(screen.lines().last().is_some_and(|line| line.contains("  run.ctf ")), "{screen}");
    shell.press("C-c");
    let screen = shell.ended(130);
    assert!(screen.contains("Explore it with") && screen.contains("peak"), "{screen}");
    assert!(!screen.lines().any(is_status), "{screen}");
    assert_eq!(shell.modes(), before);
    assert_eq!(shell.tmux(&["display-message", "-p", "#{scroll_region_lower}"]).trim(), "23");
}

#[test]
fn program_without_a_trace_leaves_the_terminal_as_it_was() {
    let Some(mut shell) = Shell::start("record-silent") else { return };
    let before = shell.modes();
    shell.begin(&record("--view", "--silent --status 5"));
    assert!(shell.ended(5).contains("let () = Memtrace.trace_if_requested ()"));
    assert_eq!(shell.modes(), before);
}

#[test]
fn view_follows_the_program_and_keeps_its_output_in_a_file() {
    let Some(mut shell) = Shell::start("record-view") else { return };
    let before = shell.modes();
    shell.begin(&record("--view", "--speed 0 --lines 3 --then wait"));
    let screen = shell.wait_for("following the program");
    assert!(!screen.contains("of the program\n"), "{screen}");
    shell.press("q");
    shell.wait_for("The program is still running. Press Ctrl+C to stop it.");
    shell.press("C-c");
    let screen = shell.ended(130);
    assert!(screen.contains("The program's output is in run.ctf.log."), "{screen}");
    let log = fs::read_to_string(shell.folder.join("run.ctf.log")).expect("its output");
    assert!(log.contains("line 3 of the program\n"), "{log}");
    assert_eq!(shell.modes(), before);
}
