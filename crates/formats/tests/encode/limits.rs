//! Full tables, narrow fields and calls out of order.

use camlscope_formats::ctf::encode::{Block, EncodeError, Encoder};
use camlscope_formats::ctf::{AllocSource, Header, Info, Location, ObjectId};

use crate::packet_rules::check_packets;
use camlscope_testkit::recorder::{Event, Recording, record};

const PAIR: Block = Block { length_words: 2, n_samples: 1, source: AllocSource::Minor };

#[test]
fn a_cache_too_small_for_all_codes_evicts_and_renames_them() {
    let n_codes = 40_000;
    let mut seed = 1u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let stacks: Vec<Vec<u64>> =
        (0..20_000).map(|_| (0..9).map(|_| 0x4000_0000 + 17 * random(n_codes)).collect()).collect();
    let (_, read) = write(2, |encoder| {
        for stack in &stacks {
            encoder.alloc(0, 0, PAIR, stack).expect("written");
        }
    });
    assert!(stacks_of(&read) == stacks.iter().map(Vec::as_slice).collect::<Vec<_>>(), "stacks differ");
}

#[test]
fn a_stack_of_more_than_4_kib_is_truncated_and_the_next_one_completes_it() {
    let deep: Vec<u64> = (0..1_500).map(|n| 0x4000_0000 + 8 * n).collect();
    let (_, read) = write(2, |encoder| {
        for known in [0, 1_500, 0, 1_500, 1_500] {
            encoder.alloc_sharing(0, 0, PAIR, known, &deep).expect("written");
        }
    });
    let depths: Vec<usize> = stacks_of(&read).iter().map(|stack| stack.len()).collect();
    assert_eq!(depths, [409, 818, 1227, 1500, 1500]);
    assert!(stacks_of(&read).iter().all(|stack| deep.starts_with(stack)));
}

#[test]
fn a_recursion_of_20_000_frames_is_not_truncated() {
    let deep: Vec<u64> = [7, 9].into_iter().chain((0..20_000).map(|n| if n % 2 == 0 { 100 } else { 200 })).collect();
    let (bytes, read) = write(3, |encoder| {
        encoder.alloc(0, 0, PAIR, &deep).expect("written");
    });
    assert_eq!(stacks_of(&read), [deep]);
    assert!(bytes.len() < 2_000, "{} bytes", bytes.len());
}

#[test]
fn ids_are_assigned_in_chunks_per_domain_in_version_3_and_one_by_one_in_version_2() {
    let ids = |version: u16, domains: u64| {
        let mut ids = Vec::new();
        write(version, |encoder| {
            for n in 0..30_000 {
                ids.push(encoder.alloc((n % domains) as u16, n, PAIR, &[1]).expect("written").0);
            }
        });
        ids
    };
    assert_eq!(ids(2, 1), (0..30_000).collect::<Vec<_>>());
    let ids = ids(3, 2);
    assert_eq!(ids[..4], [0, 10_000, 1, 10_001]);
    assert_eq!(ids[19_998..20_002], [9_999, 19_999, 20_000, 30_000]);
}

#[test]
fn an_allocation_is_written_before_another_domain_refers_to_it() {
    let (_, read) = write(3, |encoder| {
        let old = encoder.alloc(1, 10, PAIR, &[1]).expect("written");
        let new = encoder.alloc(2, 10, PAIR, &[1]).expect("written");
        encoder.collect(1, 20, new).expect("written");
        encoder.promote(2, 20, old).expect("written");
    });
    let ids: Vec<u64> = read
        .events
        .iter()
        .map(|(_, event)| match event {
            Event::Alloc { alloc, .. } => alloc.id.0,
            Event::Promote { id, .. } | Event::Collect { id, .. } => id.0,
        })
        .collect();
    assert_eq!(ids, [10_000, 0, 10_000, 0], "the second domain goes out first");
}

#[test]
fn a_promotion_that_memtrace_would_refuse_is_written_by_the_objects_domain() {
    let (_, read) = write(3, |encoder| {
        encoder.alloc(0, 5, PAIR, &[1]).expect("written");
        let newer = encoder.alloc(1, 10, PAIR, &[1]).expect("written");
        encoder.promote(0, 20, newer).expect("written");
    });
    let promote = Event::Promote { time_us: 20, id: ObjectId(10_000) };
    assert!(read.events.contains(&(1, promote)), "{:?}", read.events);
}

#[test]
fn a_decreasing_time_is_raised_to_the_domains_last_one() {
    let (_, read) = write(3, |encoder| {
        for (domain, time_us) in [(0, 500), (0, 400), (1, 100)] {
            encoder.alloc(domain, time_us, PAIR, &[1]).expect("written");
        }
    });
    let times: Vec<u64> = read
        .events
        .iter()
        .filter_map(|(_, event)| if let Event::Alloc { alloc, .. } = event { Some(alloc.time_us) } else { None })
        .collect();
    assert_eq!(times, [500, 500, 100]);
}

