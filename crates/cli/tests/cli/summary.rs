//! `camlscope summary`.

use expect_test::expect;
use serde_json::Value;

use crate::program::{check, fixture, json};

#[test]
fn the_summary_describes_the_trace() {
    check(
        &["summary", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
            executable           /opt/sample/gen/progs/tiny-v023.exe
            host                 vm
            pid                  11748
            start                2026-11-15 00:39:23 UTC
            duration             2.27 ms
            rate                 1 sample per 80 B
            OCaml parameters     a=2,b=0,H=0,i=15,l=0,o=120,O=500,p=0,s=262144,t=0,v=0,w=1,W=0
            context              tiny test
            format               memtrace version 2, 64-bit
            domains              0
            file                 1.32 KiB

            allocated            15.6 KiB ±2.2, 6.72 MiB/s
            peak                 15.6 KiB ±2.2 at 1.46 ms
            live at the end      0 B (0% of allocated)
            promoted             5.39 KiB ±1.4 (34% of allocated)
            major heap directly  0 B (0% of allocated)
            outside the heap     0 B (0% of allocated)
            small blocks         2.5% ≤ 4 words, 4.5% ≤ 16, 100% ≤ 256; largest 126 words

            samples              200
            allocations          41
            promotions           22
            collections          41
            functions            5
            stacks               3
            deepest stack        3 frames

            • “Tiny.g” accounts for 66% ±6 of the peak: 10.2 KiB of 15.6 KiB at 1.46 ms.
            • A short burst causes the peak: 15.6 KiB at 1.46 ms. The median is 5.39 KiB. “Tiny.g” allocates 67% of the burst.
            • “Tiny.g” allocates 66% ±6 of all memory: 10.2 KiB, 4.40 MiB/s.
            • The trace covers only 2.27 ms, which is mostly startup.
        "#]],
    );
}

#[test]
fn a_trace_without_events_has_a_summary() {
    check(
        &["summary", &fixture("empty-1e-6-v3.ctf")],
        expect![[r#"
            executable           /opt/sample/gen/progs/tiny-head.exe
            host                 vm
            pid                  11755
            start                2026-11-15 00:39:23 UTC
            duration             0 µs
            rate                 1 sample per 7.63 MiB
            OCaml parameters     a=2,b=0,H=0,i=15,l=0,o=120,O=500,p=0,s=262144,t=0,v=0,w=1,W=0
            context              tiny test
            format               memtrace version 3, 64-bit
            domains              –
            file                 268 B

            allocated            0 B
            peak                 –
            live at the end      –
            promoted             –
            major heap directly  –
            outside the heap     –
            small blocks         –

            samples              0
            allocations          0
            promotions           0
            collections          0
            functions            0
            stacks               0
            deepest stack        0 frames

            • No samples: the program allocated less than about 7.63 MiB. Record again with MEMTRACE_RATE=1e-2.
        "#]],
    );
}

#[test]
fn the_summary_has_the_same_figures_in_json() {
    let json = json(&["summary", &fixture("tiny-0.1-v2.ctf")]);
    assert_eq!(json["events"]["alloc"], 41);
    assert_eq!(json["info"]["context"], "tiny test");
    assert_eq!(json["distinct_stacks"], 3);
    assert_eq!(json["warnings"], Value::Array(Vec::new()));
}
