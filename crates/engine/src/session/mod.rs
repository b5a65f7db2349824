//! Owns what is loaded and answers for it; the page's worker, the command line and the tests use nothing else.
//!
//! Loading is driven from outside, chunk by chunk, because only the outside knows how bytes arrive: slices of a
//! browser's `File`, a pipe, a vector in a test. So are long answers: [`Session::advance`] does a slice of the work, and
//! whoever drives may hear a Cancel in between. What was worked out stays, whether the question was given up or not.

mod answer;
mod cache;
mod follow;
mod lru;
mod needs;
mod profile;

use std::mem;

use self::cache::Cache;
use self::needs::Ready;
use self::profile::{OpenProfile, compare_two};
use crate::load::{FollowState, Loader, Model};
use crate::profile::Profile;
use crate::protocol::{Answer, Error, Progress, Question, Request, Slot, SoFar, Versus, View};
use crate::query::flame::sketch;
use crate::query::measure::Measure;
use crate::query::profile::profile_summary;
use crate::query::prominent_names::{ProminentNames, prominent_names, prominent_names_of_profile};
use crate::query::stacks::{EveryStack, StacksConfig};
use crate::query::summary::{Summary, summary};
use crate::query::tree::Label;
use crate::trace::{Budget, Trace, Whole};

#[derive(Debug, Default)]
pub struct Session {
    loading: Option<(Slot, Loader)>,
    main: Option<Open>,
    other: Option<Open>,
    budget: Budget,
}

#[derive(Debug)]
enum Open {
    Trace(Box<OpenTrace>),
    Profile(Box<OpenProfile>),
}

#[derive(Debug)]
struct OpenTrace {
    trace: Trace,
    cache: Cache,
    /// None of a file that is over, or cannot be followed.
    follow: Option<FollowState>,
}

impl Open {
    /// The model and what was worked out about it.
    fn heap_bytes(&self) -> usize {
        match self {
            Open::Trace(open) => {
                let kept = open.follow.as_ref().map_or(0, FollowState::heap_bytes);
                open.trace.heap_bytes() + open.cache.heap_bytes() + kept
            }
            Open::Profile(open) => open.heap_bytes(),
        }
    }

    /// The model and the costliest question about it.
    fn most_bytes(&self) -> usize {
        match self {
            Open::Trace(open) => open.trace.heap_bytes() + open.trace.question_bytes(),
            Open::Profile(open) => open.heap_bytes(),
        }
    }

    /// Gives up what was worked out.
    fn clear(&mut self) {
        match self {
            Open::Trace(open) => open.cache.clear(),
            Open::Profile(open) => open.clear(),
        }
    }
}

/// How a question goes on.
#[derive(Debug)]
pub enum Step {
    /// Between 0 and 1, of the part that is under way.
    Working(f64),
    Done(Result<Box<Answer>, Error>),
}

/// Of the memory that traces may take, the least that a second one gets, however large the first.
const LEAST_SHARE: usize = 4;

impl Session {
    pub fn new() -> Session {
        Session::default()
    }

    /// A session whose traces and answers take at most so much memory; a second trace may take a quarter more.
    pub fn with_budget(budget: Budget) -> Session {
        Session { budget, ..Session::default() }
    }

    /// For the loads that begin from now on.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Begins a load, giving up any that was under way. `bytes_total` where the source knows its size.
    ///
    /// What the slot holds stays until the load is through, so that the reader can go back to it; unless both together
    /// take too much memory.
    pub fn begin(&mut self, slot: Slot, bytes_total: Option<u64>) {
        self.begin_copy(slot, bytes_total, None);
    }

    /// The same for a copy of a trace, with what it says of the whole, if anything.
    pub fn begin_copy(&mut self, slot: Slot, bytes_total: Option<u64>, whole: Option<Whole>) {
        self.loading = Some((slot, Loader::new(bytes_total, self.budget_of(slot)).of_whole(whole)));
    }

    /// What a slot's model and the questions about it may take. Of two traces, the second gets what the first leaves.
    fn budget_of(&self, slot: Slot) -> Budget {
        let bytes = match slot {
            Slot::Main => self.budget.bytes,
            Slot::Other => {
                let of_main = self.main.as_ref().map_or(0, Open::most_bytes);
                self.budget.bytes.saturating_sub(of_main).max(self.budget.bytes / LEAST_SHARE)
            }
        };
        Budget { bytes }
    }

