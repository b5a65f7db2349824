//! A trace that is read while it is being written: after each part, the model is the same as after opening the file up
//! to there. A part costs what is new, not what was read before. Costs are counted.

use camlscope_engine::load::{FollowCost, FollowState, Loader};
use camlscope_engine::protocol::Slot;
use camlscope_engine::query::summary::{Summary, summary};
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, GcTimeId, Trace};
use camlscope_formats::ctf::WarningKind;
use camlscope_testkit::fixtures::{check_invariants, fixture, opened};
use camlscope_testkit::packets::packets;
use camlscope_testkit::repeated::repeated;

const TRACES: [&str; 8] = [
    "tiny-0.01-o5-v3",
    "leak-1e-4-v3",
    "deep-1e-3-v2",
    "domains-multi-1e-3-o5-v3",
    "domains-negpromote-1e-3-o5-v3",
    "phases-1e-4-v2",
    "orders-1e-4-v2",
    "strings-0.01-v2",
];

#[test]
fn after_each_part_the_model_is_the_same_as_a_fresh_load() {
    for name in TRACES {
        let bytes = fixture(name);
        for parts in [by_packets(&bytes, 1), by_bytes(&bytes, 40_009)] {
            follow(&bytes, &parts, Budget::default(), |trace, so_far, _| assert_same(trace, so_far, name));
        }
    }
}

#[test]
fn packets_written_late_are_merged_in_time_order() {
    let bytes = fixture("domains-multi-1e-3-o5-v3");
    let all = packets(&bytes);
    for (late, by) in [(1, 3), (2, 20), (0, 7)] {
        let (mut written, mut waiting): (Vec<u8>, Vec<&[u8]>) = (all[0].to_vec(), Vec::new());
        for (n, packet) in all[1..].iter().enumerate() {
            // In version 3 the domain follows the process id.
            if u16::from_le_bytes([packet[38], packet[39]]) == late {
                waiting.push(packet);
            } else {
                written.extend_from_slice(packet);
            }
            if n % by == by - 1 {
                waiting.drain(..).for_each(|packet| written.extend_from_slice(packet));
            }
        }
        waiting.drain(..).for_each(|packet| written.extend_from_slice(packet));
        let name = format!("domain {late} late by {by}");
        let parts = by_packets(&written, 2);
        follow(&written, &parts, Budget::default(), |trace, so_far, _| assert_same(trace, so_far, &name));
    }
}

#[test]
fn a_live_trace_is_downsampled_like_a_fresh_load() {
    const BUDGET: Budget = Budget { bytes: 2 << 20 };
    for (name, times) in [("strings-0.01-v2", 8), ("domains-multi-1e-3-o5-v3", 16)] {
        let bytes = repeated(&fixture(name), times);
        let mut most_downsampled = 1;
        follow(&bytes, &by_bytes(&bytes, bytes.len() / 7), BUDGET, |trace, so_far, _| {
            most_downsampled = most_downsampled.max(trace.downsampled);
            assert_same_within(trace, so_far, BUDGET, name);
        });
        assert!(most_downsampled > 1, "{name} fits");
    }
}

#[test]
fn appending_costs_only_what_is_new() {
    for name in ["strings-0.01-v2", "domains-multi-1e-3-o5-v3", "orders-1e-4-v2"] {
        let (once, times) = (fixture(name), 15);
        let bytes = repeated(&once, times);
        let turn = (bytes.len() - once.len()) / (times as usize - 1);
        let parts: Vec<usize> = (0..times as usize).map(|n| once.len() + n * turn).collect();
        let mut costs: Vec<FollowCost> = Vec::new();
        follow(&bytes, &parts, Budget::default(), |_, _, cost| costs.push(cost));
        assert!(costs[1..].iter().all(|cost| cost.bytes == turn as u64), "{name} is decoded more than once");
        let (early, late) = (costs[2].n_ordered, costs[costs.len() - 1].n_ordered);
        assert!(late > 0 && late <= early + 4096, "{name}: {early}, then {late}");
    }
}

#[test]
fn queries_of_a_live_trace_match_a_fresh_load() {
    for name in ["leak-1e-4-v3", "domains-multi-1e-3-o5-v3"] {
        let bytes = fixture(name);
        let mut followed = Session::new();
        followed.begin(Slot::Main, None);
        let mut taken = 0;
        for until in by_packets(&bytes, packets(&bytes).len().div_ceil(4)) {
            if followed.is_open(Slot::Main) {
                followed.append(Slot::Main, &bytes[taken..until]).expect("it grows");
            } else {
                followed.push(&bytes[taken..until]).expect("a trace");
                followed.pause().expect("a trace");
            }
            taken = until;
            assert_eq!(followed.bytes_taken(Slot::Main), Some(until as u64));
            let mut anew = opened(&bytes[..until]);
            for request in camlscope_testkit::questions::requests(&camlscope_testkit::questions::views()) {
                let expected = anew.handle(&request);
                assert_eq!(followed.handle(&request), expected, "{name} up to {until}: {:?}", request.question);
            }
        }
    }
}

