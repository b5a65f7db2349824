//! Values with false claims: each is skipped, in time and memory proportional to its bytes, and affects nothing else.

use camlscope_formats::spacetime::{Refusal, Section, WarningKind};

use crate::marshal::{
    Data, between_snapshots, check_damaged_snapshot, check_sound_snapshot, decode_alike, empty_tables, header,
    snapshot, snapshot_record, tables,
};
use crate::recorder::{decode, decode_chunks};

/// A snapshot with something else in place of its GC figures.
fn snapshot_with_gc(gc: &Data) -> Data {
    let entries = Data::new().block(0, 3).int(1).int(1).int(3);
    Data::new().block(0, 6).float(1.5).then(gc).then(&entries).int(4).int(3).int(0)
}

/// A snapshot with something else in place of its list of allocated words.
fn snapshot_with_allocated(allocated: &Data) -> Data {
    let gc = (0..9).fold(Data::new().block(0, 9), |data, _| data.int(1));
    Data::new().block(0, 6).float(1.5).then(&gc).raw(&[0x80], 0).int(4).int(3).then(allocated)
}

#[test]
fn the_snapshots_that_attacks_are_based_on_are_valid() {
    check_sound_snapshot(&snapshot(1.5, 5).value());
    check_sound_snapshot(&snapshot_with_allocated(&Data::new().int(0)).value());
    check_sound_snapshot(&snapshot_with_allocated(&Data::new().block(0, 3).int(1).int(2).int(0)).value());
    // A header with 64-bit numbers works as well.
    check_sound_snapshot(&snapshot(1.5, 5).big_value());
}

#[test]
fn a_value_needs_no_object_count() {
    let value = snapshot(1.5, 5);
    check_sound_snapshot(&value.value_that_claims(value.bytes.len() as u32, 0));
}

#[test]
fn a_string_that_is_longer_than_the_value() {
    for code in
        [&[0x3f_u8][..], &[0x09, 0xff], &[0x0a, 0xff, 0xff, 0xff, 0xff], b"\x15\xff\xff\xff\xff\xff\xff\xff\xff"]
    {
        check_damaged_snapshot(&snapshot_with_gc(&Data::new().raw(code, 1)).value());
    }
}

#[test]
fn a_block_with_more_fields_than_bytes() {
    let fields_2_54 = Data::new().raw(b"\x13\xff\xff\xff\xff\xff\xff\xfc\x00", 1);
    check_damaged_snapshot(&snapshot_with_gc(&fields_2_54).value());
    check_damaged_snapshot(&snapshot_with_gc(&Data::new().block(0, 1 << 21)).value());
    check_damaged_snapshot(&snapshot_with_gc(&Data::new().raw(&[0xf0], 1)).value());
}

#[test]
fn a_claim_of_endless_data_costs_nothing_and_the_next_value_is_found() {
    let value = snapshot(1.5, 5);
    check_damaged_snapshot(&value.value_that_claims(u32::MAX, value.n_objects as u32));
    check_damaged_snapshot(&value.big_value_that_claims(u64::MAX));
    check_damaged_snapshot(&value.big_value_that_claims(1 << 40));
    // With blocks that fill it.
    let endless = Data::new().raw(b"\x13\x00\x00\x00\xff\xff\xff\xfc\x00", 1);
    for _ in 0..3 {
        let (profile, finished) = decode_alike(&between_snapshots(&endless.big_value_that_claims(1 << 60)));
        assert_eq!(profile.snapshots.len(), 2);
        assert_eq!(finished.warnings.len(), 1);
    }
}

#[test]
fn a_value_that_claims_fewer_bytes_than_it_has_or_miscounts_its_objects() {
    let value = snapshot(1.5, 5);
    let (n_bytes, n_objects) = (value.bytes.len() as u32, value.n_objects as u32);
    let fewer_bytes = [(0, 0), (8, 8), (n_bytes - 1, n_objects)];
    // The last one has more objects than bytes, so it isn't even a header.
    let miscounted = [n_objects - 1, n_objects + 1, 1, u32::MAX].map(|claimed| (n_bytes, claimed));
    for (n_bytes, n_objects) in fewer_bytes.into_iter().chain(miscounted) {
        check_damaged_snapshot(&value.value_that_claims(n_bytes, n_objects));
    }
}

