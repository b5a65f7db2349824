//! Loads any bytes as a file and runs any queries on it. Nothing panics, every figure is a number, and a repeated query has the
//! same response.
//!
//! The first two bytes of an input are the number of bytes after them that choose the queries. The rest is the file.

#![no_main]

mod input;

use camlscope_engine::protocol::{Question, Request, Slot, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, DiffConfig, GateConfig, Limit, Scale, Sum};
use camlscope_engine::query::events::{EventsConfig, Kind, Start};
use camlscope_engine::query::filter::{
    Clause, DiesWithin, Filter, FrameTest, Heap, How, NameTest, FrameField, SizeUnit, Span, When, WhichFrame,
};
use camlscope_engine::query::flame::{BoxId, BranchConfig, Direction, FlameConfig, BoxSelector};
use camlscope_engine::query::histogram::heat::{Across, AxisBin, HeatConfig};
use camlscope_engine::query::histogram::sites::{Which, Within};
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of, Split};
use camlscope_engine::query::lines::LinesConfig;
use camlscope_engine::query::measure::{GrowthUnit, Measure};
use camlscope_engine::query::name_search::NameSearchConfig;
use camlscope_engine::query::stacks::StacksConfig;
use camlscope_engine::query::suggest::SuggestConfig;
use camlscope_engine::query::table::{Column, Order, TableConfig};
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{By, Graph, TimelineConfig};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;
use input::number_and_rest;
use libfuzzer_sys::fuzz_target;

const BUDGET: Budget = Budget { bytes: 64 << 20 };
const MAX_QUESTIONS: usize = 6;

fuzz_target!(|input: &[u8]| {
    let (n_choices, rest) = number_and_rest(input);
    let (choices, file) = rest.split_at(n_choices.min(rest.len()));
    let mut choices = Choices(choices);
    let mut session = Session::with_budget(BUDGET);
    if !open(&mut session, Slot::Main, file) {
        return;
    }
    if choices.is_yes() {
        open(&mut session, Slot::Other, file);
    }
    let mut first = None;
    for _ in 0..MAX_QUESTIONS {
        if choices.0.is_empty() {
            break;
        }
        let request = Request { view: choices.view(), question: choices.question() };
        let answer = session.handle(&request);
        if let Ok(answer) = &answer {
            let text = format!("{answer:?}");
            assert!(!text.contains(": NaN") && !text.contains(": inf"), "{request:?}: {text}");
        }
        first.get_or_insert((request, answer));
    }
    if let Some((request, answer)) = first {
        assert!(session.handle(&request) == answer, "a repeated query has another response: {request:?}");
    }
});

fn open(session: &mut Session, slot: Slot, file: &[u8]) -> bool {
    session.begin(slot, Some(file.len() as u64));
    session.push(file).is_ok() && session.finish().is_ok()
}

