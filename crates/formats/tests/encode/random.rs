//! Random traces: several domains, jumping clocks, stacks of any depth, names of any kind.

use std::rc::Rc;

use camlscope_formats::ctf::encode::{Block, Encoder, Written};
use camlscope_formats::ctf::{Alloc, AllocSource, Info, Location, ObjectId};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::packet_rules::check_packets;
use camlscope_testkit::recorder::{Event, Recording, record};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn random_traces_round_trip(version in 2u16..=3, start_us in start(), steps in vec(step(), 0..400)) {
        let info = Info {
            version,
            sample_rate: 0.01,
            word_size_bits: 64,
            executable: "server.exe".into(),
            host: "höst".into(),
            runtime_params: "s=262144,o=120".into(),
            pid: 4711,
            context: "run 7".into(),
            start_us,
        };
        let (bytes, events, written) = write(&info, &steps);
        check_packets(&bytes, &info);
        let (finished, recording) = record(&bytes);
        prop_assert_eq!(finished.info, info);
        prop_assert!(finished.warnings.is_empty(), "{:?}", finished.warnings);
        prop_assert_eq!(&recording.faults, &Vec::<String>::new());
        let n_objects = events.iter().filter(|(_, event)| matches!(event, Event::Alloc { .. })).count();
        prop_assert_eq!(written, Written {
            bytes: finished.bytes, n_packets: finished.n_packets, n_objects: n_objects as u64, n_cut_stacks: 0
        });
        let expected = Recording { events, ..Recording::default() };
        prop_assert!(recording.by_domain() == expected.by_domain(), "events differ");
        for code in recording.used_codes() {
            prop_assert_eq!(&recording.meanings[&code], &meaning(code));
        }
    }
}

const DOMAINS: u16 = 4;

#[derive(Clone, Debug)]
enum Step {
    Alloc { domain: u16, pause_us: u64, block: Block, pops: Index, pushes: Pushes },
    Promote { pause_us: u64, object: Index },
    Collect { domain: u16, pause_us: u64, object: Index },
}

/// `n_frames` frames that repeat `codes`.
#[derive(Clone, Debug)]
struct Pushes {
    codes: Vec<u64>,
    n_frames: usize,
}

fn start() -> impl Strategy<Value = u64> {
    // Anonymized traces start at 0. The last ones start just before their 25 bits of time wrap around.
    prop_oneof![Just(0), Just(1_794_703_163_715_432), (1u64 << 25..1 << 27).prop_map(|us| (us << 25) - 3)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..DOMAINS, pause(), block(), any::<Index>(), pushes())
            .prop_map(|(domain, pause_us, block, pops, pushes)| Step::Alloc { domain, pause_us, block, pops, pushes }),
        1 => (pause(), any::<Index>()).prop_map(|(pause_us, object)| Step::Promote { pause_us, object }),
        3 => (0..DOMAINS, pause(), any::<Index>())
            .prop_map(|(domain, pause_us, object)| Step::Collect { domain, pause_us, object }),
    ]
}

fn pause() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => 0u64..3,
        8 => 0u64..10_000,
        1 => 29_000_000u64..31_000_000,
        1 => (1u64 << 25) - 2..(1 << 25) + 2,
        1 => 0u64..4_000_000_000,
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let length =
        prop_oneof![8 => 0u64..20, 2 => 0u64..70_000, 1 => 0u64..1 << 62, 1 => (1u64 << 31) - 2..(1 << 31) + 2];
    let n_samples = prop_oneof![6 => Just(1u64), 2 => 1u64..300, 1 => 0u64..1 << 33, 1 => 0u64..1 << 50];
    let source =
        prop_oneof![4 => Just(AllocSource::Minor), 1 => Just(AllocSource::Major), 1 => Just(AllocSource::External)];
    (length, n_samples, source).prop_map(|(length_words, n_samples, source)| Block { length_words, n_samples, source })
}