#[test]
fn a_value_that_ends_before_its_first_field() {
    check_damaged_snapshot(&Data::new().raw(&[0xa0], 1).value());
    check_damaged_snapshot(&Data::new().raw(&[0xa0, 0xa0], 2).value());
    check_damaged_snapshot(&Data::new().infix(8).value());
}

#[test]
fn references_to_missing_objects() {
    for distance in [0, 3, u32::MAX] {
        check_damaged_snapshot(&snapshot_with_gc(&Data::new().shared(distance)).value());
    }
    for code in
        [&[0x04_u8, 0][..], &[0x04, 9], &[0x05, 0, 0], &[0x05, 0xff, 0xff], b"\x14\xff\xff\xff\xff\xff\xff\xff\xff"]
    {
        check_damaged_snapshot(&snapshot_with_gc(&Data::new().raw(code, 0)).value());
    }
    // If no objects were counted, there are none to refer to.
    let value = snapshot_with_gc(&Data::new().shared(1));
    check_damaged_snapshot(&value.value_that_claims(value.bytes.len() as u32, 0));
}

#[test]
fn blocks_that_contain_themselves() {
    // The snapshot as its own GC figures, and GC figures that contain only themselves.
    check_damaged_snapshot(&snapshot_with_gc(&Data::new().shared(2)).value());
    let gc = (0..9).fold(Data::new().block(0, 9), |data, _| data.shared(1));
    check_damaged_snapshot(&snapshot_with_gc(&gc).value());
    let value = Data::new().block(0, 1).shared(1);
    check_damaged_snapshot(&value.value());
}

#[test]
fn circular_lists() {
    let one = Data::new().block(0, 3).int(1).int(2).shared(1);
    check_damaged_snapshot(&snapshot_with_allocated(&one).value());
    let two = Data::new().block(0, 3).int(1).int(2).block(0, 3).int(2).int(2).shared(2);
    check_damaged_snapshot(&snapshot_with_allocated(&two).value());

    let pair = Data::new().block(0, 2).int64(5).int(0);
    let circle = Data::new().block(0, 2).then(&pair).shared(3);
    let empty = Data::new().int(0);
    for (frames, shapes, part) in [(&circle, &empty, Section::FrameTable), (&empty, &circle, Section::ShapeTable)] {
        let (_, finished) = decode_alike(&[header(1), tables(frames, shapes, &empty)].concat());
        assert!(finished.is_complete);
        assert_eq!(
            finished.warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(),
            [WarningKind::Damaged(part)]
        );
    }
}

#[test]
fn infix_pointers_are_skipped_whatever_they_claim() {
    for offset in [0, 1, 24, u32::MAX] {
        // In place of a number it is damage, but nothing worse.
        let gc = Data::new().infix(offset).then(&Data::new().block(0, 2).int(1).int(2));
        check_damaged_snapshot(&snapshot_with_gc(&gc).value());
        check_damaged_snapshot(&snapshot_with_gc(&Data::new().infix(offset).shared(1)).value());
    }
    let nested = (0..1000).fold(Data::new(), |data, _| data.infix(8)).int(0);
    check_damaged_snapshot(&snapshot_with_gc(&nested).value());
}

#[test]
fn customs_of_kinds_not_used_in_profiles() {
    for custom in [
        &b"\x12_bigarr02\0\0\0\0\0\x01\0\0\0\0"[..],
        b"\x12_jj\0\0\0\0\0\0\0\0\0",
        b"\x12\0",
        b"\x12_",
        b"\x12_n\0\x03\0\0\0\0",
        b"\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\x1a",
    ] {
        check_damaged_snapshot(&snapshot_with_gc(&Data::new().raw(custom, 1)).value());
    }
}

#[test]
fn integers_are_read_however_they_are_boxed() {
    for custom in [
        &b"\x12_j\0\0\0\0\0\0\0\0\x07"[..],
        b"\x19_j\0\0\0\0\0\0\0\0\x07",
        b"\x18_j\0\0\0\0\x08\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x07",
        b"\x12_i\0\0\0\0\x07",
        b"\x18_i\0\0\0\0\x04\0\0\0\0\0\0\0\x04\0\0\0\x07",
        b"\x12_n\0\x01\0\0\0\x07",
        b"\x19_n\0\x02\0\0\0\0\0\0\0\x07",
        b"\x18_n\0\0\0\0\x04\0\0\0\0\0\0\0\x08\x02\0\0\0\0\0\0\0\x07",
    ] {
        let gc = (0..8).fold(Data::new().block(0, 9).raw(custom, 1), |data, _| data.int(1));
        let bytes = between_snapshots(&snapshot_with_gc(&gc).value());
        let (profile, finished) = decode_alike(&bytes);
        assert_eq!(finished.warnings, [], "{custom:?}");
        assert_eq!(profile.snapshots[1].gc.map(|gc| gc.minor_words), Some(7), "{custom:?}");
    }
}