    /// Takes the next bytes of the file. After an error the load is over.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let Some((_, loader)) = &mut self.loading else {
            return Err(Error::NoLoad);
        };
        if let Err(not_loaded) = loader.push(chunk) {
            self.loading = None;
            return Err(not_loaded.into());
        }
        self.make_room();
        Ok(())
    }

    /// Gives up what was worked out before, then what a load is about to replace, once there is no room for all.
    fn make_room(&mut self) {
        let Some((slot, loader)) = &self.loading else {
            return;
        };
        let (slot, loading) = (*slot, loader.model_bytes());
        let kept = |session: &Session| session.heap_bytes(Slot::Main) + session.heap_bytes(Slot::Other);
        if loading + kept(self) <= self.budget.bytes {
            return;
        }
        [&mut self.main, &mut self.other].into_iter().flatten().for_each(Open::clear);
        if loading + kept(self) <= self.budget.bytes {
            return;
        }
        self.other = None;
        if slot == Slot::Main {
            self.main = None;
        }
    }

    /// How far the load has come; `elapsed_ms` is the caller's to fill in.
    pub fn progress(&self) -> Progress {
        self.loading.as_ref().map_or_else(Progress::default, |(_, loader)| Progress {
            bytes_read: loader.bytes_read(),
            bytes_total: loader.bytes_total(),
            events: loader.n_events(),
            is_profile: loader.is_profile(),
            elapsed_ms: 0.0,
        })
    }

    /// The curve so far and whose blocks are live now; none before anything is known.
    pub fn so_far(&self) -> Option<SoFar> {
        const STRETCHES: usize = 240;
        const HOLDERS: usize = 5;
        let (preview, bytes_a_sample) = self.loading.as_ref()?.1.preview(STRETCHES, HOLDERS)?;
        let bytes = |samples: u64| samples as f64 * bytes_a_sample;
        let label = |(name, file): (String, String)| Label { name, file, place: None };
        let functions: Vec<Label> = preview.functions.into_iter().map(label).collect();
        Some(SoFar {
            flame: sketch(&functions, &preview.stacks, bytes_a_sample),
            end_us: preview.end_us,
            live: preview.live.into_iter().map(bytes).collect(),
            holders: preview.holders.into_iter().map(|(name, samples)| (name, bytes(samples))).collect(),
        })
    }

    /// The file is over: freezes the trace and says what it is.
    pub fn finish(&mut self) -> Result<Summary, Error> {
        let (slot, loader) = self.loading.take().ok_or(Error::NoLoad)?;
        Ok(match loader.finish()? {
            Model::Trace(trace) => self.open_trace(slot, *trace, None),
            Model::Profile(profile) => {
                let summary = profile_summary(&profile);
                self.put(slot, Open::Profile(Box::new(OpenProfile::new(*profile))));
                summary
            }
        })
    }

    fn open_trace(&mut self, slot: Slot, trace: Trace, follow: Option<FollowState>) -> Summary {
        let kept = follow.as_ref().map_or(0, FollowState::heap_bytes);
        let cache = Cache::with_limit(self.budget_of(slot).bytes.saturating_sub(trace.heap_bytes() + kept));
        let summary = summary(&trace);
        self.put(slot, Open::Trace(Box::new(OpenTrace { trace, cache, follow })));
        summary
    }

    fn put(&mut self, slot: Slot, open: Open) {
        if slot == Slot::Main {
            // What the old trace was compared with says nothing of the new one.
            self.other = None;
        }
        *self.slot(slot) = Some(open);
    }

    /// What is to have a color, the most prominent first.
    pub fn prominent_names(&self, slot: Slot) -> ProminentNames {
        let open = match slot {
            Slot::Main => &self.main,
            Slot::Other => &self.other,
        };
        match open {
            None => ProminentNames::default(),
            Some(Open::Trace(open)) => prominent_names(&open.trace),
            Some(Open::Profile(open)) => prominent_names_of_profile(&open.profile),
        }
    }

    /// The two traces change places. Does nothing where there are not two.
    pub fn swap(&mut self) {
        if self.main.is_some() && self.other.is_some() {
            mem::swap(&mut self.main, &mut self.other);
        }
    }

    /// Gives up the trace that the main one is compared with.
    pub fn close_other(&mut self) {
        self.other = None;
    }

    /// Drops a load that is under way.
    pub fn cancel(&mut self) {
        self.loading = None;
    }

    /// The answer, however long it takes.
    pub fn handle(&mut self, request: &Request) -> Result<Answer, Error> {
        loop {
            if let Step::Done(answer) = self.advance(request) {
                return answer.map(|answer| *answer);
            }
        }
    }

    /// Does a slice of what the answer needs, or answers. A question is given up by not asking it again.
    pub fn advance(&mut self, request: &Request) -> Step {
        match self.try_advance(request) {
            Ok(Some(answer)) => Step::Done(Ok(Box::new(answer))),
            Ok(None) => Step::Working(self.share_done()),
            Err(error) => Step::Done(Err(error)),
        }
    }

    fn try_advance(&mut self, request: &Request) -> Result<Option<Answer>, Error> {
        if let Some(answer) = self.answer_of_profile(request)? {
            return Ok(Some(answer));
        }
        match self.prepare(request)? {
            Some(ready) => answer::answer(request, &ready).map(Some),
            None => Ok(None),
        }
    }

    /// None where the question is about traces.
    fn answer_of_profile(&mut self, request: &Request) -> Result<Option<Answer>, Error> {
        let Request { view, question } = request;
        let is_of_other = matches!(question, Question::OfOther(_));
        let is_of_both = matches!(
            question,
            Question::Compare { versus: Versus::Other { .. }, .. }
                | Question::DiffFlame { versus: Versus::Other { .. }, .. }
        );
        let answer = match (&mut self.main, &mut self.other) {
            (Some(Open::Profile(main)), Some(Open::Profile(other))) if is_of_both => {
                compare_two(main, other, view, question)
            }
            (Some(Open::Profile(_)), Some(Open::Trace(_))) | (Some(Open::Trace(_)), Some(Open::Profile(_)))
                if is_of_both =>
            {
                Err(Error::TraceAndProfile)
            }
            (_, Some(Open::Profile(other))) if is_of_other => match question {
                Question::OfOther(question) => other.answer(view, question),
                question => other.answer(view, question),
            },
            (Some(Open::Profile(main)), _) if !is_of_other => main.answer(view, question),
            _ if view.measure == Measure::Calls => Err(Error::NoCallCounts),
            _ => return Ok(None),
        };
        answer.map(Some)
    }

    /// Reads every stack of a view, one by one: an answer that holds them all would be larger than the trace.
    pub fn with_every_stack<T>(&mut self, view: &View, read: impl FnOnce(&EveryStack<'_>) -> T) -> Result<T, Error> {
        if let Some(Open::Profile(open)) = &mut self.main {
            return open.with_every_stack(view, read);
        }
        let question = Question::Stacks(StacksConfig { least_share: 0.0, is_inverted: false });
        let request = Request { view: view.clone(), question };
        loop {
            if let Some(ready) = self.prepare(&request)? {
                let (trace, have) = ready.first().ok_or(Error::NoTrace)?;
                return Ok(read(&answer::every_stack(trace, view, have)?));
            }
        }
    }

    /// All that the answer needs, if it is there; else does one slice of what is missing.
    fn prepare(&mut self, request: &Request) -> Result<Option<Vec<(&Trace, Ready)>>, Error> {
        let mut ready: Vec<(Slot, Ready)> = Vec::new();
        for (slot, needs) in answer::needs(request) {
            let Some(Open::Trace(open)) = self.slot(slot) else {
                return Err(Error::NoTrace);
            };
            let OpenTrace { trace, cache, .. } = &mut **open;
            match cache.prepare(trace, &needs)? {
                Some(have) => ready.push((slot, have)),
                None => return Ok(None),
            }
        }
        Ok(Some(ready.into_iter().filter_map(|(slot, have)| Some((self.trace(slot)?, have))).collect()))
    }

    fn share_done(&self) -> f64 {
        let shares = [&self.main, &self.other].into_iter().flatten().map(|open| match open {
            Open::Trace(open) => open.cache.progress(&open.trace),
            Open::Profile(_) => 0.0,
        });
        shares.fold(0.0, f64::max)
    }

    /// Whether a slot holds anything.
    pub fn is_open(&self, slot: Slot) -> bool {
        self.open(slot).is_some()
    }

    /// The trace that a slot holds; none where it holds a profile.
    pub fn trace(&self, slot: Slot) -> Option<&Trace> {
        match self.open(slot) {
            Some(Open::Trace(open)) => Some(&open.trace),
            Some(Open::Profile(_)) | None => None,
        }
    }

    /// The profile that a slot holds.
    pub fn profile(&self, slot: Slot) -> Option<&Profile> {
        match self.open(slot) {
            Some(Open::Profile(open)) => Some(&open.profile),
            Some(Open::Trace(_)) | None => None,
        }
    }

    fn heap_bytes(&self, slot: Slot) -> usize {
        self.open(slot).map_or(0, Open::heap_bytes)
    }

    fn open(&self, slot: Slot) -> Option<&Open> {
        match slot {
            Slot::Main => self.main.as_ref(),
            Slot::Other => self.other.as_ref(),
        }
    }

    fn slot(&mut self, slot: Slot) -> &mut Option<Open> {
        match slot {
            Slot::Main => &mut self.main,
            Slot::Other => &mut self.other,
        }
    }
}
