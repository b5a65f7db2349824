//! Hand-written tries: tail calls, indirect calls, C functions, finalizers, threads, and tries that no program writes.

use camlscope_formats::spacetime::{Section, WarningKind};

use crate::marshal::{Data, decode_alike, header, tables};
use crate::recorder::{Recorder, decode_chunks};

use CallPoint::{Allocation, Direct, Indirect};

/// Returns the integer that represents a word of the program's memory.
fn word(raw: u64) -> i64 {
    raw as i64 >> 1
}

fn pc(function: u64) -> i64 {
    word(function | 1)
}

fn profinfo(n: u64) -> i64 {
    word(n << 38 | 1)
}

/// A part of a shape, with its site.
#[derive(Clone, Copy)]
enum CallPoint {
    Direct(u64),
    Indirect(u64),
    Allocation(u64),
}

fn shapes(functions: &[(u64, &[CallPoint])]) -> Data {
    let mut data = Data::new();
    for (function, parts) in functions {
        data = data.block(0, 2).block(0, 2).int64(*function);
        for part in *parts {
            data = data.block(0, 2);
            data = match *part {
                Direct(site) => data.block(0, 2).int64(site).int64(0x999),
                Indirect(site) => data.block(1, 1).int64(site),
                Allocation(site) => data.block(2, 1).int64(site),
            };
        }
        data = data.int(0);
    }
    data.int(0)
}

fn no_frames() -> Data {
    Data::new().int(0)
}

/// Stacks of allocation points by number, and stacks of calls with their counts, in order.
type Recorded = (Vec<(u32, Vec<u64>)>, Vec<(Vec<u64>, u64)>);

fn recorded(profile: &Recorder) -> Recorded {
    let mut points: Vec<_> = profile.points.iter().map(|(number, node)| (*number, profile.addresses(*node))).collect();
    let mut calls: Vec<_> = profile.calls.iter().map(|(node, n)| (profile.addresses(*node), *n)).collect();
    points.sort();
    calls.sort();
    (points, calls)
}

fn read(shapes: &Data, trie: &Data) -> Recorded {
    let (profile, finished) = decode_alike(&[header(1), tables(&no_frames(), shapes, trie)].concat());
    assert!(finished.is_complete);
    assert_eq!(finished.warnings, []);
    assert_eq!(finished.has_points, !profile.points.is_empty());
    recorded(&profile)
}

const MAIN: u64 = 0x1000;
const LEAF: u64 = 0x2000;
const OTHER: u64 = 0x3000;

#[test]
fn points_that_never_allocated_and_calls_never_made_are_not_reported() {
    let shapes = shapes(&[(MAIN, &[Allocation(1), Direct(2), Indirect(3), Allocation(4)])]);
    let trie = Data::new().block(0, 11).int(pc(MAIN)).shared(1);
    let trie = trie.int(0).int(0).int(0).int(0).int(0).int(0).int(profinfo(7)).int(5).int(0);
    assert_eq!(read(&shapes, &trie), (vec![(7, vec![4])], vec![]));
}

#[test]
fn without_call_counts_a_direct_call_is_one_field() {
    let shapes = shapes(&[(MAIN, &[Direct(2), Allocation(4)]), (LEAF, &[Allocation(5)])]);
    let leaf = Data::new().block(0, 5).int(pc(LEAF)).shared(1).int(profinfo(1)).int(0).int(0);
    let trie = Data::new().block(0, 6).int(pc(MAIN)).shared(1).then(&leaf).int(profinfo(2)).int(0).int(0);
    let (profile, finished) = decode_alike(&[header(0), tables(&no_frames(), &shapes, &trie)].concat());
    assert_eq!(finished.warnings, []);
    assert_eq!(recorded(&profile), (vec![(1, vec![2, 5]), (2, vec![4])], vec![]));
}

#[test]
fn functions_reached_by_a_tail_call_have_their_callers_stack() {
    // MAIN calls LEAF, which calls OTHER by a tail call, which calls LEAF by a tail call: a cycle of two.
    let shapes =
        shapes(&[(MAIN, &[Direct(10)]), (LEAF, &[Direct(20), Allocation(21)]), (OTHER, &[Direct(30), Allocation(31)])]);
    // Objects: MAIN 0, LEAF 1, OTHER 2.
    let other = Data::new().block(0, 7).int(pc(OTHER)).shared(2).shared(2).int(6).int(profinfo(2)).int(0).int(0);
    let leaf = Data::new().block(0, 7).int(pc(LEAF)).then(&other).shared(1).int(5).int(profinfo(1)).int(0).int(0);
    let trie = Data::new().block(0, 4).int(pc(MAIN)).shared(1).then(&leaf).int(4);
    let (points, calls) = read(&shapes, &trie);
    assert_eq!(points, [(1, vec![10, 21]), (2, vec![10, 31])]);
    assert_eq!(calls, [(vec![10], 4), (vec![10, 20], 5), (vec![10, 30], 6)]);
}