#[test]
fn customs_with_wrong_sizes() {
    for sizes in [&b"\0\0\0\0\0\0\0\0\0\0\0\0"[..], b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"] {
        let gc = Data::new().raw(b"\x18_j\0", 1).raw(sizes, 0).raw(&[0; 8], 0);
        check_damaged_snapshot(&snapshot_with_gc(&gc).value());
    }
}

#[test]
fn float_arrays_are_skipped_and_bounded() {
    let float = 1.5_f64;
    for (code, float) in [
        (&[0x0e_u8, 2][..], float.to_le_bytes()),
        (&[0x0d, 2], float.to_be_bytes()),
        (&[0x07, 0, 0, 0, 2], float.to_le_bytes()),
        (&[0x0f, 0, 0, 0, 2], float.to_be_bytes()),
        (&[0x17, 0, 0, 0, 0, 0, 0, 0, 2], float.to_le_bytes()),
        (&[0x16, 0, 0, 0, 0, 0, 0, 0, 2], float.to_be_bytes()),
        (&[0x0e, 0], [0; 8]),
    ] {
        let n = *code.last().expect("a count");
        let array = (0..n).fold(Data::new().raw(code, 1), |data, _| data.raw(&float, 0));
        // In place of figures.
        check_damaged_snapshot(&snapshot_with_gc(&array).value());
        // Before the time of an event, which must still be found.
        let name = Data::new().block(0, 1).then(&array);
        let event = [Data::new().int(2).value(), name.value(), Data::new().float(1.5).value()].concat();
        let (profile, _) = decode_alike(&[header(1), event, snapshot_record(&snapshot(2.0, 5).value())].concat());
        assert_eq!(profile.marks, []);
    }
    for claim in [&[0x0e_u8, 0xff][..], &[0x07, 0xff, 0xff, 0xff, 0xff], b"\x17\x1f\xff\xff\xff\xff\xff\xff\xff"] {
        check_damaged_snapshot(&snapshot_with_gc(&Data::new().raw(claim, 1)).value());
    }
}

#[test]
fn impossible_figures() {
    for time in [f64::NAN, f64::INFINITY, -1.0, 1e30] {
        check_damaged_snapshot(&snapshot(time, 5).value());
    }
    for allocated in [-1, i64::MAX, i64::MIN] {
        check_damaged_snapshot(&snapshot(1.5, allocated).value());
    }
    // Each is possible, but their sum isn't.
    let cell = |profinfo: i64| Data::new().block(0, 3).int(profinfo).int(1 << 52);
    check_damaged_snapshot(&snapshot_with_allocated(&cell(1).then(&cell(2)).int(0)).value());
    check_damaged_snapshot(&snapshot_with_allocated(&Data::new().block(0, 3).int(1 << 40).int(1).int(0)).value());
}

#[test]
fn an_event_without_a_valid_time_or_name_is_skipped() {
    let event = |time: f64| {
        [Data::new().int(2), Data::new().text("go"), Data::new().float(time)].iter().flat_map(Data::value).collect()
    };
    let nameless: Vec<u8> = [Data::new().int(2), Data::new().float(1.0)].iter().flat_map(Data::value).collect();
    let bytes = [header(1), event(f64::NAN), event(1.0), nameless, event(2.0), empty_tables()].concat();
    let (profile, finished) = decode_alike(&bytes);
    assert_eq!(profile.marks, [("go".to_owned(), 1_000_000), ("go".to_owned(), 2_000_000)]);
    let [warning] = finished.warnings[..] else { panic!("one warning, not {:?}", finished.warnings) };
    assert_eq!((warning.kind, warning.count), (WarningKind::Damaged(Section::Event), 2));
}