/// A few frames or a recursion of different codes, because equal ones can make a stack too long to be written
/// completely.
fn pushes() -> impl Strategy<Value = Pushes> {
    let frames = |most: usize| {
        vec(code(), 0..most).prop_map(|codes| {
            let n_frames = codes.len();
            Pushes { codes, n_frames }
        })
    };
    let recursion = (btree_set(code(), 1..4), 0usize..20_000)
        .prop_map(|(codes, n_frames)| Pushes { codes: codes.into_iter().collect(), n_frames });
    prop_oneof![60 => frames(12), 4 => frames(400), 1 => recursion]
}

fn code() -> impl Strategy<Value = u64> {
    prop_oneof![
        20 => (0u64..300).prop_map(|n| 0x2b20_5a00_0000 + 23 * n),
        10 => (0u64..5).prop_map(|n| 0x2b20_5a00_0000 + 23 * n),
        1 => Just(0),
        1 => any::<u64>(),
    ]
}

/// The locations of a code: none, one, or several that were inlined, in about 60 files with up to 40 names each.
fn meaning(code: u64) -> Vec<Location> {
    let mix = |salt: u64| code.wrapping_add(salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (0..mix(0) % 4)
        .map(|n| {
            let file: Rc<str> = match mix(n) % 60 {
                0 => "".into(),
                1 => "модуль/日本.ml".into(),
                file => format!("src/file{file}.ml").into(),
            };
            let name: Rc<str> = match mix(n + 7) % 40 {
                0 => "".into(),
                1 => "Модуль.λ'".into(),
                name => format!("Module.Sub.function_{name}").into(),
            };
            let (line, start_char, end_char) =
                (mix(n) as u32 % 0x10_0000, mix(n) as u16 % 0x100, mix(n) as u16 % 0x400);
            Location { file, name, line, start_char, end_char }
        })
        .collect()
}

/// Returns the bytes, and the expected events of each domain.
fn write(info: &Info, steps: &[Step]) -> (Vec<u8>, Vec<(u16, Event)>, Written) {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(info, &mut bytes).expect("a version to write");
    let mut clocks = [0u64; DOMAINS as usize];
    let mut stacks: [Vec<u64>; DOMAINS as usize] = Default::default();
    let mut objects: Vec<(ObjectId, u16)> = Vec::new();
    let mut events = Vec::new();
    let domain_of = |domain: u16| if info.version == 2 { 0 } else { domain };
    for step in steps {
        match step {
            Step::Alloc { domain, pause_us, block, pops, pushes } => {
                let domain = domain_of(*domain);
                let clock = &mut clocks[usize::from(domain)];
                *clock += pause_us;
                let stack = &mut stacks[usize::from(domain)];
                stack.truncate(pops.index(stack.len() + 1));
                // Every other time the writer finds the shared frames itself.
                let known = if stack.len().is_multiple_of(2) { stack.len() } else { 0 };
                stack.extend(pushes.codes.iter().cycle().take(pushes.n_frames));
                for code in &pushes.codes {
                    encoder.location(*code, &meaning(*code));
                }
                let id = encoder.alloc_sharing(domain, *clock, *block, known, stack).expect("written");
                objects.push((id, domain));
                let Block { length_words, n_samples, source } = *block;
                let alloc = Alloc { id, time_us: *clock, domain, length_words, n_samples, source };
                events.push((domain, Event::Alloc { alloc, stack: stack.clone() }));
            }
            Step::Promote { pause_us, object } if !objects.is_empty() => {
                let (id, domain) = *object.get(&objects);
                let clock = &mut clocks[usize::from(domain)];
                *clock += pause_us;
                encoder.promote(domain, *clock, id).expect("written");
                events.push((domain, Event::Promote { time_us: *clock, id }));
            }
            Step::Collect { domain, pause_us, object } if !objects.is_empty() => {
                let domain = domain_of(*domain);
                let (id, _) = *object.get(&objects);
                let clock = &mut clocks[usize::from(domain)];
                *clock += pause_us;
                encoder.collect(domain, *clock, id).expect("written");
                events.push((domain, Event::Collect { time_us: *clock, id }));
            }
            Step::Promote { .. } | Step::Collect { .. } => {}
        }
    }
    let written = encoder.finish().expect("written");
    (bytes, events, written)
}