#[test]
fn an_indirect_call_sums_its_callees_and_follows_each() {
    let shapes = shapes(&[(MAIN, &[Indirect(10)]), (LEAF, &[Allocation(20)]), (OTHER, &[Allocation(30)])]);
    let node =
        |function: u64, n: u64| Data::new().block(0, 5).int(pc(function)).shared(1).int(profinfo(n)).int(0).int(0);
    let c_node =
        |callee: &Data, calls: i64| Data::new().block(1, 5).int(word(LEAF << 2 | 3)).then(callee).int(calls).int(0);
    // The last callee did nothing that was recorded, but it was called.
    let last = c_node(&Data::new().int(70_000), 3).int(0);
    let second = c_node(&node(OTHER, 2), 2).then(&last);
    let trie = Data::new().block(0, 3).int(pc(MAIN)).shared(1).then(&c_node(&node(LEAF, 1), 1)).then(&second);
    let (points, calls) = read(&shapes, &trie);
    assert_eq!(points, [(1, vec![10, 20]), (2, vec![10, 30])]);
    assert_eq!(calls, [(vec![10], 6)]);
}

#[test]
fn c_functions_allocate_and_call_back() {
    let shapes = shapes(&[(MAIN, &[Direct(10)]), (LEAF, &[Allocation(20)])]);
    let leaf = Data::new().block(0, 5).int(pc(LEAF)).shared(1).int(profinfo(1)).int(0).int(0);
    let allocation = Data::new().block(1, 5).int(word(0xc1 << 2 | 1)).int(profinfo(2)).int(9).int(0).int(0);
    let call = Data::new().block(1, 5).int(word(0xc0 << 2 | 3)).then(&leaf).int(1).int(0).then(&allocation);
    let trie = Data::new().block(0, 4).int(pc(MAIN)).shared(1).then(&call).int(4);
    let (points, calls) = read(&shapes, &trie);
    assert_eq!(points, [(1, vec![10, 0xc0, 20]), (2, vec![10, 0xc1])]);
    assert_eq!(calls, [(vec![10], 4)]);
}

#[test]
fn a_node_first_reached_through_the_list_of_points_is_read_where_it_belongs() {
    // The first point's `next` points into LEAF, which is stored there. The call refers to it.
    let shapes = shapes(&[(MAIN, &[Allocation(11), Direct(10)]), (LEAF, &[Allocation(20)])]);
    let leaf = Data::new().block(0, 5).int(pc(LEAF)).shared(1).int(profinfo(2)).int(0).int(0);
    let trie = Data::new().block(0, 7).int(pc(MAIN)).shared(1).int(profinfo(1)).int(0).infix(24).then(&leaf);
    let trie = trie.shared(1).int(8);
    let (points, calls) = read(&shapes, &trie);
    assert_eq!(points, [(1, vec![11]), (2, vec![10, 20])]);
    assert_eq!(calls, [(vec![10], 8)]);
}

#[test]
fn every_thread_has_a_trie_and_one_for_finalizers() {
    let shapes = shapes(&[(MAIN, &[Allocation(1)])]);
    let trie = |n: u64| Data::new().block(0, 5).int(pc(MAIN)).shared(1).int(profinfo(n)).int(0).int(0);
    let mut bytes = [header(1), tables(&no_frames(), &shapes, &trie(1))].concat();
    // The last three values: one thread, a trie, no finalizers.
    bytes.truncate(bytes.len() - 21 - trie(1).value().len() - 21);
    for value in [Data::new().int(2), trie(1), trie(2), Data::new().int(0), trie(3)] {
        bytes.extend(value.value());
    }
    let (profile, finished) = decode_alike(&bytes);
    assert!(finished.is_complete);
    assert_eq!(finished.warnings, []);
    assert_eq!(recorded(&profile).0, [(1, vec![1]), (2, vec![1]), (3, vec![1])]);
    // Bytes after the last value are skipped.
    bytes.extend(b"\x84\x95\xa6\xbe and more");
    let (_, finished) = decode_alike(&bytes);
    assert!(finished.is_complete);
    assert_eq!(
        finished.warnings.iter().map(|warning| (warning.kind, warning.bytes)).collect::<Vec<_>>(),
        [(WarningKind::Garbage, 13)]
    );
}