#[test]
fn entries_in_any_order_are_sorted_and_merged() {
    let gc = (0..9).fold(Data::new().block(0, 9), |data, _| data.int(1));
    let entries = [5, 1, 9, 2, 2, 6, 5, 3, 4].iter().fold(Data::new().block(0, 9), |data, n| data.int(*n));
    let allocated = Data::new().block(0, 3).int(7).int(1).block(0, 3).int(2).int(3).block(0, 3).int(7).int(4).int(0);
    let value = Data::new().block(0, 6).float(1.5).then(&gc).then(&entries).int(4).int(3).then(&allocated);
    let (profile, _) = decode_alike(&between_snapshots(&value.value()));
    let entries: Vec<[u64; 3]> =
        profile.snapshots[1].entries.iter().map(|entry| [entry.profinfo.into(), entry.blocks, entry.words]).collect();
    assert_eq!(entries, [[2, 2, 6], [5, 4, 13]]);
    assert_eq!(profile.snapshots[1].allocated, [(2, 3), (7, 5)]);
}

#[test]
fn ten_million_listed_or_nested_blocks_take_proportional_memory() {
    const N: usize = 10_000_000;
    let list = [[0xa0, 0x40].repeat(N), vec![0x40]].concat();
    let nested = [[0xa0].repeat(N), [0x40].repeat(N + 1)].concat();
    for bytes in [list, nested] {
        check_large_frame_table(&Data { bytes, n_objects: N as u64 });
    }
}

fn check_large_frame_table(frames: &Data) {
    let empty = Data::new().int(0);
    let bytes = [header(1), snapshot_record(&snapshot(1.0, 5).value()), tables(frames, &empty, &empty)].concat();
    let limits =
        [(1 << 30, WarningKind::Damaged(Section::FrameTable)), (64 << 20, WarningKind::TooLarge(Section::FrameTable))];
    for (max_value_bytes, kind) in limits {
        let (profile, finished) = decode_chunks(bytes.chunks(1 << 20), max_value_bytes);
        let finished = finished.expect("a profile");
        assert_eq!(profile.snapshots.len(), 1);
        assert!(finished.is_complete, "the values after the table are lost");
        assert_eq!(finished.warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(), [kind]);
        assert_eq!(finished.warnings[0].bytes, frames.bytes.len() as u64 + 20);
    }
}

#[test]
fn files_that_are_not_profiles_are_refused() {
    let int = |n: u64| Data::new().int(n as i64).value();
    let series = |value: Data| value.value();
    for (bytes, refusal) in [
        (Vec::new(), Refusal::Empty),
        (b"hello".to_vec(), Refusal::NotAProfile),
        (b"\x84\x95".to_vec(), Refusal::Cut { bytes: 2 }),
        (header(1)[..28].to_vec(), Refusal::Cut { bytes: 28 }),
        (int(7), Refusal::NotAProfile),
        (int(0xace0_0acf), Refusal::NotAProfile),
        (int(0xace0_0ace | 1 << 32), Refusal::UnknownVersion { version: 1 }),
        (header(2), Refusal::UnknownFeatures { features: 2 }),
        (header(3), Refusal::UnknownFeatures { features: 3 }),
        (series(Data::new().text("hello")), Refusal::NotAProfile),
        (series(Data::new().raw(&[0xc0], 1).int(0).int(0).int(1).int(0)), Refusal::NotAProfile),
        (series(Data::new().raw(&[0xc0], 1).int(0).int(0).int(2).float(1.0)), Refusal::NotAProfile),
        (series(Data::new().raw(&[0xb0], 1).int(0).int(0).float(1.0)), Refusal::NotAProfile),
        (series(Data::new().raw(&[0xc0], 1).int(0).int(0).int(1).shared(9)), Refusal::Damaged { offset: 24 }),
        (Data::new().int(3).value_that_claims(0, 0), Refusal::Damaged { offset: 0 }),
    ] {
        for chunk_bytes in [1, bytes.len()] {
            let (_, finished) = decode(&bytes, chunk_bytes);
            assert_eq!(finished, Err(refusal.clone()), "{bytes:x?}");
        }
    }
}

#[test]
fn a_series_that_exceeds_its_memory_limit_is_refused() {
    let mut list = Data::new().raw(&[0xc0], 1);
    list.bytes.extend([0xa0, 0x40].repeat(1_000_000));
    list.n_objects += 1_000_000;
    let value = list.int(0).int(0).int(1).float(1.0).value();
    let (_, finished) = decode_chunks([&value[..]], 4 << 20);
    assert!(matches!(finished, Err(Refusal::TooLarge { max_bytes, .. }) if max_bytes == 4 << 20), "{finished:?}");
}