/// Bytes that choose the queries. When they run out, all further bytes are zero.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    fn is_yes(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Returns a number, which is small in most cases.
    fn number(&mut self) -> u64 {
        let n_bytes = self.pick(&[1, 1, 1, 2, 2, 3, 4, 8]);
        let bytes: [u8; 8] = std::array::from_fn(|at| if at < n_bytes { self.byte() } else { 0 });
        u64::from_le_bytes(bytes)
    }

    fn maybe(&mut self) -> Option<u64> {
        self.is_yes().then(|| self.number())
    }

    fn span(&mut self) -> Span {
        Span { from: self.maybe(), to: self.maybe() }
    }

    fn when(&mut self) -> When {
        match self.below(3) {
            0 => When::Peak,
            1 => When::End,
            _ => When::At(self.number()),
        }
    }

    fn name(&mut self) -> NameTest {
        let text = self.pick(&["", "a", "Tiny", "Stdlib", "^Tiny.f", "List|Bytes", ".*", "(", "string.ml", "tiny.ml:3"]);
        match self.below(3) {
            0 => NameTest::is(text),
            1 => NameTest { how: How::Contains, text: text.to_owned() },
            _ => NameTest::matches(text),
        }
    }

    fn part(&mut self) -> FrameField {
        self.pick(&FrameField::ALL)
    }

    fn clause(&mut self) -> Clause {
        match self.below(14) {
            0 => Clause::Allocated(self.span()),
            1 => Clause::Collected(self.span()),
            2 => Clause::NeverCollected,
            3 => Clause::LiveAt(self.when()),
            4 => Clause::LiveWithin(self.span()),
            5 => Clause::LiveThrough(self.span()),
            6 => Clause::Size(self.span(), self.pick(&[SizeUnit::Words, SizeUnit::Bytes])),
            7 => Clause::Lifetime(self.span()),
            8 => Clause::Heap(vec![self.pick(&Heap::ALL), self.pick(&Heap::ALL)]),
            9 => Clause::Domain(vec![self.number() as u16]),
            10 => Clause::Frame(FrameTest {
                part: self.part(),
                name: self.name(),
                not: self.is_yes(),
                which: self.pick(&[WhichFrame::Any, WhichFrame::Allocating, WhichFrame::Responsible]),
            }),
            11 => Clause::Temporary(self.dies_within()),
            12 => Clause::Calls { caller: self.name(), callee: self.name() },
            _ if self.is_yes() => Clause::Hide(self.name()),
            _ => Clause::Focus(self.name()),
        }
    }

    fn dies_within(&mut self) -> DiesWithin {
        if self.is_yes() { DiesWithin::Micros(self.number()) } else { DiesWithin::Bytes(self.number()) }
    }

    fn measure(&mut self) -> Measure {
        match self.below(10) {
            0 => Measure::Allocated,
            1 => Measure::Blocks,
            2 => Measure::Live(self.when()),
            3 => Measure::Promoted,
            4 => Measure::ByteSeconds,
            5 => Measure::Samples,
            6 => Measure::Calls,
            7 => Measure::Temporary(self.dies_within()),
            _ => Measure::Growth(self.pick(&[GrowthUnit::Bytes, GrowthUnit::Blocks, GrowthUnit::Samples])),
        }
    }

    fn grain(&mut self) -> Grain {
        self.pick(&[Grain::Function, Grain::Site, Grain::File, Grain::Module])
    }

    fn view(&mut self) -> View {
        let clauses = (0..self.below(4)).map(|_| self.clause()).collect();
        View { filter: Filter { clauses }, measure: self.measure(), grain: self.grain(), fold_recursion: self.is_yes() }
    }

    fn label(&mut self) -> Label {
        Label::from_text(self.pick(&["Tiny.f@tiny.ml", "Tiny@tiny.ml", "tiny.ml", "Tiny", "nowhere", ""]))
    }

    fn direction(&mut self) -> Direction {
        match self.below(4) {
            0 => Direction::TopDown,
            1 => Direction::Inverted,
            2 => Direction::Callers(self.label()),
            _ => Direction::Callees(self.label()),
        }
    }

    fn selector(&mut self) -> BoxSelector {
        match self.below(3) {
            0 => BoxSelector::Top,
            1 => BoxSelector::Id(BoxId { group: self.number() as u32, depth: self.number() as u32 }),
            _ => BoxSelector::Path(vec![self.label()]),
        }
    }

    fn bins(&mut self) -> Bins {
        match self.below(4) {
            0 => Bins::Log2,
            1 => Bins::Log10,
            2 => Bins::Classic,
            _ => Bins::Linear { from: self.number(), to: self.number(), n: self.below(200) },
        }
    }

    fn rows(&mut self) -> std::ops::Range<usize> {
        let from = self.number() as usize;
        from..from.saturating_add(self.number() as usize)
    }

    fn pixels(&mut self) -> f64 {
        self.pick(&[0.0, 0.5, 1.0, 320.0, 1440.0, 1e6])
    }

    fn versus(&mut self) -> Versus {
        let scale = self.scale();
        if self.is_yes() {
            Versus::Other { scale }
        } else {
            Versus::Times { before: self.when(), after: self.when() }
        }
    }

    fn scale(&mut self) -> Scale {
        self.pick(&[Scale::AsIs, Scale::PerSecond, Scale::PerAllocated])
    }

    /// The limit is an amount, because relative growth from zero is infinite.
    fn gate(&mut self) -> Option<GateConfig> {
        let limit = Limit::Amount(self.maybe()? as f64);
        Some(GateConfig { limit, by_row: self.is_yes() })
    }

    fn axis_bin(&mut self) -> Option<AxisBin> {
        self.is_yes().then(|| AxisBin { from: self.number(), to: self.number() })
    }

    fn within(&mut self) -> Within {
        let lifetime = match self.below(3) {
            0 => None,
            1 => Some(Which::Never),
            _ => Some(Which::Values { from: self.number(), to: self.number() }),
        };
        Within { size: self.axis_bin(), allocated: self.axis_bin(), lifetime }
    }

    fn of(&mut self) -> Of {
        self.pick(&[Of::Size, Of::Lifetime])
    }

    fn question(&mut self) -> Question {
        let kind = self.below(25);
        if kind == 24 {
            let inner = self.below(24);
            return Question::OfOther(Box::new(self.question_of_kind(inner)));
        }
        self.question_of_kind(kind)
    }

    fn question_of_kind(&mut self, kind: usize) -> Question {
        match kind {
            0 => Question::Summary,
            1 => Question::Amounts,
            2 => Question::Findings,
            3 => {
                let from = self.pick(&[0.0, 0.25, 0.999]);
                Question::Flame(FlameConfig {
                    direction: self.direction(),
                    root: self.selector(),
                    x: from..self.pick(&[1.0, 0.3]),
                    width_px: self.pixels(),
                    depths: self.number() as u32..self.number() as u32,
                })
            }
            4 => Question::Find(self.pick(&["", "tiny", "/", "/^t.*y$/", "/(/", "Å"]).to_owned()),
            5 => Question::Detail { direction: self.direction(), selector: self.selector() },
            6 => {
                Question::Branches(BranchConfig { direction: self.direction(), parent: self.selector(), rows: self.rows() })
            }
            7 => Question::Table(TableConfig {
                order: Order { column: self.pick(&Column::ALL), descending: self.is_yes() },
                search: self.pick(&["", "tiny", "/(/", "Å"]).to_owned(),
                rows: self.rows(),
            }),
            8 => Question::Stacks(StacksConfig {
                least_share: self.pick(&[0.0, 1e-4, 0.3, 2.0]),
                is_inverted: self.is_yes(),
            }),
            9 => Question::Timeline(TimelineConfig {
                from_us: self.number(),
                to_us: self.number(),
                n_steps: self.below(200),
                by: self.is_yes().then(|| self.pick(&By::ALL)),
                top: self.below(20),
                graph: self.pick(&[Graph::LiveBytes, Graph::LiveBlocks, Graph::Allocated]),
            }),
            10 => Question::Histogram(HistogramConfig {
                of: self.of(),
                bins: self.bins(),
                split: self.pick(&[None, Some(Split::Heap), Some(Split::Fate)]),
                weight: self.pick(&[Counted::Samples, Counted::Bytes, Counted::Blocks]),
            }),
            11 => Question::Heat(HeatConfig {
                across: self.pick(&[Across::Size, Across::AllocationTime]),
                across_bins: self.bins(),
                lifetime_bins: self.bins(),
            }),
            12 => Question::Sites { within: self.within(), n: self.below(50) },
            13 => Question::Growth,
            14 | 15 => Question::Compare {
                versus: self.versus(),
                config: CompareConfig {
                    measure: self.measure(),
                    sum: self.pick(&[Sum::Own, Sum::Total]),
                    scale: self.scale(),
                    limit: self.number() as usize,
                    gate: self.gate(),
                },
            },
            16 => Question::DiffFlame {
                versus: self.versus(),
                config: DiffConfig {
                    root: if self.is_yes() { vec![self.label()] } else { Vec::new() },
                    width_px: self.pixels(),
                    max_levels: self.below(100),
                    x: self.pick(&[0.0, 0.25, 0.999])..self.pick(&[1.0, 0.3]),
                    x_of: self.below(3),
                },
            },
            17 => Question::Events(EventsConfig {
                start: match self.below(4) {
                    0 => Start::Event(self.number()),
                    1 => Start::Time(self.number()),
                    2 => Start::Object(self.number() as u32),
                    _ => Start::Happening(self.number() as u32, self.pick(&Kind::ALL)),
                },
                limit: self.number().min(100),
                max_frames: self.number() as usize,
                kind: self.pick(&[None, Some(Kind::Alloc), Some(Kind::Promote), Some(Kind::Collect)]),
                lives: self.is_yes(),
            }),
            18 => Question::Point(PointConfig {
                at: self.when(),
                by: self.is_yes().then(|| self.pick(&By::ALL)),
                series: Vec::new(),
                graph: self.pick(&[Graph::LiveBytes, Graph::LiveBlocks, Graph::Allocated]),
            }),
            19 => Question::Names(NameSearchConfig {
                text: self.pick(&["", "t", "Å", "tf b"]).to_owned(),
                limit: self.below(30),
            }),
            20 => Question::SourceFiles,
            21 => Question::Lines(LinesConfig { file: self.pick(&["tiny.ml", "list.ml", ""]).to_owned() }),
            22 => Question::LineBranches(BranchConfig {
                direction: self.direction(),
                parent: self.selector(),
                rows: self.rows(),
            }),
            _ => Question::Suggest(SuggestConfig {
                part: self.part(),
                text: self.pick(&["", "t", "Å"]).to_owned(),
                limit: self.below(30),
            }),
        }
    }
}
