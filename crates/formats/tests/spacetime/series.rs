//! Hand-written `.p` files: the meaning of entries, and lists that no program writes.

use camlscope_formats::spacetime::{Entry, Form, Section, WarningKind};

use crate::marshal::{Data, decode_alike, header, tables};
use crate::recorder::Recorder;

fn series(snapshots: &Data, calls: &Data) -> Vec<u8> {
    Data::new().raw(&[0xc0], 1).then(snapshots).then(calls).int(1).float(9.0).value()
}

/// A list of one snapshot without GC figures.
fn snapshots(entries: &Data) -> Data {
    Data::new().block(0, 2).block(0, 3).float(1.5).int(0).then(entries).int(0)
}

/// Two objects, plus those of the address and the position.
fn location(address: u64) -> Data {
    let position = Data::new().block(0, 4).text("a.ml").int(address as i64).int(1).int(2);
    Data::new().block(0, 4).int64(address).int(0).block(0, 2).then(&position).int(0).int(0)
}

/// Innermost first, as in the file.
fn backtrace(addresses: &[u64]) -> Data {
    let cells = addresses.iter().fold(Data::new(), |data, address| data.block(0, 2).then(&location(*address)));
    cells.int(0)
}

fn read(bytes: &[u8]) -> (Recorder, u64) {
    let (profile, finished) = decode_alike(bytes);
    assert!(finished.is_complete);
    assert_eq!(finished.end_us, Some(9_000_000));
    let n_damaged = match finished.warnings[..] {
        [] => 0,
        [warning] if warning.kind == WarningKind::Damaged(Section::Series) => warning.count,
        _ => panic!("{:?}", finished.warnings),
    };
    (profile, n_damaged)
}

#[test]
fn all_kinds_of_entries_are_read_and_equal_backtraces_are_merged() {
    let only_allocated = Data::new().block(0, 2).then(&backtrace(&[2, 1])).int(100);
    let small = Data::new().block(1, 2).then(&backtrace(&[3, 1])).int(7 << 32 | 6 << 16 | 5);
    let large = Data::new().block(2, 4).then(&backtrace(&[4, 1])).int(70_000).int(80_000).int(90_000);
    // The same stack, spelled out a second time: figures are summed.
    let again = Data::new().block(1, 2).then(&backtrace(&[3, 1])).int(1 << 32 | 1 << 16 | 1);
    let entries = [only_allocated, small, large, again]
        .iter()
        .fold(Data::new(), |data, entry| data.block(0, 2).then(entry))
        .int(0);
    let direct = Data::new().block(0, 2).then(&backtrace(&[1])).int(11);
    let indirect = Data::new().block(1, 2).then(&backtrace(&[5, 1])).int(12);
    let calls = Data::new().block(0, 2).then(&direct).block(0, 2).then(&indirect).int(0);
    let (profile, n_damaged) = read(&series(&snapshots(&entries), &calls));
    assert_eq!(n_damaged, 0);
    assert_eq!(profile.header.map(|header| header.form), Some(Form::Series));
    let [snapshot] = &profile.snapshots[..] else { panic!("one snapshot") };
    assert_eq!(snapshot.gc, None);
    let entry = |profinfo, blocks, words| Entry { profinfo, blocks, words };
    assert_eq!(snapshot.entries, [entry(2, 6, 7), entry(3, 70_000, 80_000)]);
    assert_eq!(snapshot.allocated, [(1, 100), (2, 8), (3, 90_000)]);
    let points: Vec<_> = profile.points.iter().map(|(n, node)| (*n, profile.addresses(*node))).collect();
    assert_eq!(points, [(1, vec![1, 2]), (2, vec![1, 3]), (3, vec![1, 4])]);
    let calls: Vec<_> = profile.calls.iter().map(|(node, n)| (profile.addresses(*node), *n)).collect();
    assert_eq!(calls, [(vec![1], 11), (vec![1, 5], 12)]);
}

#[test]
fn circular_backtraces_are_skipped_and_read_once() {
    // The list's end is its own beginning. The objects of its location follow the cell.
    let mut circle = Data::new().block(0, 2).then(&location(1));
    let n_objects = circle.n_objects as u32;
    circle = circle.shared(n_objects);
    let broken = Data::new().block(0, 2).then(&circle).int(1);
    let sound = Data::new().block(0, 2).then(&backtrace(&[2])).int(3);
    let entries = Data::new().block(0, 2).then(&broken).block(0, 2).then(&sound).int(0);
    let (profile, n_damaged) = read(&series(&snapshots(&entries), &Data::new().int(0)));
    assert_eq!(n_damaged, 1);
    assert_eq!(profile.snapshots[0].allocated, [(1, 3)]);
}

#[test]
fn many_backtraces_with_a_shared_tail_are_read_quickly() {
    const N: u32 = 20_000;
    // A list of N frames, and N entries that each put one frame before it.
    let frame = Data::new().block(0, 2).block(0, 4).int64(7).int(0).int(0).int(0);
    let mut long = Data::new();
    for _ in 0..N {
        long = long.then(&frame);
    }
    let long_entry = Data::new().block(0, 2).then(&long).int(0).int(1);
    let mut entries = Data::new().block(0, 2).then(&long_entry);
    for at in 0..N {
        entries =
            entries.block(0, 2).block(0, 2).block(0, 2).block(0, 4).int64(100 + u64::from(at)).int(0).int(0).int(0);
        // Goes back over the objects of each entry: a cell, the entry, its own frame, its location and the address.
        let first_cell = 3 * N + 5 * (at + 1);
        entries = entries.shared(first_cell).int(1);
    }
    let (profile, n_damaged) = read(&series(&snapshots(&entries.int(0)), &Data::new().int(0)));
    assert_eq!(n_damaged, 0);
    assert_eq!(profile.points.len(), N as usize + 1);
    assert_eq!(profile.nodes.len(), 2 * N as usize);
    assert_eq!(profile.addresses(profile.points[1].1).len(), N as usize + 1);
}

#[test]
fn many_addresses_with_a_shared_list_of_positions_are_read_quickly() {
    const N: u64 = 20_000;
    const FUNCTION: u64 = 0x1000;
    // The first address has a list of N frames that aren't positions, and the others share it.
    let mut frames = Data::new().block(0, 2).block(0, 2).int64(1);
    for _ in 0..N {
        frames = frames.raw(&[0xa0, 0x41], 1);
    }
    frames = frames.int(0);
    for at in 1..N {
        frames = frames.block(0, 2).block(0, 2).int64(1 + at).shared((N + 3 * at) as u32);
    }
    let mut shapes = Data::new().block(0, 2).block(0, 2).int64(FUNCTION);
    let mut trie = Data::new().block(0, 2 + 3 * N as u32).int((FUNCTION >> 1) as i64).shared(1);
    for at in 0..N {
        shapes = shapes.block(0, 2).block(2, 1).int64(1 + at);
        trie = trie.int(((at + 1) << 37) as i64).int(0).int(0);
    }
    let shapes = shapes.int(0).int(0);
    let (profile, finished) = decode_alike(&[header(1), tables(&frames.int(0), &shapes, &trie)].concat());
    assert_eq!(finished.warnings, []);
    assert_eq!(profile.points.len(), N as usize);
    assert_eq!(profile.positions.len(), 0);
}
