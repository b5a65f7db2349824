//! Decodes real traces, writes them, and decodes them again.

use std::collections::BTreeMap;
use std::fs;

use camlscope_formats::ctf::encode::{Block, Encoder};
use camlscope_formats::ctf::{Info, ObjectId};

use crate::packet_rules::check_packets;
use camlscope_testkit::recorder::{Event, Recording, record};

#[test]
fn every_intact_fixture_round_trips() {
    let folder = camlscope_testkit::fixtures::folder();
    let mut compared = 0;
    for entry in fs::read_dir(folder).expect("fixtures").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "ctf") {
            continue;
        }
        let name = path.display().to_string();
        let (finished, original) = record(&fs::read(&path).expect("readable"));
        if !finished.warnings.is_empty() {
            continue;
        }
        let one_domain = original.events.iter().all(|(domain, _)| *domain == 0);
        for version in [2, 3] {
            if version == 2 && !one_domain {
                continue;
            }
            let info = Info { version, ..finished.info.clone() };
            let (bytes, expected) = write(&info, original.events.clone(), &original);
            check_packets(&bytes, &info);
            let (again, copy) = record(&bytes);
            assert_eq!(again.info, info, "{name}");
            assert!(again.warnings.is_empty(), "{name}: {:?}", again.warnings);
            assert_eq!(copy.faults, Vec::<String>::new(), "{name}");
            assert!(copy.by_domain() == expected.by_domain(), "{name} as version {version}: events differ");
            for code in original.used_codes() {
                assert_eq!(copy.meanings.get(&code), original.meanings.get(&code), "{name}: {code:#x}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 15, "only {compared} copies were compared");
}

/// Returns the trace's bytes, and its events with the ids that the writer assigned.
fn write(info: &Info, mut events: Vec<(u16, Event)>, original: &Recording) -> (Vec<u8>, Recording) {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(info, &mut bytes).expect("a version to write");
    for (code, frames) in &original.meanings {
        encoder.location(*code, frames);
    }
    let mut ids: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    for (domain, event) in &mut events {
        match event {
            Event::Alloc { alloc, stack } => {
                let block =
                    Block { length_words: alloc.length_words, n_samples: alloc.n_samples, source: alloc.source };
                let id = encoder.alloc(*domain, alloc.time_us, block, stack).expect("written");
                ids.insert(alloc.id, id);
                alloc.id = id;
            }
            Event::Promote { time_us, id } => {
                *id = ids[id];
                encoder.promote(*domain, *time_us, *id).expect("written");
            }
            Event::Collect { time_us, id } => {
                *id = ids[id];
                encoder.collect(*domain, *time_us, *id).expect("written");
            }
        }
    }
    let written = encoder.finish().expect("written");
    assert_eq!(written.bytes, bytes.len() as u64);
    assert_eq!(written.n_cut_stacks, 0);
    (bytes, Recording { events, ..Recording::default() })
}