#[test]
fn fields_saturate_and_an_overlong_location_is_written_as_unknown() {
    let place = |file: &str, line: u32| Location {
        file: file.into(),
        name: "f".into(),
        line,
        start_char: 300,
        end_char: 2_000,
    };
    let (_, read) = write(2, |encoder| {
        encoder.location(1, &[place("a.ml", 2_000_000)]);
        encoder.location(2, &[place(&"a".repeat(5_000), 1)]);
        encoder.location(3, &vec![place("b.ml", 1); 256]);
        encoder.location(1, &[place("another meaning comes too late", 1)]);
        encoder.alloc(0, 0, PAIR, &[1, 2, 3, 4]).expect("written");
    });
    let unknown = [Location { file: "<unknown>".into(), name: "??".into(), line: 1, start_char: 1, end_char: 1 }];
    let full = [Location { line: 0xf_ffff, start_char: 0xff, end_char: 0x3ff, ..place("a.ml", 0) }];
    assert_eq!(read.meanings[&1], full);
    assert_eq!(read.meanings[&2], unknown);
    assert_eq!(read.meanings[&3], unknown);
    assert_eq!(read.meanings[&4], [], "a code without an explanation has a location");
}

#[test]
fn tables_of_31_files_and_names_evict_the_least_recently_used() {
    let meaning = |code: u64| {
        let (file, name) = if code.is_multiple_of(2) { (0, code / 2 % 40) } else { (code / 2 % 40, code / 2 % 3) };
        let (file, name) = (format!("file{file}.ml").into(), format!("function_{name}").into());
        vec![Location { file, name, line: code as u32, start_char: 1, end_char: 2 }]
    };
    let codes = 1..1_000;
    let (_, read) = write(2, |encoder| {
        for code in codes.clone() {
            encoder.location(code, &meaning(code));
            encoder.alloc(0, 0, PAIR, &[code]).expect("written");
        }
    });
    for code in codes {
        assert_eq!(read.meanings[&code], meaning(code));
    }
}

#[test]
fn a_code_used_before_it_was_explained_keeps_no_location() {
    let (_, read) = write(3, |encoder| {
        encoder.alloc(0, 0, PAIR, &[9]).expect("written");
        encoder.alloc(0, 40_000_000, PAIR, &[9]).expect("written");
        let late = Location { file: "a.ml".into(), name: "f".into(), line: 1, start_char: 1, end_char: 2 };
        encoder.location(9, &[late]);
        encoder.alloc(1, 40_000_000, PAIR, &[9]).expect("written");
    });
    assert_eq!(read.meanings[&9], []);
}

#[test]
fn packets_of_long_stacks_and_long_names_stay_below_32_kib() {
    // Each in a different order, so that no code predicts the next: two bytes per frame.
    let stacks: Vec<Vec<u64>> = (1..100).map(|n| (0..401).map(|at| 1 + at * n % 401).collect()).collect();
    write(2, |encoder| {
        for code in 1..=401 {
            let (file, name) = (format!("{code}.ml").into(), format!("{code}").repeat(60).into());
            encoder.location(code, &[Location { file, name, line: 1, start_char: 1, end_char: 2 }]);
        }
        for stack in &stacks {
            encoder.alloc(0, 0, PAIR, stack).expect("written");
        }
    });
}

#[test]
fn packets_verify_a_recently_used_slot() {
    let (bytes, _) = write(2, |encoder| {
        for n in 0..20_000 {
            encoder.alloc(0, n, PAIR, &[0x100, 0x200 + n % 7]).expect("written");
        }
    });
    let mut at = 0;
    let mut verified = 0;
    while at < bytes.len() {
        let header = Header::read(&bytes[at..]).expect("a header");
        verified += usize::from(header.verify.is_some_and(|verify| (0x200..0x207).contains(&verify.code)));
        at += header.size_bytes();
    }
    assert!(verified > 3, "{verified}");
}

#[test]
fn unsupported_input_is_refused() {
    let refused = Encoder::new(&Info { version: 1, ..info(2) }, Vec::new()).err();
    assert!(matches!(refused, Some(EncodeError::Version(1))));
    let mut encoder = Encoder::new(&info(2), Vec::new()).expect("a version to write");
    assert!(matches!(encoder.alloc(1, 0, PAIR, &[]), Err(EncodeError::OneDomain(1))));
    assert!(matches!(encoder.collect(0, 0, ObjectId(0)), Err(EncodeError::UnknownObject(ObjectId(0)))));
    let id = encoder.alloc(0, 0, PAIR, &[]).expect("written");
    assert!(encoder.collect(0, 0, id).is_ok());
    assert!(matches!(encoder.promote(0, 0, ObjectId(1)), Err(EncodeError::UnknownObject(_))));
}

fn info(version: u16) -> Info {
    Info { version, sample_rate: 1.0, word_size_bits: 64, pid: 1, start_us: 1_000_000_007, ..Info::default() }
}

/// Writes a trace and reads it again without warnings.
fn write(version: u16, say: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> (Vec<u8>, Recording) {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&info(version), &mut bytes).expect("a version to write");
    say(&mut encoder);
    encoder.finish().expect("written");
    check_packets(&bytes, &info(version));
    let (finished, recording) = record(&bytes);
    assert_eq!(finished.warnings, []);
    assert_eq!(recording.faults, Vec::<String>::new());
    (bytes, recording)
}

fn stacks_of(recording: &Recording) -> Vec<&[u64]> {
    let events = recording.events.iter();
    let stacks =
        events.filter_map(|(_, event)| if let Event::Alloc { stack, .. } = event { Some(&**stack) } else { None });
    stacks.collect()
}