#[test]
fn circular_lists_of_c_nodes_end() {
    let shapes = shapes(&[(MAIN, &[Indirect(10), Direct(11)])]);
    // The only callee is the list itself, which is its own successor.
    let circle = Data::new().block(1, 5).int(word(0xc0 << 2 | 3)).shared(1).int(2).int(0).shared(1);
    let trie = Data::new().block(0, 5).int(pc(MAIN)).shared(1).then(&circle).shared(1).int(3);
    let (points, calls) = read(&shapes, &trie);
    assert_eq!(points, []);
    assert_eq!(calls, [(vec![10], 2), (vec![11], 3)]);
}

#[test]
fn a_trie_that_shares_its_nodes_does_not_explode() {
    // Sixty levels that each call the next one twice: 2^60 stacks.
    let shapes = shapes(&[(MAIN, &[Direct(1), Direct(2)])]);
    let mut trie = Data::new();
    for _ in 0..60 {
        trie = trie.block(0, 6).int(pc(MAIN)).shared(1);
    }
    trie = trie.int(0).int(0).int(0).int(0);
    for level in 1..60 {
        // After the first call, refers to its callee again.
        trie = trie.int(1).shared(level).int(1);
    }
    let (profile, finished) = decode_alike(&[header(1), tables(&no_frames(), &shapes, &trie)].concat());
    assert_eq!(finished.warnings, []);
    assert_eq!(profile.nodes.len(), 2 * 59);
}

#[test]
fn a_trie_a_million_levels_deep_can_be_read() {
    const N: usize = 1_000_000;
    let shapes = shapes(&[(MAIN, &[Direct(1)]), (LEAF, &[Allocation(2)])]);
    let node = Data::new().block(0, 4).int(pc(MAIN)).shared(1);
    let leaf = Data::new().block(0, 5).int(pc(LEAF)).shared(1).int(profinfo(1)).int(0).int(0);
    let mut trie = Data::new().raw(&node.bytes.repeat(N), N as u64).then(&leaf);
    trie.bytes.extend([0x41].repeat(N));
    let bytes = [header(1), tables(&no_frames(), &shapes, &trie)].concat();
    let (profile, finished) = decode_chunks(bytes.chunks(1 << 20), 1 << 30);
    assert_eq!(finished.expect("a profile").warnings, []);
    assert_eq!(profile.calls.len(), N);
    assert_eq!(profile.addresses(profile.points[0].1).len(), N + 1);
}

#[test]
fn an_invalid_trie_is_damage_and_one_without_shapes_is_skipped() {
    let shapes = shapes(&[(MAIN, &[Allocation(1)])]);
    let trie = Data::new().block(0, 5).int(pc(MAIN)).shared(1).int(profinfo(1)).int(0).int(0);
    for nonsense in [Data::new().text("trie"), Data::new().float(1.0), Data::new().block(7, 1).int(1)] {
        let (_, finished) = decode_alike(&[header(1), tables(&no_frames(), &shapes, &nonsense)].concat());
        assert_eq!(finished.warnings.len(), 1);
        assert_eq!(finished.warnings[0].kind, WarningKind::Damaged(Section::Trie));
        assert!(finished.is_complete && !finished.has_points);
    }
    // An unreadable shape table loses the points but nothing else.
    let (profile, finished) = decode_alike(&[header(1), tables(&no_frames(), &Data::new().int(5), &trie)].concat());
    assert_eq!(
        finished.warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(),
        [WarningKind::Damaged(Section::ShapeTable)]
    );
    assert!(finished.is_complete && !finished.has_points);
    assert_eq!(profile.points, []);
}

#[test]
fn nodes_shorter_than_their_shape_are_read_as_far_as_they_go() {
    let shapes = shapes(&[(MAIN, &[Allocation(1), Direct(2), Indirect(3), Allocation(4)])]);
    for n_fields in 1..11 {
        let mut trie = Data::new().block(0, n_fields).int(pc(MAIN));
        for _ in 1..n_fields {
            trie = trie.int(profinfo(3));
        }
        let (points, calls) = read(&shapes, &trie);
        assert_eq!(points.len(), usize::from(n_fields >= 5), "{n_fields} fields");
        assert_eq!(calls, []);
    }
}