#[test]
fn an_incomplete_packet_is_not_damage_in_a_live_trace() {
    let bytes = fixture("leak-1e-4-v3");
    let cut = bytes.len() - 1000;
    let (trace, _) = frozen(&bytes[..cut], Budget::default()).expect("a trace");
    assert_eq!(trace.warnings, []);
    let anew = camlscope_testkit::fixtures::load(&bytes[..cut], 4096, Budget::default()).expect("a trace");
    assert!(anew.warnings.iter().any(|warning| warning.kind == WarningKind::Truncated));
}

#[test]
fn a_file_without_a_complete_packet_cannot_be_frozen() {
    let bytes = fixture("leak-1e-4-v3");
    for cut in [0, 3, 60] {
        assert!(frozen(&bytes[..cut], Budget::default()).is_none(), "{cut} bytes");
    }
}

/// Calls `check` after each part with the followed trace, the file up to there, and the cost of the part.
fn follow(bytes: &[u8], parts: &[usize], budget: Budget, mut check: impl FnMut(&Trace, &[u8], FollowCost)) {
    let (first, rest) = parts.split_first().expect("parts");
    let (mut trace, mut state) = frozen(&bytes[..*first], budget).expect("a trace");
    let mut taken = *first;
    for &until in [first].into_iter().chain(rest) {
        if until > taken {
            state.append(&mut trace, &bytes[taken..until]);
            taken = until;
        }
        check(&trace, &bytes[..until], state.cost());
    }
}

fn frozen(bytes: &[u8], budget: Budget) -> Option<(Trace, FollowState)> {
    loader(bytes, budget).freeze()
}

fn anew(bytes: &[u8], budget: Budget) -> Trace {
    match loader(bytes, budget).finish().expect("a trace") {
        camlscope_engine::load::Model::Trace(trace) => *trace,
        camlscope_engine::load::Model::Profile(_) => panic!("a trace is not taken for a profile"),
    }
}

/// Creates a loader for a file of unknown size, like one that grows.
fn loader(bytes: &[u8], budget: Budget) -> Loader {
    let mut loader = Loader::new(None, budget);
    bytes.chunks(1 << 16).for_each(|chunk| loader.push(chunk).expect("a trace"));
    loader
}

/// The ends of every `n`-th packet, from the second on.
fn by_packets(bytes: &[u8], n: usize) -> Vec<usize> {
    let ends = packets(bytes).into_iter().scan(0, |at, packet| {
        *at += packet.len();
        Some(*at)
    });
    ends.skip(1).step_by(n).chain([bytes.len()]).collect()
}

fn by_bytes(bytes: &[u8], n: usize) -> Vec<usize> {
    (n..bytes.len()).step_by(n).chain([bytes.len()]).collect()
}

fn assert_same(trace: &Trace, bytes: &[u8], name: &str) {
    assert_same_within(trace, bytes, Budget::default(), name);
}

/// Checks that a trace is the same as after opening these bytes.
fn assert_same_within(trace: &Trace, bytes: &[u8], budget: Budget, name: &str) {
    check_invariants(trace);
    let anew = &anew(bytes, budget);
    let name = format!("{name} up to {}", anew.bytes);
    assert_eq!(without_the_cut(summary(trace)), without_the_cut(summary(anew)), "{name}");
    assert_eq!((trace.peak_at, trace.downsampled), (anew.peak_at, anew.downsampled), "{name}");
    assert!(trace.columns.iter().eq(anew.columns.iter()), "{name}: rows");
    let domains = |trace: &Trace| trace.columns.iter().map(|(row, _)| trace.columns.domain(row)).collect::<Vec<_>>();
    assert_eq!(domains(trace), domains(anew), "{name}: domains");
    assert!(trace.promotions.iter().eq(anew.promotions.iter()), "{name}: promotions");
    let gc_times = |trace: &Trace| -> Vec<(u64, u32)> {
        let all = (0..trace.gc_times.len() as u32).map(GcTimeId);
        all.map(|gc_time| (trace.gc_times.time_us(gc_time), trace.gc_times.rows_before(gc_time))).collect()
    };
    assert_eq!(gc_times(trace), gc_times(anew), "{name}: gc_times");
    assert!(trace.calls.stacks.iter().eq(anew.calls.stacks.iter()), "{name}: stacks");
    assert_eq!((&trace.calls.codes, &trace.calls.code_used), (&anew.calls.codes, &anew.calls.code_used), "{name}");
}

/// Removes the warning about an incomplete packet, which is damage only at the end of a complete file.
fn without_the_cut(mut says: Summary) -> Summary {
    says.warnings.retain(|warning| warning.kind.as_str() != "truncated");
    says
}
