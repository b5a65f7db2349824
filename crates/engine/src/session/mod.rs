//! Owns the loaded files and answers queries about them. The page's worker, the command line and the tests use nothing
//! else.
//!
//! The caller drives loading, chunk by chunk, because only the caller knows how bytes arrive: slices of a browser's
//! `File`, a pipe, a vector in a test. The same goes for long queries: [`Session::advance`] does a slice of the work,
//! and the caller may handle a Cancel in between. Results stay cached, even if the query is canceled.

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
    /// `None` if the file is complete or can't be followed.
    follow: Option<FollowState>,
}

impl Open {
    /// The memory of the model and everything cached about it.
    fn heap_bytes(&self) -> usize {
        match self {
            Open::Trace(open) => {
                let kept = open.follow.as_ref().map_or(0, FollowState::heap_bytes);
                open.trace.heap_bytes() + open.cache.heap_bytes() + kept
            }
            Open::Profile(open) => open.heap_bytes(),
        }
    }

    /// The memory of the model and the most expensive query about it.
    fn most_bytes(&self) -> usize {
        match self {
            Open::Trace(open) => open.trace.heap_bytes() + open.trace.query_bytes(),
            Open::Profile(open) => open.heap_bytes(),
        }
    }

    /// Drops everything cached.
    fn clear(&mut self) {
        match self {
            Open::Trace(open) => open.cache.clear(),
            Open::Profile(open) => open.clear(),
        }
    }
}

/// The state of a query after a slice of work.
#[derive(Debug)]
pub enum Step {
    /// The finished share of the current part, between 0 and 1.
    Working(f64),
    Done(Result<Box<Answer>, Error>),
}

/// The second trace gets at least 1/LEAST_SHARE of the memory, however large the first one is.
const LEAST_SHARE: usize = 4;

impl Session {
    pub fn new() -> Session {
        Session::default()
    }

    /// Creates a session whose traces and queries take at most this much memory. A second trace may take a quarter
    /// more.
    pub fn with_budget(budget: Budget) -> Session {
        Session { budget, ..Session::default() }
    }

    /// Sets the budget for future loads.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Begins a load and cancels the current one. `bytes_total` is the size of the file, if known.
    ///
    /// The slot's current contents stay until the load is done, so that the user can go back to them, unless both
    /// together take too much memory.
    pub fn begin(&mut self, slot: Slot, bytes_total: Option<u64>) {
        self.begin_copy(slot, bytes_total, None);
    }

    /// Does the same for a copy of a trace, with the original's totals, if available.
    pub fn begin_copy(&mut self, slot: Slot, bytes_total: Option<u64>, whole: Option<Whole>) {
        self.loading = Some((slot, Loader::new(bytes_total, self.budget_of(slot)).of_whole(whole)));
    }

    /// The memory for a slot's model and the queries about it. The second trace gets what the first one leaves.
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

    /// Takes the next bytes of the file. An error ends the load.
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

    /// If memory runs short, drops cached results first, then the traces that the load is about to replace.
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

    /// The progress of the load. The caller fills in `elapsed_ms`.
    pub fn progress(&self) -> Progress {
        self.loading.as_ref().map_or_else(Progress::default, |(_, loader)| Progress {
            bytes_read: loader.bytes_read(),
            bytes_total: loader.bytes_total(),
            events: loader.n_events(),
            is_profile: loader.is_profile(),
            elapsed_ms: 0.0,
        })
    }

    /// Returns a preview: the curve so far and which functions allocated what is live now. `None` if nothing is known
    /// yet.
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

    /// Ends the load: freezes the model and returns its summary.
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
            // The comparison with the old trace is meaningless for the new one.
            self.other = None;
        }
        *self.slot(slot) = Some(open);
    }

    /// The names that get their own colors, most prominent first.
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

    /// Swaps the two traces. Does nothing unless there are two.
    pub fn swap(&mut self) {
        if self.main.is_some() && self.other.is_some() {
            mem::swap(&mut self.main, &mut self.other);
        }
    }

    /// Closes the trace that the main one is compared with.
    pub fn close_other(&mut self) {
        self.other = None;
    }

    /// Cancels the current load.
    pub fn cancel(&mut self) {
        self.loading = None;
    }

    /// Answers a request, however long it takes.
    pub fn handle(&mut self, request: &Request) -> Result<Answer, Error> {
        loop {
            if let Step::Done(answer) = self.advance(request) {
                return answer.map(|answer| *answer);
            }
        }
    }

    /// Does a slice of the work for a request, or answers it. To cancel a request, stop calling this.
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

    /// Returns `None` if the query is about traces.
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

    /// Reads all stacks of a view one by one. A response with all of them would be larger than the trace.
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

    /// Returns everything the response needs if it is available. Otherwise does one slice of the missing work.
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

    /// Whether a slot holds a model.
    pub fn is_open(&self, slot: Slot) -> bool {
        self.open(slot).is_some()
    }

    /// The slot's trace. `None` if it holds a profile.
    pub fn trace(&self, slot: Slot) -> Option<&Trace> {
        match self.open(slot) {
            Some(Open::Trace(open)) => Some(&open.trace),
            Some(Open::Profile(_)) | None => None,
        }
    }

    /// The slot's profile. `None` if it holds a trace.
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
